"""The gate: on cosines alone, and on the scale of a lane that is calibrated."""

import math
from dataclasses import replace

import pytest

from footnote_retriever.funnel.calibrated import SHIPPED, scale_of, scales_of_rerankers
from footnote_retriever.funnel.candidates import Candidate, Live
from footnote_retriever.funnel.gate import EvidenceGate, Passed, is_long, needs_cosines
from footnote_shared.contracts.documents import ChunkRef, LiveChunk
from footnote_shared.contracts.search import SearchSettings
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.kernel.evidence_scale import ENOUGH, Scale, evidence
from footnote_shared.vectors.protocol import Hit

SCALE = Scale(-4.0, 4.0, 4.0, 0.0)
"""Half of the words and half of the cosine make 0.5."""


def live(cosine: float | None, text: str = "", *, language: str | None = None, title: str = "") -> Live:
    ref = ChunkRef(document_id="d", chunk_id="c", text_hash="h")
    chunk = LiveChunk(
        **ref.model_dump(),
        title=title,
        source="",
        text=text,
        language=language,
        ordinal=0,
        kind="prose",
        heading_path=[],
        char_start=0,
        char_end=0,
        version=1,
        source_type="upload",
        created_at=now(),
    )
    point = f"{title} {text}"
    hit = Hit(point, 0.0, ref.model_dump())
    return Live(Candidate(id=point, hit=hit, score=0.0, fused_rank=1, dense=cosine), chunk)


def judged(
    found: list[Live],
    query: str = "gulls",
    scale: Scale | None = None,
    *,
    explain: bool = False,
    **settings: object,
) -> Passed:
    return EvidenceGate(query, SearchSettings.model_validate(settings), scale).judge(found, explain=explain)


class TestWithoutAScale:
    @pytest.mark.parametrize(
        ("cosines", "enough"),
        [
            ([0.5, 0.5, 0.5, 0.5, 0.5, 0.0], True),
            ([0.5, 0.5, 0.5, 0.5, 0.4, 0.9], False),
        ],
    )
    def test_is_judged_by_the_mean_of_the_five_best(self, cosines: list[float], enough: bool) -> None:
        assert judged([live(c) for c in cosines], min_avg_similarity=0.5).sufficient is enough

    def test_passages_of_which_no_cosine_is_known_are_not_judged(self) -> None:
        assert judged([live(None), live(0.6)], min_avg_similarity=0.5).sufficient
        assert judged([live(None)], min_avg_similarity=0.9).sufficient

    def test_without_a_threshold_anything_is_enough(self) -> None:
        assert judged([live(-0.5)]).sufficient
        assert judged([live(-0.5)], min_avg_similarity=0.0).sufficient

    def test_nothing_is_never_enough(self) -> None:
        assert not judged([]).sufficient
        assert not judged([live(0.1)], min_similarity=0.2).sufficient

    def test_a_passage_stays_that_reaches_the_threshold_or_cannot_be_judged(self) -> None:
        found = [live(0.5), live(0.49), live(None)]
        assert judged(found, min_similarity=0.5).near == [found[0], found[2]]
        assert judged(found, min_similarity=0.5, top_k=1).near == found[:1]

    def test_without_a_threshold_all_stay(self) -> None:
        found = [live(-0.5), live(None)]
        assert judged(found).near == found


