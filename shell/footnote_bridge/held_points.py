"""The points of a shard in memory, beside the engine that keeps them: blocks, and what in them is alive.

One thread at a time changes them; any number read `parts` meanwhile, and see the points as they were before
a change or after it.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from footnote_bridge.held_block import Bools, HeldBlock, HeldPoint, Names, PointId, block_of, merged

_LARGEST = 16_384
"""Points of a block that is not merged any more: to merge holds up whoever writes."""

_SMALLEST = 64
"""Blocks with fewer points are always merged: each one costs a search some 0.1 ms."""

_NAMES_PER_POINT = 12
"""A point has some dozen values, of which most are those of others too."""


@dataclass(frozen=True, slots=True, eq=False)
class HeldPart:
    """A block, and which of its points are still there."""

    block: HeldBlock
    alive: Bools
    living: int


class HeldPoints:
    """Empty at first. `dimension` is that of the dense vectors."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.names = Names()
        self.parts: tuple[HeldPart, ...] = ()
        self._where: dict[PointId, tuple[HeldBlock, int]] = {}

    def __len__(self) -> int:
        return len(self._where)

    def __contains__(self, point_id: PointId) -> bool:
        return point_id in self._where

    @property
    def is_overgrown(self) -> bool:
        """Whether most values that have a number are of points that are gone."""
        return len(self.names) > _NAMES_PER_POINT * (len(self) + _SMALLEST)

    def put(self, points: Iterable[HeldPoint]) -> None:
        """Add points, in place of those that have the same ids. Of two with one id the last counts."""
        fresh = list({point.id: point for point in points}.values())
        if not fresh:
            return
        block = block_of(fresh, self.dimension, self.names)
        parts = self._without(block.ids)
        self._place(block)
        parts.append(HeldPart(block, np.ones(len(block), np.bool_), len(block)))
        self.parts = tuple(self._merge(parts))

    def remove(self, ids: Iterable[PointId]) -> None:
        """Remove points; unknown ids are ignored."""
        self.parts = tuple(self._merge(self._without(ids)))

    def places(self, parts: Sequence[HeldPart], ids: Iterable[PointId]) -> list[tuple[int, int]] | None:
        """Where the points stand among these parts. None: one of them stands in none, or no longer there."""
        numbers = {id(part.block): number for number, part in enumerate(parts)}
        found = []
        for point_id in ids:
            where = self._where.get(point_id)
            number = None if where is None else numbers.get(id(where[0]))
            if where is None or number is None or not parts[number].alive[where[1]]:
                return None
            found.append((number, where[1]))
        return found

    def _without(self, ids: Iterable[PointId]) -> list[HeldPart]:
        """The parts as they are without these points. Readers keep the parts that they have."""
        gone: dict[int, list[int]] = defaultdict(list)
        for point_id in ids:
            found = self._where.pop(point_id, None)
            if found is not None:
                gone[id(found[0])].append(found[1])
        parts = []
        for part in self.parts:
            places = gone.get(id(part.block))
            if places is not None:
                alive = part.alive.copy()
                alive[places] = False
                part = HeldPart(part.block, alive, part.living - len(places))
            if part.living:
                parts.append(part)
        return parts

    def _merge(self, parts: list[HeldPart]) -> list[HeldPart]:
        """Blocks at most half dead, each at least twice as large as the next or as large as they become."""
        kept: list[HeldPart] = []
        for part in parts:
            group = [part]
            while kept and _joins(kept[-1], sum(one.living for one in group)):
                group.insert(0, kept.pop())
            if len(group) > 1 or part.living * 2 < len(part.block):
                kept.append(self._rewritten(group))
            else:
                kept.append(part)
        return kept

    def _rewritten(self, group: Sequence[HeldPart]) -> HeldPart:
        block = merged([(part.block, part.alive) for part in group])
        self._place(block)
        return HeldPart(block, np.ones(len(block), np.bool_), len(block))

    def _place(self, block: HeldBlock) -> None:
        for place, point_id in enumerate(block.ids):
            self._where[point_id] = (block, place)


def _joins(before: HeldPart, living: int) -> bool:
    small = before.living < max(2 * living, _SMALLEST)
    return small and before.living + living <= _LARGEST
