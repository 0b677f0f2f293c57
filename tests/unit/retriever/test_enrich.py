"""How much of ingest a search asks about."""

from collections.abc import Sequence

import pytest

from footnote_retriever.funnel.candidates import Candidate
from footnote_retriever.funnel.enrich import enrich
from footnote_shared.clients.ingest import IngestClient
from footnote_shared.contracts.documents import ChunkRef, LiveChunks
from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.vectors.protocol import Hit
from tests.unit.retriever.funnel_on_fakes import FunnelOnFakes, caller, short


class DeadIngest(IngestClient):
    """Confirms nothing, and notes how much it is asked at once. `away`: calls that find it away first."""

    def __init__(self, away: int = 0) -> None:
        self.asked: list[int] = []
        self._away = away

    async def lookup_chunks(
        self,
        caller: Principal,
        refs: Sequence[ChunkRef],
        *,
        memory: bool = False,
        around: int | None = None,
        folders: bool = False,
    ) -> LiveChunks:
        self.asked.append(len(refs))
        if len(self.asked) <= self._away:
            raise Unavailable("ingest", "away")
        return LiveChunks(items=[], generation=1)


def candidates(count: int) -> list[Candidate]:
    return [
        Candidate(
            str(n), Hit(str(n), 1.0, {"document_id": "d", "chunk_id": str(n), "text_hash": "h"}), 1.0, n + 1
        )
        for n in range(count)
    ]


@pytest.mark.parametrize(("wanted", "first"), [(1, 9), (16, 24), (17, 25), (40, 60)])
async def test_half_as_many_again_as_are_wanted_are_asked_about_at_first(wanted: int, first: int) -> None:
    ingest = DeadIngest()
    await enrich(ingest, caller(), candidates(first + 1), wanted)
    assert ingest.asked == [first, 1]


async def test_each_further_question_is_twice_as_long_up_to_what_one_call_may_hold() -> None:
    ingest = DeadIngest()
    assert (await enrich(ingest, caller(), candidates(4500), 300))[:3] == ([], 4500, 0)
    assert ingest.asked == [450, 900, 1000, 1000, 1000, 150]


async def test_what_suffices_is_asked_about_once() -> None:
    on = FunnelOnFakes()
    await on.add(*(short("tea", number) for number in range(40)))
    result = await on.search("tea", explain=True)
    (enriched, again) = [report for report in result.explanation or [] if report.stage == "enrich"]
    assert enriched.notes["asked"] == 16
    assert again.notes["asked"] >= 8
    assert on.ingest.lookups <= 2
    once = await on.search("tea", feedback=False, explain=True)
    assert [report.stage for report in once.explanation or []].count("enrich") == 1


async def test_an_ingest_that_is_away_once_is_asked_again() -> None:
    ingest = DeadIngest(away=1)
    assert (await enrich(ingest, caller(), candidates(3), 3))[:3] == ([], 3, 0)
    with pytest.raises(Unavailable):
        await enrich(DeadIngest(away=2), caller(), candidates(3), 3)
