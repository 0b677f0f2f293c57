"""The sentences of a text as they read in an answer: without marks, and none that is only "Yes." Pure."""

import re
from bisect import bisect_right
from collections.abc import Sequence

from footnote_agent.engines.fitting_sentences import ASKING, END_MARKS, is_of_contents
from footnote_agent.engines.prose import unlinked, whole_words
from footnote_agent.engines.terms import words_of
from footnote_shared.kernel.text import Sentence

_SHORT_ANSWER = 4
"""A sentence of this many words at most, such as "Yes.", says nothing without the one behind it."""

_HEADING_LINE = re.compile(r"\A(?:\s*#{1,6} [^\n]*(?:\n|\Z))+")
_LIST_MARK = re.compile(r"\A\s*(?:[-*•+>|]|\d{1,3}[.)])\s+")
_QUOTE_MARK = re.compile(r"(?m)^[ \t]{0,3}>[> \t]*")
_CALLOUT = re.compile(r"\A\s*\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]")
_COMMENT_OPENS, _COMMENT_ENDS = re.compile(r"\A\s*/\*+(?=\s)"), re.compile(r"(?<=\s)\*+/\s*\Z")
"""The marks around a comment of a program."""

_ANCHOR = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])[ \t]+\[[^\[\]]*\]\(#[^()\s]*\)\s*")
"""An item of a table of contents in Markdown."""

_ASKED = re.compile(
    r"(?m)^[ \t]*Q(?:uestion)?\d{0,3}[.:)][ \t]+"
    r"[^\n]+(?:\n|\Z)(?:(?![ \t]*A(?:nswer)?\d{0,2}[.:)][ \t])[^\n]+(?:\n|\Z))*"
)
"""The question of a FAQ: to the end of its paragraph, or to the mark of its answer."""

_ANSWER_MARK = re.compile(r"\AA(?:nswer)?\d{0,2}[.:)]\s+(?=\S+\s)")


def clean(text: str) -> str:
    """A sentence as it reads in an answer.

    It has no heading lines, no list mark, no images, targets of links or tags, and single spaces.
    """
    text = _COMMENT_ENDS.sub("", _COMMENT_OPENS.sub("", text))
    unquoted = _CALLOUT.sub("", _QUOTE_MARK.sub("", _LIST_MARK.sub("", _HEADING_LINE.sub("", text))))
    spaced = " ".join(whole_words(unquoted).split())
    return " ".join(unlinked(spaced).split())


def leads_elsewhere(item: str) -> bool:
    """Whether an item is a question, or a way to another place of its document, and so no answer."""
    return is_of_contents(item) or bool(_ANCHOR.fullmatch(item)) or clean(item).endswith(ASKING)


def questions_in(text: str) -> list[tuple[int, int]]:
    """Where the questions of a FAQ stand, as half-open ranges in order."""
    return [mark.span() for mark in _ASKED.finditer(text)]


def without_answer_mark(text: str) -> str:
    """A sentence without the `A:` with which the answer to such a question begins."""
    return _ANSWER_MARK.sub("", text)


def question_above(text: str, asked: Sequence[tuple[int, int]], place: int) -> str:
    """The question of a FAQ that is answered at this place; empty where none is."""
    at = bisect_right(asked, (place, place)) - 1
    return text[slice(*asked[at])] if at >= 0 and asked[at][1] <= place else ""


def joined(split: Sequence[Sentence], text: str) -> list[Sentence]:
    """The sentences, where one such as "Yes." is one with that behind it, within a paragraph."""
    kept: list[Sentence] = []
    for sentence in split:
        before = kept[-1] if kept else None
        if (
            before is not None
            and len(words_of(before.text)) <= _SHORT_ANSWER
            and before.text.rstrip()[-1:] in END_MARKS
            and "\n\n" not in text[before.end : sentence.start]
            and "\n" not in before.text
        ):
            kept[-1] = Sentence(text[before.start : sentence.end], before.start, sentence.end)
        else:
            kept.append(sentence)
    return kept
