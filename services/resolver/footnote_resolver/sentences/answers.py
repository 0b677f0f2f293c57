"""Which sentences of an answer make a claim, and which citations stand in them (spec 2.5). Pure."""

import re
from dataclasses import dataclass

from footnote_shared.kernel.text import sentences

TOKEN = re.compile(r"\[citation:([1-9]\d*)\]")
_FENCE_MARK = re.compile(r" {0,3}(`{3,}+|~{3,}+)(.*)")
_CODE_SPAN = re.compile(r"(?<!`)(`{1,3})(?!`)[^`\n]*\1(?!`)")
_MARKUP = re.compile(r"^(?:\s*(?:>|[-*+•]|\d+[.)]|#{1,6})\s+)+|[*_`~]+|^\s*\|.*", re.MULTILINE)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s|\*\*[^*\n]+\*\*:?\s*$)")
_TALK = re.compile(
    r"^(?:hi|hello|hey|dear|thanks|thank you|you(?:'|’)?re welcome|sure|certainly|of course|great question|good question|absolutely|here (?:is|are)"
    r"|here(?:'|’)s|below (?:is|are)|let me|let(?:'|’)s|i hope|i(?:'|’)?m (?:sorry|happy|glad)|i am (?:sorry|happy|glad)|sorry|please|feel free"
    r"|if you (?:need|have|want|would like)|i (?:could not|couldn(?:'|’)t|cannot|can(?:'|’)t|did not|didn(?:'|’)t|do not|don(?:'|’)t) (?:find|answer|see|have|know)"
    r"|i (?:will|can|found|looked|searched|checked)|there (?:is|are) no (?:information|evidence|mention)|no (?:information|evidence) (?:was|is)"
    r"|the (?:documents|sources|passages|evidence) (?:do|does) not|in (?:summary|short|conclusion)[,:]?\s*$)\b",
    re.IGNORECASE,
)
_MIN_WORDS = 3
_RESTATED = 0.85
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """A sentence of an answer with its half-open range there, the numbers that it cites, and whether it claims something."""

    text: str
    start: int
    end: int
    citations: tuple[int, ...]
    claims: bool


def answer_sentences(
    text: str, question: str | None = None, *, within_line: bool = False
) -> list[AnswerSentence]:
    """The sentences outside fences of code, in order. `within_line`: the text begins in the middle of a line."""
    asked = _words(question or "")
    visible = without_fences(text, within_line=within_line)
    found = []
    for sentence in sentences(visible):
        whole = text[sentence.start : sentence.end]
        cited = tuple(dict.fromkeys(int(n) for n in TOKEN.findall(_CODE_SPAN.sub(_blank_match, whole))))
        found.append(AnswerSentence(whole, sentence.start, sentence.end, cited, _claims(whole, asked)))
    return found


def without_fences(text: str, *, within_line: bool = False) -> str:
    """The text with as many spaces in place of every fence of code; one that is not closed goes to the end.

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
    """The words of a sentence without tokens and Markdown, for comparing."""
    return " ".join(_MARKUP.sub("", TOKEN.sub("", sentence)).split())


def cited_in_first_paragraph(text: str) -> bool | None:
    """Whether the first paragraph holds a citation; None while it has not ended."""
    start = len(text) - len(text.lstrip())
    end = re.compile(r"\n[ \t]*\n").search(text, start)
    paragraph = text[: end.start()] if end else text
    if TOKEN.search(paragraph):
        return True
    return False if end else None


def _claims(sentence: str, asked: frozenset[str]) -> bool:
    """Not a heading, a question, a lead-in, talk about the answer itself, or the question said again."""
    words = plain(sentence)
    if _HEADING.match(sentence) or words.endswith(("?", ":", "？", "：")) or _TALK.match(words):
        return False
    found = _words(words)
    if len(found) < _MIN_WORDS and len(_CJK.findall(words)) < 2 * _MIN_WORDS:
        return False
    return not (asked and len(found & asked) >= _RESTATED * len(found))


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text))


def _blank(text: str) -> str:
    """As many characters, with nothing in them that a sentence could start with; line breaks stay."""
    return "".join("\n" if char == "\n" else " " for char in text)


def _blank_match(match: re.Match[str]) -> str:
    return _blank(match.group())
