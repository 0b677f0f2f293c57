"""Which markers are rewritten in the place where they stand, and what they become."""

import re
from dataclasses import dataclass
from typing import Literal

from footnote_resolver.normaliser.environments import may_become_environment
from footnote_resolver.normaliser.markers import (
    ALWAYS_CITABLE,
    ELLIPSIS,
    Marker,
    is_digit,
    read,
)
from footnote_resolver.normaliser.output import Edge, Output
from footnote_resolver.normaliser.regions import CLOSED, DEAD
from footnote_resolver.normaliser.report import Highest, Known, Tally
from footnote_resolver.normaliser.sight import Sight
from footnote_resolver.normaliser.spacing import is_separator
from footnote_resolver.normaliser.targets import Target
from footnote_resolver.normaliser.window import HOLD, Wait, Window

_word = re.compile(r"(?<!\w)\w++\Z")
_index_goes_on = re.compile(r" ?=|\.[A-Za-z_]")
_subscript = re.compile(
    r"\[(?:0[0-9]*|-[0-9]+|[A-Za-z](?:[+-][0-9]+)?|\"[^\"\[\]\n]*\"|'[^'\[\]\n]*'|[0-9]*:[0-9]*)\]"
)
"""What stands in brackets in code and in no prose: a variable, a key, a slice, zero."""
_subscript_so_far = re.compile(r"\[(?:[A-Za-z](?:[+-][0-9]*)?|[-0-9:]*|\"[^\"\[\]\n]*\"?|'[^'\[\]\n]*'?)\Z")
_command = re.compile(r"(?:\\[A-Za-z]+\*?|\})\Z")
_LONGEST_SIGN = 2
_BEGIN_SIGNS = (" ", ".")
_url = re.compile(r"[ \t]*<?(?:[A-Za-z][A-Za-z0-9+.\-]*:|www\.|[/#.])")


@dataclass(frozen=True, slots=True)
class Letter:
    """Text that is left to the letter, up to `end`.

    What a look ahead found to be no citation stays up to what it found, so that a second run finds the same.
    """

    end: int
    edge: Edge = ""
    target: bool = False
    """What follows in parentheses stays as well."""
    found: Literal["", "formula", "link"] = ""
    """At `end` the formula ends, or the text of the link, before its bracket."""


Look = Marker | Letter | Wait


def read_target(target: Target, text: str, i: int, window: Window) -> tuple[int, bool | Wait]:
    """Read the parenthesis at `i`: how far, and whether it holds the target of a link.

    What is too long to see whole counts as a target.
    """
    end, state = target.take(text, i + 1, window.stop, window.ended)
    if state is CLOSED or state is DEAD:
        return end, state is CLOSED
    return end, HOLD if window.more else window.full or window.cut


