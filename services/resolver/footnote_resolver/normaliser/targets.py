"""The targets of links: `(url)` or `(url "title")`, as CommonMark has them, but on one line."""

import re
from dataclasses import dataclass
from enum import Enum

from footnote_resolver.normaliser.regions import CLOSED, DEAD, OPEN, RegionState, past


class _Aim(Enum):
    START = 0
    PLACE = 1
    ANGLE = 2
    GAP = 3
    DOUBLE = 4
    SINGLE = 5
    PARENTHESIS = 6
    END = 7


_blanks = re.compile(r"[ \t]*+")
_AIM_RUNS = {
    _Aim.START: _blanks,
    _Aim.PLACE: re.compile(r"[^\s()<>`\\]*+"),
    _Aim.ANGLE: re.compile(r"[^<>\n]*+"),
    _Aim.GAP: _blanks,
    _Aim.DOUBLE: re.compile(r'[^"\n]*+'),
    _Aim.SINGLE: re.compile(r"[^'\n]*+"),
    _Aim.PARENTHESIS: re.compile(r"[^()\n]*+"),
    _Aim.END: _blanks,
}
_DEEPEST = 8
_TITLES = {'"': _Aim.DOUBLE, "'": _Aim.SINGLE, "(": _Aim.PARENTHESIS}
_TITLE_ENDS = {(_Aim.DOUBLE, '"'), (_Aim.SINGLE, "'"), (_Aim.PARENTHESIS, ")")}


@dataclass(slots=True)
class Target:
    """The target of a link, from behind its opening parenthesis."""

    whole: bool = True
    _aim: _Aim = _Aim.START
    _depth: int = 0
    _square: int = 0
    _escaped: bool = False

    @property
    def closed(self) -> bool:
        return self._depth < 0

    def take(self, text: str, i: int, stop: int, ended: bool) -> tuple[int, RegionState]:
        while i < stop:
            if self._escaped:
                self._escaped = False
                if text[i].isspace():
                    return i, DEAD
                i += 1
                continue
            start, i = i, past(_AIM_RUNS[self._aim], text, i, stop)
            self._square += text.count("[", start, i) - text.count("]", start, i)
            if i == stop:
                break
            after = self._after(text[i])
            if after is None:
                return i, DEAD
            i += after
            if self.closed:
                return i, CLOSED if self._square == 0 else DEAD
        return i, OPEN

    def _after(self, mark: str) -> int | None:
        """Read the mark behind the current part: its length, or None if it may not stand there."""
        aim = self._aim
        if aim is _Aim.START:
            self._aim = _Aim.ANGLE if mark == "<" else _Aim.PLACE
            return 1 if mark == "<" else 0
        if aim is _Aim.PLACE:
            return self._in_place(mark)
        if aim is _Aim.ANGLE and mark == ">":
            self._aim = _Aim.GAP
        elif aim is _Aim.GAP and mark in _TITLES:
            self._aim = _TITLES[mark]
        elif (aim, mark) in _TITLE_ENDS:
            self._aim = _Aim.END
        elif aim in (_Aim.GAP, _Aim.END) and mark == ")":
            self._depth = -1
        else:
            return None
        return 1

    def _in_place(self, mark: str) -> int | None:
        if mark == "(" and self._depth < _DEEPEST:
            self._depth += 1
        elif mark == ")":
            self._depth -= 1
        elif mark == "\\":
            self._escaped = True
        elif mark in " \t" and self._depth == 0:
            self._aim = _Aim.GAP
            return 0
        else:
            return None
        return 1
