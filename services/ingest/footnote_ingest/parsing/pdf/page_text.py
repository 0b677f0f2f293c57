"""The text of a PDF page as a person reads it: accents, signs, gaps and raised numbers in place."""

import re
from collections.abc import Callable

from footnote_ingest.parsing.elements import one_line
from footnote_ingest.parsing.pdf.accents import with_accents
from footnote_ingest.parsing.pdf.cork import without_ligatures
from footnote_ingest.parsing.pdf.math_signs import with_signs
from footnote_ingest.parsing.pdf.raised import CharPlaceOf, HeightOf, RaisedRun, RaisedRuns, raised_runs
from footnote_ingest.parsing.pdf.word_gaps import PlaceOf, with_spaces, word_gaps

HYPHEN = "\ufffe"
"""What PDFium puts where a word was hyphenated at the end of a line."""

_SOFT_HYPHEN = "\u00ad"
_BULLET = re.compile("^[\uf020-\uf0ff](?=\\s+\\S)")
"""A sign of Symbol or Wingdings, which have no places of their own in Unicode, before an item."""

_SIGNS = str.maketrans("\uf0b7\uf0a7\uf0fc\uf0fe\uf0e0\uf0d8", "•▪✓☑→➢")


class PdfPageText:
    """The text of a page, of which any piece can be asked for.

    `is_sign` says of a place in it whether its letter stands for a large sign of a formula.
    """

    def __init__(self, text: str, is_sign: Callable[[int], bool]) -> None:
        self._text = text
        self._is_sign = is_sign
        self._gaps: list[int] = []
        self._raised = RaisedRuns(())

    def find_gaps(self, place_of: PlaceOf, *, draws_spaces: bool) -> None:
        """Find the spaces that PDFium has missed."""
        self._gaps = word_gaps(self._text, place_of, draws_spaces=draws_spaces)

    def find_raised(self, height_of: HeightOf, place_of: CharPlaceOf) -> None:
        """Find the raised and lowered numbers, which would be read as a part of what they stand beside."""
        self._raised = RaisedRuns(raised_runs(self._text, height_of, place_of))

    def raised_at(self, place: int) -> RaisedRun | None:
        """The raised or lowered number that begins at a place; None if none does."""
        return self._raised.at(place)

    def shown(self, text: str, first: int) -> str:
        """A piece of the text, which begins at `first`, as a person reads it."""
        return with_accents(self.plain(text, first))

    def plain(self, text: str, first: int) -> str:
        """The same without accents on letters, as it is right for code."""
        text = with_signs(text, lambda at: self._is_sign(first + at))
        parts: list[str] = []
        at = 0
        for run in self._raised.within(first, first + len(text)):
            parts += [with_spaces(text[at : run.start - first], first + at, self._gaps), run.written]
            at = run.end - first
        return _clean("".join(parts) + with_spaces(text[at:], first + at, self._gaps))


def _clean(text: str) -> str:
    # Whatever a page draws is seen: some fonts call their hyphen a soft one, which is seen nowhere else.
    text = without_ligatures(text.replace(_SOFT_HYPHEN, "-"))
    if not text.isascii():
        text = _BULLET.sub("•", text).translate(_SIGNS)
    return f"{one_line(text[:-1])}-" if text.endswith(HYPHEN) else one_line(text)
