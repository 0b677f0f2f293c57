"""The lines of a changelog that say when a release was made. Pure.

They are headlines and signatures and no sentences, so nothing else quotes them. A question that asks when a
release came asks for one of them.
"""

import re
from collections.abc import Callable, Sequence

from footnote_agent.engines.headlines import headlines_in
from footnote_agent.engines.quotable import PassageText, Quotable
from footnote_agent.engines.quotable_sentences import clean
from footnote_agent.engines.terms import terms

_SIGNATURE = re.compile(r"(?m)^ -- [^\n]{1,200}$")
"""The last line of an entry in a changelog of Debian: who made it, and when."""

_DRAWN = re.compile(r"(?m)^[^\n]{1,200}(?=\n(?:-{3,200}|={3,200})$)")
"""A heading by the line below it."""

_MARKED = re.compile(r"(?m)^ {0,3}#{1,6} [^\n]{1,200}$")


def dated_lines(
    passages: Sequence[PassageText],
    numbers: frozenset[str],
    has_date: Callable[[str], bool],
    language: str | None,
) -> list[Quotable]:
    """The headline that has all these numbers and a date; else that without one, and the signature below it.

    Of the best passage that has such lines. None without a number: any release has a date.
    """
    if not numbers:
        return []
    for rank, passage in enumerate(passages):
        marked = (*_spans(_MARKED, passage.text), *_spans(_DRAWN, passage.text))
        heads = sorted({*_spans_of_headlines(passage.text), *marked})
        signatures = _spans(_SIGNATURE, passage.text)
        for at, (start, end) in enumerate(heads):
            if not numbers <= set(terms(passage.text[start:end], language)):
                continue
            if has_date(passage.text[start:end]):
                return [_line(rank, passage, start, end, language)]
            below = heads[at + 1][0] if at + 1 < len(heads) else len(passage.text)
            for first, last in signatures:
                if end <= first < below and has_date(passage.text[first:last]):
                    return [
                        _line(rank, passage, start, end, language),
                        _line(rank, passage, first, last, language),
                    ]
    return []


def _spans(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    return [mark.span() for mark in pattern.finditer(text)]


def _spans_of_headlines(text: str) -> list[tuple[int, int]]:
    found = headlines_in(text)
    return list(zip(found.starts, found.ends, strict=True))


def _line(rank: int, passage: PassageText, start: int, end: int, language: str | None) -> Quotable:
    text = clean(passage.text[start:end].strip("#*= "))
    begin = passage.start + start
    return Quotable(rank, 0, passage.document, begin, passage.start + end, text, tuple(terms(text, language)))
