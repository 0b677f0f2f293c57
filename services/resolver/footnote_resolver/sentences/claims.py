"""Which sentences of an answer are claims, and which citations stand in them (spec 2.5). Pure."""

import re
from dataclasses import dataclass

from footnote_shared.kernel.citation_tokens import TOKEN, numbers_in
from footnote_shared.kernel.text import sentences

_FENCE_MARK = re.compile(r" {0,3}(`{3,}+|~{3,}+)(.*)")
_CODE_SPAN = re.compile(r"(?<!`)(`{1,3})(?!`)[^`\n]*\1(?!`)")
_MARKUP = re.compile(r"^[^\S\n]*(?:(?:>|[-*+•]|\d+[.)]|#{1,6})\s+)+|[*_`~]+|^[^\S\n]*\|.*", re.MULTILINE)
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s|\*\*[^*\n]+\*\*:?\s*$)")
_APOSTROPHE = "(?:'|’)"
_NO_APOSTROPHE = "(?:'|’)?"
_OPENINGS = (
    "hi",
    "hello",
    "hey",
    "dear",
    "thanks",
    "thank you",
    f"you{_NO_APOSTROPHE}re welcome",
    "sure",
    "certainly",
    "of course",
    "great question",
    "good question",
    "absolutely",
    "here (?:is|are)",
    f"here{_APOSTROPHE}s",
    "below (?:is|are)",
    "let me",
    f"let{_APOSTROPHE}s",
    "i hope",
    f"i{_NO_APOSTROPHE}m (?:sorry|happy|glad)",
    "i am (?:sorry|happy|glad)",
    "sorry",
    "please",
    "feel free",
    "if you (?:need|have|want|would like)",
    f"i (?:could not|couldn{_APOSTROPHE}t) (?:find|answer|see|have|know)",
    f"i (?:cannot|can{_APOSTROPHE}t) (?:find|answer|see|have|know)",
    f"i (?:did not|didn{_APOSTROPHE}t) (?:find|answer|see|have|know)",
    f"i (?:do not|don{_APOSTROPHE}t) (?:find|answer|see|have|know)",
    "i (?:will|can|found|looked|searched|checked)",
    "there (?:is|are) no (?:information|evidence|mention)",
    "no (?:information|evidence) (?:was|is)",
    "the (?:documents|sources|passages|evidence) (?:do|does) not",
    r"in (?:summary|short|conclusion)[,:]?\s*$",
)
_TALK = re.compile(rf"^(?:{'|'.join(_OPENINGS)})\b", re.IGNORECASE)
"""How a sentence begins that talks about the answer itself."""
_MIN_WORDS = 3
"""A sentence of fewer words claims nothing."""
_MIN_CJK = 6
"""In Chinese, Japanese and Korean, which have no spaces between words: characters."""
_RESTATED = 0.85
"""A sentence that shares this share of its words with the question only repeats the question."""
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """A sentence of an answer, its half-open range there, the numbers it cites, and whether it is a claim."""

    text: str
    start: int
    end: int
    citations: tuple[int, ...]
    is_claim: bool


def answer_sentences(
    text: str, question: str | None = None, *, within_line: bool = False
) -> list[AnswerSentence]:
    """The sentences outside fenced code, in order. `within_line`: the text begins in the middle of a line."""
    asked = _words(question or "")
    visible = without_fences(text, within_line=within_line)
    found = []
    for sentence in sentences(visible):
        whole = text[sentence.start : sentence.end]
        cited = numbers_beside_code(whole)
        found.append(AnswerSentence(whole, sentence.start, sentence.end, cited, _is_claim(whole, asked)))
    return found


def numbers_beside_code(text: str) -> tuple[int, ...]:
    """The numbers that a text cites, each once; what stands in a code span is no citation."""
    return tuple(dict.fromkeys(numbers_in(_CODE_SPAN.sub(_blank, text))))


def without_fences(text: str, *, within_line: bool = False) -> str:
    """The text with spaces in place of each character of fenced code; an open fence extends to the end.

    `within_line`: the text begins in the middle of a line, where no fence can open.
    """
    if "```" not in text and "~~~" not in text:
        return text
    lines = []
    fence = ""
    for number, line in enumerate(text.split("\n")):
        mark = None if within_line and number == 0 else _FENCE_MARK.match(line)
        opens_or_closes = mark is not None and (
            not fence or (mark[1].startswith(fence) and not mark[2].strip())
        )
        if fence or opens_or_closes:
            lines.append(" " * len(line))
        else:
            lines.append(line)
        if mark is not None and opens_or_closes:
            fence = "" if fence else mark[1]
    return "\n".join(lines)


def plain(sentence: str) -> str:
    """A sentence without tokens and Markdown, as it is compared."""
    return " ".join(_MARKUP.sub("", TOKEN.sub("", sentence)).split())


def cited_in_first_paragraph(text: str) -> bool | None:
    """Whether the first paragraph holds a citation; None while it has not ended."""
    start = len(text) - len(text.lstrip())
    end = _PARAGRAPH_END.search(text, start)
    paragraph = text[: end.start()] if end else text
    if TOKEN.search(paragraph):
        return True
    return False if end else None


def _is_claim(sentence: str, asked: frozenset[str]) -> bool:
    """Not a heading, a question, a lead-in, talk about the answer itself, or the question said again."""
    words = plain(sentence)
    if _HEADING.match(sentence) or words.endswith(("?", ":", "？", "：")) or _TALK.match(words):
        return False
    found = _words(words)
    if len(found) < _MIN_WORDS and len(_CJK.findall(words)) < _MIN_CJK:
        return False
    return not (asked and len(found & asked) >= _RESTATED * len(found))


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text))


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())