class Citing:
    """Decides on markers by what was put out before them; one per message."""

    def __init__(self, output: Output, sight: Sight, known: Known, highest: Highest, tally: Tally) -> None:
        self._output = output
        self._sight = sight
        self._known = known
        self._highest = highest
        self._tally = tally

    def look(self, text: str, i: int, window: Window) -> Look:
        """Decide on the bracket at `i`: it is a marker to rewrite, or text to leave alone."""
        marker = read(text, i, window)
        if marker is None:
            return Letter(i + 1)
        if isinstance(marker, Wait):
            return marker
        adjacent = not self._output.joint()
        if adjacent and self._output.edge == "index" and marker.as_index:
            return self._further_index(text, marker, window)
        if not marker.wire:
            greatest = max(marker.numbers)
            if greatest > ALWAYS_CITABLE and greatest > self._highest():
                return Letter(marker.end)
        return (
            self._in_formula(text, marker, window)
            or self._in_link_text(text, i, marker, window)
            or self._in_reference(marker, adjacent=adjacent)
            or self._behind(text, marker, window, adjacent=adjacent)
        )

    def cites(self, marker: Marker) -> bool:
        """Whether one of its numbers is known."""
        return any(map(self._known, marker.numbers))

    def rewrite(self, marker: Marker) -> None:
        """Put out the tokens of the known numbers, or drop the marker."""
        out = self._output
        previous = out.token if out.token is not None and is_separator(out.joint()) else None
        tokens: list[int] = []
        resolved = 0
        for n in marker.numbers:
            if not self._known(n):
                self._tally.drop(n)
                continue
            self._tally.resolve(n)
            resolved += 1
            if n != previous:
                tokens.append(n)
            previous = n
        if not marker.numbers:
            self._tally.misread()
        if resolved and (not marker.plain or len(tokens) < resolved):
            self._tally.repair()
        if tokens:
            out.cite(tokens)
            self._tally.write(tokens)
        elif not resolved and self._keeps_apart(marker):
            out.elide(ELLIPSIS)
        else:
            out.drop(merged=resolved > 0)

    def _keeps_apart(self, marker: Marker) -> bool:
        """Whether the text around the marker would read as something else without it."""
        out = self._output
        lone_sign = out.edge == "syntax" and not out.joint()
        if out.inside or out.angle or lone_sign or (marker.wire and out.depth):
            return True
        return out.glosses or (not out.joint() and may_become_environment(out.tail))

    def _behind(self, text: str, marker: Marker, window: Window, *, adjacent: bool) -> Look:
        """Decide by what follows: an index, the text of an image or a link, a definition."""
        out = self._output
        end = marker.end
        index = adjacent and marker.as_index and _ends_with_identifier(out.tail)
        image = adjacent and marker.link and out.tail[-1:] == "!" and out.edge != "escaped"
        command = adjacent and marker.as_index and _command.search(out.tail) is not None
        unknown = not self.cites(marker)
        if not (index or image or command or (unknown and (marker.link or marker.note))):
            return marker
        if index:
            indexes = self._indexes(text, marker, window)
            if isinstance(indexes, Wait):
                return indexes
            if indexes:
                return self._further_index(text, marker, window)
        follows = text[end : end + 1] if end < window.stop else ""
        if not follows and window.more:
            return HOLD
        if follows == "{" and command:
            return Letter(end)
        if follows == ":" and unknown and marker.note and adjacent and out.fresh:
            return Letter(end)
        if follows != "(" or index:
            return marker
        target = Target()
        _, linked = read_target(target, text, end, window)
        if isinstance(linked, Wait):
            return linked
        if linked and window.cut and not target.closed:
            return marker._replace(end=window.stop)
        return Letter(end, target=True) if linked and (image or (unknown and marker.link)) else marker

    def _indexes(self, text: str, marker: Marker, window: Window) -> bool | Wait:
        """Whether the bracket behind an identifier is an index, which what follows the last one says."""
        while True:
            end = marker.end
            follows = text[end : min(end + _LONGEST_SIGN, window.stop)]
            if window.more and (not follows or follows in _BEGIN_SIGNS):
                return HOLD
            if follows[:1] != "[":
                break
            further = read(text, end, window)
            if further is None:
                if window.more and _subscript_so_far.match(text, end, window.stop):
                    return HOLD
                return _subscript.match(text, end, window.stop) is not None
            if isinstance(further, Wait):
                return further
            if not further.as_index:
                return False
            marker = further
        if follows[:1] != "(":
            return _index_goes_on.match(follows) is not None
        _, linked = read_target(Target(), text, end, window)
        if isinstance(linked, Wait):
            return linked
        return _url.match(text, end + 1, window.stop) is None

    def _further_index(self, text: str, marker: Marker, window: Window) -> Letter | Wait:
        """Leave an index alone, and the arguments of a call behind it."""
        if marker.end == window.stop and window.more:
            return HOLD
        call = marker.end < window.stop and text[marker.end] == "("
        return Letter(marker.end, edge="index", target=call)

    def _in_reference(self, marker: Marker, *, adjacent: bool) -> Letter | None:
        """Leave the label of a reference alone, `[guide][9]`, if the text defines it."""
        out = self._output
        unknown = marker.plain and not marker.wire and not self.cites(marker)
        if not (unknown and adjacent and out.tail[-1:] == "]" and out.token is None):
            return None
        if out.edge == "escaped" or not self._sight.defines(marker.numbers[0]):
            return None
        return Letter(marker.end)

    def _in_formula(self, text: str, marker: Marker, window: Window) -> Letter | Wait | None:
        """Leave the marker alone if a dollar sign behind it closes the formula that is open."""
        if self._output.formula != "formula":
            return None
        at = self._sight.next_dollar(text, marker.end, window.stop)
        if isinstance(at, Wait) or (at + 1 == window.stop and not window.ended):
            return HOLD if window.more else None
        closes = at >= 0 and not text[at - 1].isspace() and not is_digit(text[at + 1 : at + 2])
        return Letter(at + 1, found="formula") if closes else None

    def _in_link_text(self, text: str, i: int, marker: Marker, window: Window) -> Letter | Wait | None:
        """Leave the marker alone in the text of a link; a token is checked there all the same."""
        if not self._output.depth or marker.wire:
            return None
        end = self._sight.end_of_link(text, i, marker.end, window.stop, self._output.depth)
        if isinstance(end, Wait):
            return HOLD if window.more else None
        return Letter(end, found="link") if end >= 0 else None


def _ends_with_identifier(text: str) -> bool:
    """Whether the text ends with a word as programs have them: in ASCII, and no number."""
    word = _word.search(text)
    return word is not None and word[0].isascii() and not word[0][0].isdigit()
