"""Frames: the level and upright rules of a page, put together to the outlines of its tables."""

from collections.abc import Sequence
from dataclasses import dataclass

from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.pdf.rules import Rule

_SAME_PLACE = 3.5
"""Rules that lie no further apart than this many points are one."""

_SAME_EDGE = 5.0
"""The rules of a table begin and end at the same edges, to this many points."""

_WORDS_OVER, _WORDS_OUT = 4.0, 0.8
"""Words may stand over the edge of their frame by this many points.

The last cell of a row may be too long for its column by so many heights of its font.
"""

_NARROWEST = 0.5
"""A table between the rules of another frame, such as shaded boxes, takes this share of its width."""

_LEAST_LENGTH = 8.0
"""A shorter rule is a part of a drawing or of a letter."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Where level rules of the same length stand, from the top, and the upright rules inside."""

    left: float
    right: float
    levels: tuple[float, ...]
    uprights: tuple[Rule, ...]

    def columns(self, upper: float, lower: float) -> tuple[float, ...]:
        """Where upright rules part a band between two level rules into columns."""
        return tuple(
            rule.at
            for rule in self.uprights
            if rule.start <= lower + _SAME_PLACE and upper - _SAME_PLACE <= rule.end
        )

    def holds(self, line: PdfLine) -> bool:
        """Whether a line stands between the outermost rules."""
        return (
            self.levels[-1] - 1 <= line.lowest <= line.highest < self.levels[0]
            and self.left - _WORDS_OVER <= line.left
            and line.right <= self.right + max(_WORDS_OVER, _WORDS_OUT * line.size * bool(self.uprights))
            and not line.turned
            and not line.is_table
        )


def frames(rules: Sequence[Rule]) -> list[Frame]:
    """The frames of a page, from the top. Each has two level rules at least."""
    level = _joined([rule for rule in rules if rule.level])
    upright = _joined([rule for rule in rules if not rule.level])
    groups: list[list[Rule]] = []
    for rule in level:
        for group in groups:
            if abs(group[0].start - rule.start) <= _SAME_EDGE and abs(group[0].end - rule.end) <= _SAME_EDGE:
                group.append(rule)
                break
        else:
            groups.append([rule])
    found: list[Frame] = []
    for group in groups:
        places = sorted({rule.at for rule in group}, reverse=True)
        if len(places) < 2:
            continue
        left, right = group[0].start, group[0].end
        inner = [
            rule
            for rule in upright
            if left + _SAME_EDGE < rule.at < right - _SAME_EDGE and _parts_a_band(rule, places)
        ]
        # A cell may go over several rows, and the rules beside it are shorter.
        edges = [left, right, *(rule.at for rule in inner)]
        places += [rule.at for rule in level if _parts_columns(rule, edges, places)] if inner else []
        # A table without an outermost level rule reaches as far as its upright ones.
        for end in (end for rule in inner for end in (rule.start, rule.end)):
            if all(abs(end - known) > _SAME_PLACE for known in places):
                places.append(end)
        found.append(Frame(left, right, tuple(sorted(places, reverse=True)), tuple(inner)))
    # What stands inside another frame, such as between two shaded boxes, is a table before the other one is.
    return sorted(found, key=lambda frame: (not _is_inside(frame, found), -frame.levels[0], frame.left))


def _is_inside(frame: Frame, others: Sequence[Frame]) -> bool:
    """Whether a frame with rules of its own stands between the rules of a wider one.

    A rule below the heads of some columns is much shorter than their table.
    """
    width = frame.right - frame.left
    return len(frame.levels) > 2 and any(
        other.left - _SAME_EDGE <= frame.left
        and frame.right <= other.right + _SAME_EDGE
        and _NARROWEST * (other.right - other.left) <= width < other.right - other.left - _SAME_EDGE
        and other.levels[-1] < frame.levels[-1]
        and frame.levels[0] < other.levels[0]
        and not other.uprights
        for other in others
    )


def _parts_columns(rule: Rule, edges: Sequence[float], levels: Sequence[float]) -> bool:
    """Whether a level rule goes from an upright one to the edge of a frame, or along most of its columns."""
    ends = [any(abs(end - at) <= _SAME_EDGE for at in edges) for end in (rule.start, rule.end)]
    inside = min(levels) + _SAME_PLACE < rule.at < max(levels) - _SAME_PLACE
    columns = sum(rule.start - _SAME_EDGE <= at <= rule.end + _SAME_EDGE for at in edges) - 1
    apart = all(abs(rule.at - at) > _SAME_PLACE for at in levels)
    return all(ends) and inside and apart and columns * 2 >= len(edges) - 1


def _parts_a_band(upright: Rule, levels: Sequence[float]) -> bool:
    """Whether an upright rule reaches from one level rule to another."""
    return sum(upright.start - _SAME_PLACE <= at <= upright.end + _SAME_PLACE for at in levels) > 1


def _joined(rules: Sequence[Rule]) -> list[Rule]:
    """The rules, with those that touch made one: many programs draw a rule for each cell."""
    lines: list[list[Rule]] = []
    for rule in sorted(rules, key=lambda rule: rule.at):
        if lines and rule.at - lines[-1][0].at <= _SAME_PLACE:
            lines[-1].append(rule)
        else:
            lines.append([rule])
    joined: list[Rule] = []
    for line in lines:
        at, start, end = line[0].at, 0.0, float("-inf")
        for rule in sorted(line, key=lambda rule: rule.start):
            if rule.start > end + _SAME_PLACE:
                if end - start >= _LEAST_LENGTH:
                    joined.append(Rule(rule.level, at, start, end))
                start, end = rule.start, rule.end
            end = max(end, rule.end)
        if end - start >= _LEAST_LENGTH:
            joined.append(Rule(line[0].level, at, start, end))
    return joined
