"""Fonts of one width without a name that tells it, as those that dvips draws letter by letter (Type 3)."""

import re
from collections.abc import Callable

from footnote_ingest.parsing.pdf.fonts import Font

_NARROW, _WIDE = "ijl", re.compile(r"[abdeghkmnopquvwxyzA-HK-Z]")
_SAME_WIDTH = 0.9
"""The narrow letters of a font of one width are as wide as the wide ones, to this factor."""

_LEAST_ASCII = 0.9
"""This share of a line is ASCII: Latin letters in a font of Chinese or Japanese are of one width, too."""


class FixedWidth:
    """Tells of lines whether their letters are of one width.

    `font_of` and `width_of` tell the font of a place in the page's text, and how wide its letter is.
    """

    def __init__(self, font_of: Callable[[int], Font], width_of: Callable[[int], float]) -> None:
        self._font_of = font_of
        self._width_of = width_of

    def holds(self, text: str, first: int) -> bool:
        """Whether a line, which begins at `first`, is in a font of one width without a name.

        The first wide letter and the last narrow one tell it: in a sentence they are seldom both of a name.
        """
        wide = _WIDE.search(text)
        narrow = max(map(text.rfind, _NARROW))
        if narrow < 0 or wide is None or sum(map(str.isascii, text)) < _LEAST_ASCII * len(text):
            return False
        places = first + narrow, first + wide.start()
        fonts = {self._font_of(place) for place in places}
        if len(fonts) > 1 or not all(font.unnamed for font in fonts):
            return False
        one, other = map(self._width_of, places)
        return one > 0 and other > 0 and one >= _SAME_WIDTH * other
