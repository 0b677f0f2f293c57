"""Fonts of one width without a name that tells it, as those that dvips draws letter by letter (Type 3)."""

import re
from collections.abc import Callable

from footnote_ingest.parsing.pdf.fonts import Font

_NARROW, _WIDE = re.compile(r"[fijlrt.,:;'!|()](?=\S)"), re.compile(r"[abdeghkmnopquvwxyzA-HK-Z0-9](?=\S)")
_SAME_WIDTH = 0.9
"""The narrow characters of a font of one width take as much room as the wide ones, to this factor."""

_LEAST_ASCII = 0.9
"""This share of a line is ASCII: Latin letters in a font of Chinese or Japanese are of one width, too."""


_LEAST_ROOM = 0.5
"""A line has columns if its characters take the room of this many more than there are."""

_MOST_BLANKS = 200
_PAIR, _GAP = re.compile(r"\S\S"), re.compile(r"\s+")


def char_width(text: str, first: int, place_of: Callable[[int], float]) -> float:
    """How wide each character of a line is, by two beside each other; 0.0 without any."""
    pair = _PAIR.search(text)
    if pair is None:
        return 0.0
    begin = first + pair.start()
    return place_of(begin + 1) - place_of(begin)


def laid_out(text: str, first: int, place_of: Callable[[int], float], width: float) -> str:
    """A line in a font of one width with as many blanks between its words as they take room.

    `place_of` tells where along the line the character at a place of the page's text begins, and `width` how
    wide each is; the line begins at `first`. Empty if one blank stands in each gap, or if the width is 0.
    """
    if width <= 0 or _GAP.search(text) is None:
        return ""
    room = place_of(first + len(text) - 1) - place_of(first)
    if not _LEAST_ROOM <= room / width - (len(text) - 1) <= _MOST_BLANKS:
        return ""
    parts: list[str] = []
    done = 0
    for gap in _GAP.finditer(text):
        steps = (place_of(first + gap.end()) - place_of(first + gap.start() - 1)) / width
        parts += [text[done : gap.start()], " " * max(1, round(steps) - 1)]
        done = gap.end()
    return "".join(parts) + text[done:]


class FixedWidth:
    """Tells of lines whether their letters are of one width.

    `font_of` and `advance_of` tell the font of a place in the page's text, and how far behind its character
    the next one begins.
    """

    def __init__(self, font_of: Callable[[int], Font], advance_of: Callable[[int], float]) -> None:
        self._font_of = font_of
        self._advance_of = advance_of

    def holds(self, text: str, first: int) -> bool:
        """Whether a line, which begins at `first`, is in a font of one width without a name.

        Its first and last narrow and wide characters tell it: in a sentence they are seldom all of a name.
        """
        wide = [found.start() for found in _WIDE.finditer(text)]
        narrow = [found.start() for found in _NARROW.finditer(text)]
        if not narrow or not wide or sum(map(str.isascii, text)) < _LEAST_ASCII * len(text):
            return False
        places = {first + at for at in (narrow[0], narrow[-1], wide[0], wide[-1])}
        fonts = {self._font_of(place) for place in places}
        if len(fonts) > 1 or not all(font.unnamed for font in fonts):
            return False
        advances = [self._advance_of(place) for place in places]
        return 0 < _SAME_WIDTH * max(advances) <= min(advances)
