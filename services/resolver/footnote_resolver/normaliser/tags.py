"""HTML tags, comments and autolinks, as CommonMark has them."""

import re
from dataclasses import dataclass
from enum import Enum

from footnote_resolver.normaliser.regions import (
    CLOSED,
    DEAD,
    OPEN,
    Closing,
    RegionState,
    Until,
    past,
)
from footnote_resolver.normaliser.window import HOLD, SEND, Wait

_COMMENT = Closing(re.compile(r"-->|\n"), "-->", 2)
_INSTRUCTION = Closing(re.compile(r"\?>|\n"), "?>", 1)
_CHARACTERS = Closing(re.compile(r"\]\]>|\n"), "]]>", 2)
_DECLARATION = Closing(re.compile(r">|\n"), ">", 0)
_ELEMENTS = {
    name: Closing(re.compile(rf"</{name}|\n", re.IGNORECASE), f"</{name}", len(name) + 1)
    for name in ("code", "kbd", "math", "pre", "samp", "script", "style", "svg", "tt", "var")
}
_BLOCKS = ("pre", "script", "style")
"""Elements that go on over blank lines, if they begin a line."""


class _Tag(Enum):
    NAME = 0
    ADDRESS = 1
    ATTRIBUTES = 2
    VALUE = 3
    BARE = 4
    DOUBLE = 5
    SINGLE = 6
    QUOTED = 7
    SLASH = 8


_TAG_RUNS = {
    _Tag.NAME: re.compile(r"[A-Za-z0-9+.\-]*+"),
    _Tag.ADDRESS: re.compile(r"[^\s<>]*+"),
    _Tag.ATTRIBUTES: re.compile(r"[A-Za-z0-9_.:\- \t\r]*+"),
    _Tag.VALUE: re.compile(r"[ \t\r]*+"),
    _Tag.BARE: re.compile(r"[^\s\"'=<>`]*+"),
    _Tag.DOUBLE: re.compile(r'[^"\n]*+'),
    _Tag.SINGLE: re.compile(r"[^'\n]*+"),
    _Tag.QUOTED: re.compile(""),
    _Tag.SLASH: re.compile(""),
}
_AFTER: dict[tuple[_Tag, str], _Tag] = {
    (_Tag.NAME, ":"): _Tag.ADDRESS,
    (_Tag.NAME, "@"): _Tag.ADDRESS,
    **{(part, blank): _Tag.ATTRIBUTES for part in (_Tag.NAME, _Tag.BARE, _Tag.QUOTED) for blank in " \t\r"},
    **{(part, "/"): _Tag.SLASH for part in (_Tag.NAME, _Tag.QUOTED, _Tag.ATTRIBUTES)},
    (_Tag.ATTRIBUTES, "="): _Tag.VALUE,
    (_Tag.VALUE, '"'): _Tag.DOUBLE,
    (_Tag.VALUE, "'"): _Tag.SINGLE,
    (_Tag.DOUBLE, '"'): _Tag.QUOTED,
    (_Tag.SINGLE, "'"): _Tag.QUOTED,
}
_MAY_END = (_Tag.NAME, _Tag.ADDRESS, _Tag.ATTRIBUTES, _Tag.BARE, _Tag.QUOTED, _Tag.SLASH)
_LONGEST_NAME = 8


@dataclass(slots=True)
class Tag:
    """An HTML tag or an autolink, from behind its `<` or `</`."""

    closes: bool
    at_line_start: bool = False
    whole: bool = False
    name: str = ""
    _part: _Tag = _Tag.NAME

    def take(self, text: str, i: int, stop: int, ended: bool) -> tuple[int, RegionState]:
        while True:
            end = past(_TAG_RUNS[self._part], text, i, stop)
            if self._part is _Tag.NAME:
                self.name = (self.name + text[i:end])[: _LONGEST_NAME + 1]
            if end == stop:
                return end, OPEN
            mark = text[end]
            if mark == "\n":
                if self._part in (_Tag.NAME, _Tag.BARE, _Tag.QUOTED):
                    self._part = _Tag.ATTRIBUTES
                return end, DEAD if self._part in (_Tag.ADDRESS, _Tag.SLASH) else OPEN
            if mark == ">" and self._part in _MAY_END:
                return end + 1, CLOSED
            if self._part is _Tag.VALUE and mark not in "\"'=<>`":
                self._part, i = _Tag.BARE, end
                continue
            if (self._part, mark) not in _AFTER:
                return end, DEAD
            self._part, i = _AFTER[self._part, mark], end + 1

    def content(self) -> Until | None:
        """The region that this tag opens, if the content of its element is code."""
        closing = _ELEMENTS.get(self.name.lower())
        if closing is None or self.closes or self._part is _Tag.SLASH:
            return None
        return Until(closing, whole=self.at_line_start and self.name.lower() in _BLOCKS)


_COMMENT_MARK = "<!--"
_CHARACTERS_MARK = "<![CDATA["


def tag_at(text: str, i: int, *, ended: bool, at_line_start: bool) -> tuple[str, Until | Tag | None] | Wait:
    """What the `<` at `i` begins: an opening mark with the region behind it, or with None if there is none.

    A comment that begins a line is a block of its own and may hold blank lines.
    """
    sign = text[i : i + len(_COMMENT_MARK)]
    behind = sign[1:2]
    if not ended and sign in ("<", "</", "<!", "<!-"):
        return SEND
    if sign == _COMMENT_MARK:
        return sign, Until(_COMMENT, whole=at_line_start)
    begun = text[i : i + len(_CHARACTERS_MARK)]
    if begun == _CHARACTERS_MARK:
        return begun, Until(_CHARACTERS)
    if not ended and _CHARACTERS_MARK.startswith(begun):
        # From its bracket on it may be a citation, and no token goes out in pieces.
        return HOLD
    if behind == "?":
        return "<?", Until(_INSTRUCTION)
    if _is_letter(behind):
        return "<", Tag(closes=False, at_line_start=at_line_start)
    if behind in ("/", "!"):
        if not _is_letter(sign[2:3]):
            return sign[:2], None
        return sign[:2], Tag(closes=True) if behind == "/" else Until(_DECLARATION)
    return "<", None


def _is_letter(character: str) -> bool:
    return character.isascii() and character.isalpha()
