"""The text that was put out: what its end means for what follows, and the few characters that may yet go."""

import re
from typing import Literal

from footnote_resolver.normaliser.blocks import LONGEST_HEAD, Head, could_open
from footnote_resolver.normaliser.brackets import depth_after
from footnote_resolver.normaliser.markers import could_be_inside, is_digit
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
"""What the text ends with: a lone mark of syntax, an escaped character, an index, a url, or other text."""

TAIL = 48
"""This much of the text's end is remembered: enough for a word or the beginning of a url."""

_gloss = re.compile(r"\[citation:[0-9]+\]:[ \t]*+[^\s\[\]]*\Z")
_calculates = re.compile(r"[\\^_{}=+*<>]")


class Output:
    """The output of one message. Its state is what a reader of its own text would see.

    Who puts text out calls one of its methods and changes no field.
    """

    __slots__ = (
        "_after",
        "_ahead",
        "_before",
        "_citations",
        "_leads",
        "_merged",
        "_pieces",
        "angle",
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
        self._citations: list[int] = []
        self._ahead = 0
        self._before = ""
        self._after = ""
        self._merged = False
        self._leads = False
        self.gap = ""
        """What is held back: the characters that a dropped citation takes along, if one comes next."""
        self.dropped = False
        """A citation was dropped here, and it is open which spaces around it stay."""
        self.tail = ""
        self.edge: Edge = ""
        self.token: int | None = None
        """The number of the citation that the text ends with."""
        self.line: str | None = ""
        """The line so far, while it may still open a block; its text begins at `line_from`."""
        self.line_from = 0
        self.depth = 0
        """Square brackets open on this line."""
        self.inside = 0
        """Brackets open that hold only what a citation could hold."""
        self.angle = False
        """There is a `<` that may become a tag, if something goes."""
        self.formula: Literal["", "formula", "price"] = ""
        """A dollar sign is open on this line; a price before a digit, until a sign makes it a formula."""

    @property
    def fresh(self) -> bool:
        """Whether the line holds only indentation and container marks."""
        return self.line is not None and len(self.line) == self.line_from

    @property
    def cites(self) -> bool:
        """Whether a resolved citation ends here: its token, or the token that it became one with."""
        if self.dropped:
            return self._merged and not self._after
        return self.token is not None and not self.gap

    @property
    def would_gloss(self) -> bool:
        """Whether a colon that comes now would stand directly behind a token."""
        return self.token is not None and not (self._settled(":") if self.dropped else self.gap)

    @property
    def leads(self) -> bool:
        """Whether the token that the text ends with is all that the line holds."""
        return self.token is not None and self._leads

    @property
    def glosses(self) -> bool:
        """Whether the text ends with a token, a colon, and what may yet become an address."""
        return _gloss.search(self.tail + self.joint()) is not None

    @property
    def calm(self) -> bool:
        """Whether ordinary text would change nothing but the tail and the gap."""
        undecided = self.dropped or self.edge or self.inside or self._ahead or self.formula == "price"
        return not undecided and self.token is None and self.line is None

    @property
    def held(self) -> int:
        """Characters that are held back here."""
        return len(self.gap) + len(self._before) + len(self._after) - self._ahead

    def take(self) -> str:
        """Return what has been put out since the last call."""
        text = "".join(self._pieces)
        self._pieces.clear()
        return text

    def take_citations(self) -> tuple[int, ...]:
        """Return the numbers of the tokens since the last call."""
        if not self._citations:
            return ()
        numbers = tuple(self._citations)
        self._citations.clear()
        return numbers

    def put(self, text: str, edge: Edge = "") -> None:
        """Put out text to the letter, behind the gap."""
        self._add(self.gap + text)
        self.gap, self.edge, self.inside = "", edge, 0

    def prose(self, text: str) -> None:
        """Put out ordinary text, all but the gap at its end."""
        if self.inside and not could_be_inside(text):
            self.inside = 0
        text = self.gap + text
        start = gap_start(text)
        if self._ahead:
            start = max(start, min(self._ahead, len(text)))
        self.gap = text[start:]
        if start:
            self._add(text[:start])

    def open_brackets(self, run: str) -> None:
        """Put out square brackets that open and begin no citation."""
        inside = self.inside + len(run)
        self.depth += len(run)
        self.put(run)
        self.inside = inside

    def close_bracket(self) -> None:
        """Put out a square bracket that closes and ends no citation."""
        inside = self.inside
        self.depth = max(0, self.depth - 1)
        self.put("]")
        self.inside = max(0, inside - 1)

    def bracket(self, text: str, edge: Edge = "") -> None:
        """Put out a bracket of any kind, or a pair with its content, that is no citation."""
        inside = self.inside + sum(mark in "[【［" for mark in text) - sum(mark in "]】］" for mark in text)
        self.depth = depth_after(text, self.depth)
        self.put(text, edge)
        self.inside = max(0, inside)

    def passage(self, text: str, *, formula: bool) -> None:
        """Put out text with brackets up to the end of a formula or of a link's text."""
        self.depth = depth_after(text, self.depth)
        self.put(text)
        if formula:
            self.formula = ""

    def dollars(self, run: str, behind: str) -> None:
        """Put out dollar signs that display nothing; `behind` is the next character."""
        opened, self.formula = self.formula, ""
        before = (self.tail + self.gap)[-1:]
        if len(run) > 1 or before == "$":
            self.put(run, "syntax")
        elif opened and not before.isspace() and not is_digit(behind):
            self.put("$")
        else:
            self.put("$", "syntax")
            if behind and not behind.isspace():
                self.formula = "price" if is_digit(behind) else "formula"

    def less_than(self, *, may_become_tag: bool) -> None:
        """Put out a `<` that begins no tag."""
        self.put("<", "syntax")
        self.angle = may_become_tag

    def end_tag(self, *, closed: bool) -> None:
        """Note the end of what seemed to be a tag; unless it closed, it may still become one."""
        self.angle = not closed

    def end_url(self) -> None:
        """Note that the text ends with a bare url."""
        self.edge = "url"

    def end_ticks(self) -> None:
        """Note that the backticks at the end of the text open no code."""
        self.edge = "syntax"

    def display(self, mark: str) -> None:
        """Put out the mark of a displayed formula."""
        self.formula = ""
        self.put(mark)

    def keep_apart(self) -> None:
        """Put a space behind a citation before what might become its url."""
        self.gap = " "

    def early(self, text: str) -> None:
        """Send text that is to be read again when it is known what it means."""
        self.flush()
        self._pieces.append(text[self._ahead :])
        self._ahead = len(text)

    def cite(self, numbers: list[int]) -> None:
        """Put out the tokens of these numbers."""
        leads = self.fresh and not self.joint() and len(numbers) == 1
        self._stand("".join(f"[citation:{n}]" for n in numbers))
        self._citations += numbers
        self.token = numbers[-1]
        self._leads = leads

    def elide(self, mark: str) -> None:
        """Put out a mark in place of a dropped citation that must not leave nothing."""
        self._stand(mark)

    def drop(self, *, merged: bool = False, cut: bool = False) -> None:
        """Note that a citation was dropped here, was merged into the one before it, or was cut off."""
        before = without_opening(self.joint()) if cut else self.joint()
        self._before, self._after, self.gap, self.dropped = before, "", "", True
        self._merged = merged

    def joint(self) -> str:
        """What will stand between the text and a citation that comes now."""
        if self.dropped:
            return self._settled(CITATION)
        swallows = self.edge == "url" or (self.edge == "syntax" and self.tail[-1:] == "\\")
        return self.gap or (" " if swallows else "")

    def absorb(self, character: str) -> bool:
        """Take a character behind a dropped citation into what is to be settled, if it is of that kind."""
        if is_separator(self._after + character):
            self._after += character
            return True
        if closes_empty(self._before, character):
            self._before, self._after = without_opening(self._before), ""
            return True
        return False

    def settle(self, right: str) -> None:
        """Decide on the spaces around what was dropped; `right` is the next character, "" at the end."""
        kept = self._settled(right)
        self._before, self._after, self.dropped = "", "", False
        if right and right in OPENING:
            self.gap = kept
        elif kept:
            self._add(kept)

    def flush(self) -> None:
        """Put out the gap, behind which no citation comes."""
        if self.gap:
            self._add(self.gap)
            self.gap = ""

    def pass_by(self, text: str, gap: str = "") -> None:
        """Note calm text that was sent past the output, and what of it is held back."""
        self.tail = (self.tail + text)[-TAIL:]
        self.gap = gap

    def take_gap(self) -> str:
        """Return the gap, and hold it back no more."""
        gap, self.gap = self.gap, ""
        return gap

    def head(self, text: str, line: str, head: Head) -> None:
        """Put out what was not put out yet of a line's head; `line` is all of it."""
        self.line_from = head.length
        if text or self.line:
            self.put(text)
        self.line = line
        if head.opens:
            self.angle = False

    def new_line(self) -> None:
        """Put out the end of the line."""
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
        if self._ahead:
            self._send(text)
        else:
            self._pieces.append(text)
        self.tail = (self.tail + text)[-TAIL:]
        self.token, self.edge = None, ""
        if self.formula == "price" and _calculates.search(text):
            self.formula = "formula"
        if self.line is not None:
            line = self.line + text
            self.line = line if len(line) <= LONGEST_HEAD and could_open(line[self.line_from :]) else None