class TestOnAScale:
    def test_words_that_a_passage_has_count_beside_its_cosine(self) -> None:
        near, far = live(0.5, "gulls steal bread"), live(0.5, "bees make honey")
        assert judged([near], "do gulls steal?", SCALE).sufficient
        assert not judged([far], "do gulls steal?", SCALE).sufficient

    def test_words_of_the_title_count(self) -> None:
        assert judged([live(0.5, "They steal.", title="Gulls")], "do gulls steal?", SCALE).sufficient

    def test_one_passage_that_answers_is_enough_among_others_that_do_not(self) -> None:
        found = [live(0.8, "gulls steal"), *(live(0.0, f"bees {n}") for n in range(7))]
        assert judged(found, "do gulls steal?", SCALE).sufficient

    def test_a_passage_counts_for_less_where_others_are_as_near(self) -> None:
        scale = SCALE._replace(others=4.0)
        alone = [live(0.6, "gulls"), *(live(0.0, f"bees {n}") for n in range(3))]
        alike = [live(0.6, "gulls"), *(live(0.6, f"bees {n}") for n in range(3))]
        assert judged(alone, "gulls and hawks", scale).sufficient
        assert not judged(alike, "gulls and hawks", scale).sufficient

    def test_what_is_asked_for_is_the_spec_s_threshold_by_default_and_can_be_another(self) -> None:
        # The sum 0.2 is worth 0.5498, the sum 0.21 is worth 0.5523.
        below, above = live(0.05, "gulls"), live(0.0525, "gulls")
        assert not judged([below], scale=SCALE).sufficient
        assert judged([above], scale=SCALE).sufficient
        assert judged([below], scale=SCALE, min_avg_similarity=0.5).sufficient
        assert judged([below], scale=SCALE, min_avg_similarity=0.0).sufficient

    @pytest.mark.parametrize("code", ["40P01", "23505", "E404", "CVE-2014-3636", "5.6.12.1", "(v1.2.3)"])
    def test_a_code_that_stands_there_is_what_was_asked_for(self, code: str) -> None:
        own = code.strip("()")
        there, not_there = live(-0.9, f"The code {own}: deadlock."), live(-0.9, f"The code {own}7.")
        assert judged([there], code, scale=SCALE).sufficient
        assert not judged([not_there], code, scale=SCALE).sufficient

    @pytest.mark.parametrize("code", ["v99.1.2", "ERR-4042", "0049-30-1234"])
    def test_what_looks_like_a_code_that_stands_nowhere_is_no_evidence(self, code: str) -> None:
        near = live(0.9, "v99 error err, number 1 and 2, 30 and 49")
        assert judged([near], "number 30", scale=SCALE).sufficient
        assert not judged([near], code, scale=SCALE).sufficient

    @pytest.mark.parametrize(
        ("code", "text"),
        [
            ("covid-19", "Covid 19 spread."),
            ("v1.2.3", "Release 1.2.3 came."),
            ("2024-05-01", "On May 1, 2024."),
        ],
    )
    def test_a_code_in_another_notation_is_judged_by_its_nearness(self, code: str, text: str) -> None:
        assert judged([live(0.9, text)], code, scale=SCALE).sufficient

    @pytest.mark.parametrize("query", ["bees and 40P01", "2 3", "12", "404"])
    def test_words_beside_a_code_and_small_numbers_are_judged_as_ever(self, query: str) -> None:
        assert not judged([live(-0.9, f"About {query}, once.")], query, scale=SCALE).sufficient

    def test_passages_below_the_least_are_dropped_by_their_worth(self) -> None:
        found = [live(0.0, "bees and honey"), live(0.0, "gulls")]
        assert judged(found, scale=SCALE, min_similarity=0.5).near == [found[1]]

    def test_says_which_words_no_passage_has(self) -> None:
        found = [live(0.1, "Bees make honey."), live(0.1, "Honey is sweet.")]
        passed = judged(found, "Where do the gulls hide honey?", SCALE)
        assert (passed.sufficient, passed.missing) == (False, ["gulls", "hide"])
        assert judged([live(0.9, "gulls")], "do gulls hide?", SCALE).missing == []

    def test_reads_a_passage_in_its_own_language(self) -> None:
        found = live(0.1, "Die Möwen stehlen das Brot.", language="de")
        assert (
            judged([found], "Was stehlen die Möwen?", SCALE, explain=True).notes["judged"][0]["words"] == 1.0
        )

    def test_a_question_without_spaces_is_not_answered_by_one_of_its_words(self) -> None:
        found = live(0.2, "用户可以查看文件。", language="zh")
        passed = judged([found], "如何修改用户密码", SCALE, explain=True)
        assert passed.notes["judged"][0]["words"] == pytest.approx(1 / 3)
        assert (passed.sufficient, passed.missing) == (False, ["修改", "密码"])
        said = live(0.2, "用户可以修改密码。", language="zh")
        assert judged([said], "如何修改用户密码", SCALE).sufficient

    def test_a_query_of_stop_words_has_none_that_a_passage_could_have(self) -> None:
        passed = judged([live(0.1, "the who")], "who is the?", SCALE, explain=True)
        assert passed.notes["judged"][0]["words"] == 0.0
        assert (passed.sufficient, passed.missing) == (False, [])

    def test_explains_what_it_judges_by(self) -> None:
        notes = judged([live(0.25, "gulls")], scale=SCALE, explain=True).notes
        (one,) = notes["judged"]
        assert (one["cosine"], one["words"], round(one["value"], 3)) == (0.25, 1.0, 0.731)
        assert (notes["calibrated"], notes["enough"], notes["evidence"]) == (True, 0.55, 0.7311)


