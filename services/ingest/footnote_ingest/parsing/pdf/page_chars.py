"""Asks PDFium about single characters of a page: where they stand, how large they are and in which font."""

import ctypes
import math
from itertools import accumulate, islice

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from footnote_ingest.parsing.pdf.font_programs import font_by_program, is_counted
from footnote_ingest.parsing.pdf.fonts import Font, font_named
from footnote_ingest.parsing.pdf.lines import turned_back
from footnote_ingest.parsing.pdf.raised import CharPlace
from footnote_ingest.parsing.pdf.underscores import Letter

_FONT_NAME_BYTES = 128

LEAST_SIZE = 2.0
"""A font that says to be smaller than this many points is drawn letter by letter (Type 3) and has no size."""

_SLANT = 1.5
"""A line that goes up or down by this many degrees is slanted."""

_SPACES_LOOKED_AT = 12
"""How many spaces of a page tell whether it draws them."""

TALL_SHARE = 0.7
"""How tall a tall letter is, in sizes of its font."""


_ABOVE, _NEAR = 2.0, 6.0
"""A letter beside a rule on its base line is looked for this many points above the rule, in a box so wide."""

_LAST_OF_ONE = "\uffff"
"""A character behind this one takes two places in UTF-16, in which PDFium counts: letters of formulas do."""


def places_in_utf_16(text: str) -> list[int]:
    """Where each character begins in UTF-16, and where the text ends; empty if Python counts as that."""
    if text.isascii() or max(text) <= _LAST_OF_ONE:
        return []
    return [0, *accumulate(1 + (char > _LAST_OF_ONE) for char in text)]


