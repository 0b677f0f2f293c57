"""The title of the properties as the first page prints it: who types the properties leaves out signs."""

import itertools
import re
from collections.abc import Iterator, Sequence

from footnote_ingest.parsing.pdf.front_page import BULLETS
from footnote_ingest.parsing.pdf.lines import PdfLine

_NOTE_MARK = re.compile(r"(?<=\w)(?:\s?[*\u2217\u2020\u2021]{1,2}|\s[\u00b9\u00b2\u00b3\u2074-\u2079]{1,2})$")
_MOST_LINES = 5
"""A title takes so many lines at most."""

_LEAST_WORDS = 3
"""Of fewer words nobody can tell whether they are the same title."""


def as_printed(own: str, first_page: Sequence[PdfLine]) -> str:
    """A title with the capitals and the marks that the page gives it in its largest letters.

    It has the same letters and digits there, in lines below each other. A word with capitals within it, such
    as "LaTeX", keeps them where the page has it in capitals only, and an apostrophe stays as it was typed. A
    title that is not printed stays.
    """
    wanted = _key(own)
    upright = [line for line in first_page if not (line.turned or line.is_table)]
    printed = [(size, text) for at in range(len(upright)) for size, text in _printed(upright, at, wanted)]
    if not wanted or not printed:
        return own
    ours, shown = own.split(), max(printed, key=lambda one: one[0])[1].split()
    if shown[0] in BULLETS and shown[0] != ours[0]:
        del shown[0]
    if len(ours) != len(shown):
        return own if any(map(_has_capital_within, ours)) else " ".join(shown)
    return " ".join(
        mine if (_has_capital_within(mine) and theirs.isupper()) or _plain(theirs) == mine else theirs
        for mine, theirs in zip(ours, shown, strict=True)
    )


def reworded(own: str, printed: str | None, first_page: Sequence[PdfLine]) -> str:
    """The title that the page prints, if that of the properties is nowhere on it but nearly the same.

    Who changes the words of a title often leaves the properties. Both begin with one word, have as many words
    but for one, and share half of them.
    """
    ours, theirs = own.casefold().split(), (printed or "").casefold().split()
    if min(len(ours), len(theirs)) < _LEAST_WORDS or abs(len(ours) - len(theirs)) > 1 or ours[0] != theirs[0]:
        return own
    if 2 * len(set(ours) & set(theirs)) < max(len(ours), len(theirs)):
        return own
    page = _key(" ".join(line.text for line in first_page))
    return own if printed is None or _key(own) in page else printed


def _printed(lines: Sequence[PdfLine], at: int, wanted: str) -> Iterator[tuple[float, str]]:
    """The lines from a place on that are the title, with their size."""
    said = ""
    for end, line in enumerate(lines[at : at + _MOST_LINES], at + 1):
        said += _key(line.text)
        if said == wanted:
            yield lines[at].size, _NOTE_MARK.sub("", " ".join(one.text for one in lines[at:end]))
            return
        if not said or not wanted.startswith(said):
            return


def _key(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _plain(word: str) -> str:
    return word.replace("\u2019", "'")


def _has_capital_within(word: str) -> bool:
    """Whether a word has a capital behind a small letter."""
    return any(before.islower() and char.isupper() for before, char in itertools.pairwise(word))