class TestTheScaleOfALane:
    def test_comes_with_the_bundled_model_and_can_be_set(self) -> None:
        assert scale_of("all-MiniLM-L6-v2") == SHIPPED["all-MiniLM-L6-v2"]
        assert scale_of("all-MiniLM-L6-v2", " -1,2,3,4 ") == Scale(-1, 2, 3, 4)
        assert scale_of("another") is None

    @pytest.mark.parametrize("wrong", ["1,2,3", "a,b,c,d", "1,2,3,4,5", "nan,1,1,1", "inf,1,1,1", ","])
    def test_is_refused_where_it_is_none(self, wrong: str) -> None:
        with pytest.raises(Misconfigured, match="FOOTNOTE_GATE_SCALE"):
            scale_of("any", wrong)


class TestTheScaleOfAReranker:
    RERANKED = Scale(0.0, 0.0, 0.0, 0.0, 2.0)
    """Only what the reranker says counts."""

    def judged(self, found: list[Live], scale: Scale | None = SCALE) -> Passed:
        return EvidenceGate("gulls", SearchSettings(top_k=2), scale, self.RERANKED).judge(found, explain=True)

    def test_judges_what_the_reranker_has_scored(self) -> None:
        good, bad = (replace(live(0.1, "tea"), rerank_score=score) for score in (3.0, -3.0))
        for scale in (SCALE, None):
            assert self.judged([good, bad], scale).sufficient
            assert not self.judged([bad, bad], scale).sufficient
        notes = self.judged([good]).notes
        assert notes["judged"][0]["rerank"] == 3.0
        assert notes["judged"][0]["value"] == pytest.approx(1 / (1 + math.exp(-6)))

    def test_is_that_of_the_lane_where_the_reranker_has_not_scored_all_that_is_shown(self) -> None:
        scored = replace(live(0.9, "gulls"), rerank_score=-3.0)
        assert self.judged([scored, live(0.9, "gulls")]).sufficient
        assert not self.judged([scored, scored, live(0.9, "gulls")]).sufficient
        # No scale of the lane: nobody has said what its cosines mean.
        assert self.judged([live(0.1, "tea")], None).sufficient

    def test_is_read_by_reranker(self) -> None:
        assert scales_of_rerankers({}) == {}
        assert scales_of_rerankers({"http": "-1,2,3,4,5"}) == {"http": Scale(-1, 2, 3, 4, 5)}

    @pytest.mark.parametrize(
        "wrong", [{"http": "1,2,3,4"}, {"auto": "1,2,3,4,5"}, {"none": "1,2,3,4,5"}, {"x": "1,2,3,4,5"}]
    )
    def test_is_refused_where_it_is_none(self, wrong: dict[str, str]) -> None:
        with pytest.raises(Misconfigured, match=r"FOOTNOTE_GATE_RERANKER_SCALES .*cross_encoder, http, late"):
            scales_of_rerankers(wrong)


def test_cosines_are_asked_for_only_where_somebody_names_a_threshold() -> None:
    assert not needs_cosines(SearchSettings())
    assert not needs_cosines(SearchSettings(min_avg_similarity=0.0))
    assert needs_cosines(SearchSettings(min_avg_similarity=0.1))
    assert needs_cosines(SearchSettings(min_similarity=0.1))


def test_long_texts_are_not_read_on_the_event_loop() -> None:
    assert not is_long([live(0.1, "a" * 1000)] * 8)
    assert is_long([live(0.1, "a" * 40_001)])


class TestTheShippedScale:
    """Cases at its edge: each constant decides one of them."""

    SHIPPED = SHIPPED["all-MiniLM-L6-v2"]

    @pytest.mark.parametrize(
        ("cosine", "words", "others", "enough"),
        [
            (0.58, 0.0, 0.0, True),
            (0.56, 0.0, 0.0, False),
            (0.33, 0.5, 0.0, True),
            (0.31, 0.5, 0.0, False),
            (0.08, 1.0, 0.0, True),
            (0.06, 1.0, 0.0, False),
            (0.48, 0.5, 0.5, True),
            (0.46, 0.5, 0.5, False),
        ],
    )
    def test_weighs_words_half_as_much_as_the_cosine(
        self, cosine: float, words: float, others: float, *, enough: bool
    ) -> None:
        assert (evidence([self.SHIPPED.value(cosine, words, others)]) >= ENOUGH) is enough