class PageChars:
    """The characters of a page, by their places in its text.

    Each question costs a microsecond or two, and a page has thousands of characters, so ask as few as you
    can. `upright` is the angle of the page's text, in degrees.
    """

    def __init__(self, text_page: pdfium.PdfTextPage, text: str) -> None:
        self._page = text_page.raw
        self._text = text
        self._places = places_in_utf_16(text)
        self._counts_as_text = text_page.count_chars() == (self._places[-1] if self._places else len(text))
        self._x, self._y, self._left, self._right, self._bottom, self._top = (
            ctypes.c_double() for _ in range(6)
        )
        self._red, self._green, self._blue, self._alpha = (ctypes.c_uint() for _ in range(4))
        self._matrix = raw.FS_MATRIX()
        self._flags = ctypes.c_int()
        self._name = ctypes.create_string_buffer(_FONT_NAME_BYTES)
        self._fonts: dict[bytes, Font] = {}
        self._box = raw.FS_RECTF()
        self.upright = 0

    def _height(self, at: int) -> tuple[float, float]:
        base = self._origin(at, self.upright)[1]
        if self.upright:
            return base, base
        self._extent(at)
        return base, self._bottom.value

    def _whole_place(self, at: int) -> CharPlace:
        base, bottom = self._height(at)
        left, right = self._extent(at)
        size = self._font_size(at) * self.matrix(at)[1]
        if size < LEAST_SIZE:
            size = abs(self._top.value - self._bottom.value) / TALL_SHARE
        slant = math.degrees(math.atan2(self._matrix.b, self._matrix.a)) - self.upright
        return CharPlace(left, right, base, bottom, size, level=abs((slant + 180) % 360 - 180) < _SLANT)

    def draws_spaces(self) -> bool:
        """Whether the page has spaces of its own; PDFium finds the others by the room between letters."""
        first = islice((at for at, char in enumerate(self._text) if char == " "), _SPACES_LOOKED_AT)
        return any(not raw.FPDFText_IsGenerated(self._page, self._char(at)) for at in first)

    def _place(self, at: int) -> tuple[float, float, float]:
        char = self._char(at)
        raw.FPDFText_GetLooseCharBox(self._page, char, self._box)
        size = self._font_size(at)
        # A font that is scaled by its matrix says another size than it is drawn in.
        return (
            self._box.left,
            self._box.right,
            size if size >= LEAST_SIZE else self._box.top - self._box.bottom,
        )

    def _advance(self, at: int) -> float:
        """How far the next character begins behind a character."""
        return self._origin(at + 1, self.upright)[0] - self._origin(at, self.upright)[0]

    def _char(self, at: int) -> int:
        if self._places:
            at = self._places[at]
        return at if self._counts_as_text else int(raw.FPDFText_GetCharIndexFromTextIndex(self._page, at))

    def _font_size(self, at: int) -> float:
        return abs(float(raw.FPDFText_GetFontSize(self._page, self._char(at))))

    def matrix(self, at: int) -> tuple[int, float]:
        """The angle of a character, to the next right angle, and the scale of its font."""
        char = self._char(at)
        if not raw.FPDFText_GetMatrix(self._page, char, self._matrix):
            return 0, 1.0
        # A font of a negative size stands on its head, and a program turns it back by the matrix.
        if self._matrix.a <= 0 and raw.FPDFText_GetFontSize(self._page, char) < 0:
            self._matrix.a, self._matrix.b = -self._matrix.a, -self._matrix.b
        angle = round(math.degrees(math.atan2(self._matrix.b, self._matrix.a)) / 90) % 4 * 90
        return angle, math.hypot(self._matrix.c, self._matrix.d) or 1.0

    def font_name(self, at: int) -> str:
        """The name of the font of a character, with what a program put before it; empty without one."""
        raw.FPDFText_GetFontInfo(self._page, self._char(at), self._name, _FONT_NAME_BYTES, self._flags)
        return self._name.value.decode("utf-8", "replace")

    def _font_of(self, at: int) -> Font:
        char = self._char(at)
        raw.FPDFText_GetFontInfo(self._page, char, self._name, _FONT_NAME_BYTES, self._flags)
        name = self._name.value
        if name not in self._fonts:
            told = name.decode("utf-8", "replace")
            described = font_by_program(self._page, char) if is_counted(told) else None
            self._fonts[name] = described or font_named(told, self._flags.value)
        return self._fonts[name]

    def _colour(self, at: int) -> int:
        """The colour of a character, as a number of red, green and blue; 0 is black."""
        parts = self._red, self._green, self._blue, self._alpha
        if not raw.FPDFText_GetFillColor(self._page, self._char(at), *parts):
            return 0
        return int(self._red.value << 16 | self._green.value << 8 | self._blue.value)

    def _origin(self, at: int, turn: int) -> tuple[float, float]:
        """Where a character begins on its base line, on the page turned so that this angle is upright."""
        if not raw.FPDFText_GetCharOrigin(self._page, self._char(at), self._x, self._y):
            return 0.0, 0.0
        return turned_back(self._x.value, self._y.value, turn)

    def letter_near(self, x: float, y: float, step: int) -> Letter | None:
        """The letter that is drawn near a place of a page that is not turned; None without one.

        Of a space there it is the letter before it (-1) or behind it (1).
        """
        char = int(raw.FPDFText_GetCharIndexAtPos(self._page, x, y + _ABOVE, _NEAR, _NEAR))
        at = int(raw.FPDFText_GetTextIndexFromCharIndex(self._page, char)) if char >= 0 else -1
        if self._places or at < 0:
            return None
        at += step if self._text[at : at + 1] == " " else 0
        if not 0 <= at < len(self._text):
            return None
        left, right = self._extent(at)
        size = self._font_size(at) * self.matrix(at)[1]
        return at, left, right, self._origin(at, 0)[1], size

    def _extent(self, at: int) -> tuple[float, float]:
        """From where to where a character reaches along the line."""
        raw.FPDFText_GetCharBox(self._page, self._char(at), self._left, self._right, self._bottom, self._top)
        if not self.upright:
            return self._left.value, self._right.value
        one = turned_back(self._left.value, self._bottom.value, self.upright)[0]
        other = turned_back(self._right.value, self._top.value, self.upright)[0]
        return min(one, other), max(one, other)
