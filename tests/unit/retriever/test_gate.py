"""Thresholds on the cosine of query and passage."""

import pytest

from footnote_retriever.funnel.candidates import Candidate, Live
from footnote_retriever.funnel.gate import is_sufficient, near_enough
from footnote_shared.contracts.documents import ChunkRef, LiveChunk
from footnote_shared.kernel.clock import now


def live(cosine: float | None) -> Live:
    ref = ChunkRef(document_id="d", chunk_id="c", text_hash="h")
    chunk = LiveChunk(
        **ref.model_dump(),
        title="",
        source="",
        text="",
        ordinal=0,
        kind="prose",
        heading_path=[],
        char_start=0,
        char_end=0,
        version=1,
        source_type="upload",
        created_at=now(),
    )
    return Live(Candidate(id="p", ref=ref, score=0.0, fused_rank=1, dense=cosine), chunk)


class TestSufficient:
    @pytest.mark.parametrize(
        ("cosines", "enough"),
        [
            ([0.5, 0.5, 0.5, 0.5, 0.5, 0.0], True),
            ([0.5, 0.5, 0.5, 0.5, 0.4, 0.9], False),
        ],
    )
    def test_is_judged_by_the_five_best(self, cosines: list[float], enough: bool) -> None:
        assert is_sufficient([live(cosine) for cosine in cosines], 0.5) is enough

    def test_passages_of_which_no_cosine_is_known_are_not_judged(self) -> None:
        assert is_sufficient([live(None), live(0.6)], 0.5)
        assert is_sufficient([live(None)], 0.9)

    def test_without_a_threshold_anything_is_enough(self) -> None:
        assert is_sufficient([live(-0.5)], 0.0)

    def test_nothing_is_never_enough(self) -> None:
        assert not is_sufficient([], 0.0)


class TestNear:
    def test_a_passage_stays_that_reaches_the_threshold_or_cannot_be_judged(self) -> None:
        found = [live(0.5), live(0.49), live(None)]
        assert near_enough(found, 0.5) == [found[0], found[2]]

    def test_without_a_threshold_all_stay(self) -> None:
        found = [live(-0.5), live(None)]
        assert near_enough(found, 0.0) == found
