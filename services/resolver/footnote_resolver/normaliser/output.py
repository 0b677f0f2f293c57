"""The text put out so far: what its end means for what follows, and the few characters at its end that may yet go."""

import re
from typing import Literal

from footnote_resolver.normaliser.blocks import LONGEST_HEAD, could_open
from footnote_resolver.normaliser.markers import could_be_inside
from footnote_resolver.normaliser.spacing import (
    CITATION,
    OPENING,
    Left,
    closes_empty,
    gap_start,
    is_separator,
    settle,
    without_opening,
)

Edge = Literal["", "syntax", "escaped", "index", "url"]
"""What the text ends with: a lone mark of syntax, an escaped character, an index, a bare url, or nothing special."""

TAIL = 40
"""So much of the text's end is remembered: enough for a word or the beginning of a url."""

_calculates = re.compile(r"[\\^_{}=+*<>]")


class Output:
    """One per message. Reads its state off its own text alone."""

    __slots__ = (
        "_after",
        "_ahead",
        "_before",
        "_pieces",
        "angle",
        "citations",
        "depth",
        "dropped",
        "edge",
        "formula",
        "gap",
        "inside",
        "line",
        "line_from",
        "tail",
        "token",
    )

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._ahead = 0
        self._before = ""
        self._after = ""
        self.citations: list[int] = []
        """The numbers in what the next `take` returns."""
        self.gap = ""
        """Held back: the characters that a dropped citation takes along, if one comes next."""
        self.dropped = False
        """A citation was dropped here, and what stays of the spaces around it is not decided."""
        self.tail = ""
        self.edge: Edge = ""
        self.token: int | None = None
        """The number of the citation that the text ends with."""
        self.line: str | None = ""
        """The line so far, for as long as it may still turn out to open a block; its text begins at `line_from`."""
        self.line_from = 0
        self.depth = 0
        """Square brackets open on this line."""
        self.inside = 0
        """Brackets open with nothing in them so far that a citation could not hold."""
        self.angle = False
        """A `<` that may become a tag, if something goes."""
        self.formula: Literal["", "formula", "price"] = ""
        """A dollar sign stands open on this line; before a digit it is a price until something makes it a formula."""

    @property
    def fresh(self) -> bool:
        """Nothing but indentation and container marks on this line."""
        return self.line is not None and len(self.line) == self.line_from

    @property
    def calm(self) -> bool:
        """Ordinary text now would change nothing but the tail and the gap."""
        undecided = self.dropped or self.edge or self.inside or self._ahead or self.formula == "price"
        return not undecided and self.token is None and self.line is None

    @property
    def held(self) -> int:
        return len(self.gap) + len(self._before) + len(self._after) - self._ahead

    def take(self) -> str:
        """What has been put out since the last call."""
        text = "".join(self._pieces)
        self._pieces.clear()
        return text

    def put(self, text: str, edge: Edge = "") -> None:
        """Text to the letter, behind the gap."""
        self._add(self.gap + text)
        self.gap, self.edge, self.inside = "", edge, 0

    def prose(self, text: str) -> None:
        """Ordinary text: all but the gap at its end."""
        if self.inside and not could_be_inside(text):
            self.inside = 0
        text = self.gap + text
        start = gap_start(text)
        if self._ahead:
            start = max(start, min(self._ahead, len(text)))
        self.gap = text[start:]
        if start:
            self._add(text[:start])

    def bracket(self, text: str, edge: Edge = "") -> None:
        """A square bracket, or a pair with its content, that is left standing."""
        inside = self.inside + sum(mark in "[【［" for mark in text) - sum(mark in "]】］" for mark in text)
        self.put(text, edge)
        self.inside = max(0, inside)

    def early(self, text: str) -> None:
        """Send text that is to be read again later, when it is known what it means."""
        self.flush()
        self._pieces.append(text[self._ahead :])
        self._ahead = len(text)

    def cite(self, numbers: list[int]) -> None:
        self._stand("".join(f"[citation:{n}]" for n in numbers))
        self.citations += numbers
        self.token = numbers[-1]

    def elide(self, mark: str) -> None:
        """Put a mark where a citation is dropped and must not leave nothing."""
        self._stand(mark)

    def drop(self) -> None:
        self._before, self._after, self.gap, self.dropped = self.joint(), "", "", True

    def joint(self) -> str:
        """What will stand between the text and a citation that comes now."""
        if self.dropped:
            return self._settled(CITATION)
        swallows = self.edge == "url" or (self.edge == "syntax" and self.tail[-1:] == "\\")
        return self.gap or (" " if swallows else "")

    def absorb(self, character: str) -> bool:
        """After a dropped citation: take the character into what is to be settled. False if it is not of that kind."""
        if is_separator(self._after + character):
            self._after += character
            return True
        if closes_empty(self._before, character):
            self._before, self._after = without_opening(self._before), ""
            return True
        return False

    def settle(self, right: str) -> None:
        """Decide the spaces around what was dropped, now that the next character is known; "" at the end of the text."""
        kept = self._settled(right)
        self._before, self._after, self.dropped = "", "", False
        if right and right in OPENING:
            self.gap = kept
        elif kept:
            self._add(kept)

    def flush(self) -> None:
        """Put out the gap: no citation comes behind it."""
        if self.gap:
            self._add(self.gap)
            self.gap = ""

    def new_line(self) -> None:
        self._send(self.gap + "\n")
        self.gap, self.edge, self.inside, self.token = "", "", 0, None
        self.tail, self.line, self.line_from = "", "", 0
        self.depth, self.formula = 0, ""

    def _settled(self, right: str) -> str:
        return settle(self._before, self._after, left=self._left(), last=self.tail[-1:], right=right)

    def _left(self) -> Left:
        if self.fresh:
            return "line"
        if self.token is not None:
            return "token"
        if self.edge == "syntax":
            return "syntax"
        return "url" if self.edge == "url" else "text"

    def _stand(self, text: str) -> None:
        text = self.joint() + text
        self._before, self._after, self.gap, self.dropped = "", "", "", False
        self._add(text)
        self.inside = 0

    def _send(self, text: str) -> None:
        if self._ahead:
            known = min(self._ahead, len(text))
            self._ahead -= known
            text = text[known:]
        self._pieces.append(text)

    def _add(self, text: str) -> None:
        self._send(text)
        self.tail = (self.tail + text)[-TAIL:]
        self.token, self.edge = None, ""
        if self.formula == "price" and _calculates.search(text):
            self.formula = "formula"
        if self.line is not None:
            line = self.line + text
            self.line = line if len(line) <= LONGEST_HEAD and could_open(line[self.line_from :]) else None
