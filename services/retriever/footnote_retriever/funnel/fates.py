"""What became of each candidate of a search: where it left, and why (`explain`). Pure.

Only candidates that ingest has confirmed are named. Of the others not even their number by document is told.
"""

from collections.abc import Sequence

from footnote_retriever.funnel.candidates import Candidate, Live, ranks_of
from footnote_shared.contracts.search import CandidateFate, Departure

MOST = 100
"""Candidates that are reported. Those that were returned come first, then the others by fused rank."""


class Fates:
    """The record of one search. Without `recorded` it keeps nothing."""

    def __init__(self, recorded: bool) -> None:
        self._recorded = recorded
        self.candidates: Sequence[Candidate] = ()
        self.asked = 0
        self._live: dict[str, Live] = {}
        self._current: set[str] = set()
        self._left: dict[str, tuple[str, Departure]] = {}

    def begin(
        self, candidates: Sequence[Candidate], asked: int, live: Sequence[Live], *, beside: bool = False
    ) -> None:
        """What a look into the index brought, how many of it were looked up, and which are live and wanted.

        It replaces the look before, or stands `beside` it until `join`.
        """
        if not self._recorded:
            return
        found = {one.candidate.id: one for one in live}
        self._current = set(found)
        if not beside:
            self.candidates, self.asked = candidates, asked
            self._live, self._left = found, {}
            return
        looked_up = {one.id: one for one in (*self.candidates[: self.asked], *candidates[:asked])}
        others = {one.id: one for one in (*self.candidates, *candidates) if one.id not in looked_up}
        self.candidates, self.asked = [*looked_up.values(), *others.values()], len(looked_up)
        self._live = found | self._live

    def join(self, kept: Sequence[Live]) -> None:
        """The looks are one from now on: these stay, in this order, and whatever else has one of their texts
        left."""
        if self._recorded:
            for one in kept:
                self._left.pop(one.candidate.id, None)
            self._current = set(self._live)
            self.keep("diversify", "same_text", kept)

    def keep(self, step: str, why: Departure, kept: Sequence[Live]) -> None:
        """All others that were still there left at this step. `kept` is the new order."""
        if not self._recorded:
            return
        staying = {one.candidate.id for one in kept}
        for point in self._live:
            if point in self._current and point not in staying and point not in self._left:
                self._left[point] = (step, why)
        self.reorder(kept)

    def reorder(self, kept: Sequence[Live]) -> None:
        """These come first from now on, in this order, with the ranks that they have now."""
        if self._recorded:
            first = {one.candidate.id: one for one in kept}
            others = {point: one for point, one in self._live.items() if point not in first}
            self._live = first | others

    def report(self) -> list[CandidateFate]:
        """The first of them: the returned ones in their order, and the others by fused rank."""
        returned = [one for point, one in self._live.items() if point not in self._left]
        others = [one for point, one in self._live.items() if point in self._left]
        others.sort(key=lambda one: one.candidate.fused_rank)
        return [self._fate(one) for one in [*returned, *others][:MOST]]

    def of_document(self, document_id: str) -> list[CandidateFate]:
        """Those of one document, the last to leave first, however many there are."""
        own = [one for one in self._live.values() if one.chunk.document_id == document_id]
        order = {step: place for place, step in enumerate(("diversify", "spread", "gate", "budget"))}
        fates = [self._fate(one) for one in own]
        last = len(order)
        return sorted(fates, key=lambda one: (-order.get(one.left_at or "", last), one.ranks.fused))

    def _fate(self, live: Live) -> CandidateFate:
        step, why = self._left.get(live.candidate.id, (None, None))
        return CandidateFate(
            chunk_id=live.chunk.chunk_id,
            document_id=live.chunk.document_id,
            title=live.chunk.title,
            score=live.candidate.score,
            similarity=live.candidate.dense,
            ranks=ranks_of(live),
            left_at=step,
            why=why,
        )
