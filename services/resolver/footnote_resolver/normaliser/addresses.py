"""The addresses that a model gives for a citation behind a colon, as in `[1]: https://a.b/c`."""

import re
from dataclasses import dataclass

from footnote_resolver.normaliser.regions import CLOSED, OPEN, Region, RegionState, Rest, past
from footnote_resolver.normaliser.window import HOLD, Wait, Window

_SCHEMES = "about|blob|data|file|ftps?|https?|javascript|mailto|sms|tel|urn|vbscript|view-source"
ADDRESS = (
    rf"(?:(?:{_SCHEMES}):[^\s]|[A-Za-z][A-Za-z0-9+.\-]*://|//[^\s/]|www\.|(?:[\w\-]+\.)+[A-Za-z]{{2,}}/)"
)
"""How an address begins: with its scheme, or with the name of a host and a slash."""
_FURTHEST = 20
"""So far behind the colon it must be clear what stands there."""
_blanks = re.compile(r"[ \t]*+")
_word = re.compile(r"[^\s\u3000-\u303f\uff00-\uffef]*+")
_address = re.compile(ADDRESS, re.IGNORECASE)


@dataclass(slots=True)
class Word:
    """An address: to white space, or to the punctuation of Chinese and Japanese."""

    whole: bool = False

    def take(self, text: str, i: int, stop: int, ended: bool) -> tuple[int, RegionState]:
        end = past(_word, text, i, stop)
        return end, CLOSED if end < stop or ended else OPEN


@dataclass(frozen=True, slots=True)
class Address:
    """An address that begins at `start`, and the region that it fills."""

    start: int
    rest: Region


def read_address(text: str, i: int, window: Window) -> Address | Wait | None:
    """Read the address that stands at `i` or behind blanks; None if it is none.

    As much of it must be seen as makes it one, or the whole word.
    """
    stop = min(window.stop, i + _FURTHEST)
    start = past(_blanks, text, i, stop)
    angle = text[start : start + 1] == "<" and start < stop
    begins = start + angle
    if _address.match(text, begins, stop):
        return Address(start, Rest(">") if angle else Word())
    if past(_word, text, begins, stop) == window.stop and window.more:
        return HOLD
    return None
