"""The step "correct": a search that found too little is tried again in other words (spec 4.2.7).

What the looks found is kept together. It is graded by its cosines with the query that was asked: a passage
must not pass because the query was turned towards it.
"""

import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace

from anyio import to_thread

from footnote_retriever.funnel.as_asked import as_asked
from footnote_retriever.funnel.candidates import Live
from footnote_retriever.funnel.embed import QueryVectors
from footnote_retriever.funnel.expand import by_feedback, by_model
from footnote_retriever.funnel.gate import EvidenceGate, Graded, is_long
from footnote_retriever.funnel.resources import SearchResources
from footnote_retriever.funnel.trace import StepRun, Trace
from footnote_shared.contracts.search import Correction, Expansion, SearchSettings
from footnote_shared.kernel.errors import FootnoteError, Misconfigured
from footnote_shared.telemetry.logs import logger
from footnote_shared.vectors.protocol import Dense

ENOUGH = 2
"""Passages that have to pass. With fewer the query is put in other words."""

_JUDGED = 8
"""Passages that a model judges."""

_RRF_K = 60
"""The rank constant of the union (Cormack et al. 2009, "Reciprocal Rank Fusion")."""

_CYCLES: Mapping[Correction, Sequence[Sequence[Expansion]]] = {
    "none": (),
    "words": ((), ("rocchio", "rm3")),
    "model": (("multi_query",), ("hyde",)),
}
"""How each cycle changes the query. Without a model the first cycle drops the words that no passage has."""

_log = logger(__name__)

_FIRST = 2.0
"""What the ranks of the first look count, beside 1 of each other: it was asked in the reader's words."""

_WORD = re.compile(r"\w+")

Look = Callable[[QueryVectors], Awaitable[list[Live]]]


class SelfCorrection:
    """Made for one search. `look` searches with other vectors, `embed` makes them of a text."""

    def __init__(
        self,
        funnel: SearchResources,
        settings: SearchSettings,
        query: str,
        look: Look,
        embed: Callable[[str], Awaitable[QueryVectors]],
        trace: Trace,
    ) -> None:
        self._funnel = funnel
        self._settings = settings
        self._query = query
        self._look = look
        self._embed = embed
        self._trace = trace

    async def run(self, vectors: QueryVectors, found: list[Live], asked: Dense | None) -> list[Live]:
        """What was found, or the union with what further looks found. Two of it may have one text.

        `vectors` are those that it was found with, and `asked` is the vector of the query as it was asked.
        """
        looks = [found]
        for number, ways in enumerate(_CYCLES[self._settings.correct], 1):
            union = merged(looks)
            graded = await self._graded(union)
            with self._trace.step("correct", len(union)) as step:
                step.given = len(union)
                step.notes.update(cycle=number, passed=len(graded.passing))
                if len(graded.passing) >= ENOUGH:
                    return union
                again = await self._reworded(graded, vectors, step) if not ways else None
            if ways:
                again = await self._widened(ways, vectors, union)
            if again is not None:
                looks.append(await self._as_asked(asked, await self._look(again), union))
        return merged(looks)

    async def _graded(self, found: list[Live]) -> Graded:
        gate = EvidenceGate(self._query, self._settings, self._funnel.model.scale)
        graded = await to_thread.run_sync(gate.grade, found) if is_long(found) else gate.grade(found)
        words = self._funnel.words
        if self._settings.grade == "score" or not found:
            return graded
        best = found[:_JUDGED]
        try:
            if words is None:
                raise Misconfigured("no model of the role fast is set")
            helpful = await words.helpful(self._query, [one.chunk.text for one in best])
        except (FootnoteError, TimeoutError) as error:
            _log.warning("correct.not_judged", reason=type(error).__name__)
            self._trace.degrade("grade")
            return graded
        return replace(graded, passing=[one for place, one in enumerate(best) if place in helpful])

    async def _reworded(self, graded: Graded, vectors: QueryVectors, step: StepRun) -> QueryVectors | None:
        """The query without the words that no passage has; None if they are all there, or none of them."""
        text = without(self._query, graded.missing)
        if text == self._query or not text:
            return None
        step.notes["text"] = text
        made = await self._embed(text)
        return QueryVectors(
            made.dense if vectors.dense is not None else None,
            made.sparse if vectors.sparse is not None else None,
        )

    async def _widened(
        self, ways: Sequence[Expansion], vectors: QueryVectors, union: Sequence[Live]
    ) -> QueryVectors | None:
        worded = await by_model(ways, self._query, vectors, self._funnel.words, self._embed, self._trace)
        widened = await by_feedback(ways, worded, union, self._funnel.lane, self._trace) or worded
        return None if widened is vectors else widened

    async def _as_asked(self, query: Dense | None, found: list[Live], known: Sequence[Live]) -> list[Live]:
        """The same with cosines with the query that was asked; nothing where the store does not give them."""
        if query is None:
            return found
        cosines = {one.candidate.id: one.candidate.dense for one in known}
        try:
            return await as_asked(query, found, cosines, self._funnel.lane)
        except FootnoteError:
            self._trace.degrade("correct")
            return []


def without(query: str, words: Collection[str]) -> str:
    """The query without these words, given in small letters, whatever their case."""
    unwanted = set(words)
    pieces = [piece for piece in query.split() if not unwanted.intersection(_WORD.findall(piece.casefold()))]
    return " ".join(pieces)


def merged(looks: Sequence[Sequence[Live]]) -> list[Live]:
    """What several looks found, by the sum of its reciprocal ranks in them. A first look counts double."""
    if len(looks) == 1:
        return list(looks[0])
    scores: dict[str, float] = {}
    first: dict[str, Live] = {}
    for number, look in enumerate(looks):
        for rank, one in enumerate(look, 1):
            point = one.candidate.id
            first.setdefault(point, one)
            scores[point] = scores.get(point, 0.0) + (1.0 if number else _FIRST) / (_RRF_K + rank)
    order = sorted(first, key=lambda point: (-scores[point], point))
    return [
        replace(
            first[point],
            candidate=first[point].candidate._replace(score=scores[point], fused_rank=rank),
        )
        for rank, point in enumerate(order, 1)
    ]
