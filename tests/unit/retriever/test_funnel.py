"""What a search promises, stage by stage, over fakes of its ports."""

from dataclasses import replace

import pytest

from footnote_retriever.funnel.resources import Limits
from footnote_shared.contracts.search import Fusion, SearchScope
from footnote_shared.embedding import sparse
from footnote_shared.kernel.errors import Misconfigured, OurFault, Unavailable
from footnote_shared.kernel.evidence_scale import Scale
from footnote_shared.kernel.vector_values import LaneFingerprint
from footnote_testing.library import Book
from tests.unit.retriever.funnel_on_fakes import LANE, FakeReranker, FunnelOnFakes, caller, dead, short

METHODS: list[Fusion] = ["rrf", "weighted_blend", "dbsf", "dense_only", "sparse_only"]


@pytest.mark.parametrize("fusion", METHODS)
async def test_the_matching_passage_comes_first_with_every_fusion(fusion: Fusion) -> None:
    on = FunnelOnFakes()
    await on.add(
        Book("wine", ["The cellar is kept at twelve degrees."]),
        Book("rent", ["Rent is due on the first of May."]),
    )
    result = await on.search("how warm is the cellar", fusion=fusion)
    best = result.passages[0]
    assert best.title == "wine"
    assert best.ranks.fused == 1
    assert (best.ranks.dense is None) == (fusion == "sparse_only")
    assert (best.ranks.sparse is None) == (fusion == "dense_only")
    assert (result.sufficient, result.degraded, result.settings.fusion) == (True, [], fusion)


@pytest.mark.parametrize("fusion", METHODS)
async def test_the_same_question_gets_the_same_answer(fusion: Fusion) -> None:
    on = FunnelOnFakes()
    await on.add(*(short("tea coffee", number) for number in range(30)))
    first = await on.search("tea", fusion=fusion, top_k=20)
    second = await on.search("tea", fusion=fusion, top_k=20)
    assert [p.chunk_id for p in first.passages] == [p.chunk_id for p in second.passages]
    assert first.retrieval_id != second.retrieval_id
    assert first.settings_hash == second.settings_hash


async def test_a_blend_knows_both_scores_of_all_it_found() -> None:
    on = FunnelOnFakes()
    await on.add(
        *(short("tea with milk", n) for n in range(20)), *(short("ships at sea", 100 + n) for n in range(20))
    )
    result = await on.search("tea at sea", fusion="weighted_blend", retrieve_k=20, explain=True, top_k=20)
    assert result.explanation is not None
    fused = next(report for report in result.explanation if report.stage == "fuse")
    assert all(line["dense"] is not None and line["sparse"] is not None for line in fused.notes["scores"])
    assert len(on.index.searches) == 1
    assert all(passage.similarity is not None for passage in result.passages)


@pytest.mark.parametrize("fusion", METHODS)
async def test_a_search_is_one_round_trip(fusion: Fusion) -> None:
    on = FunnelOnFakes()
    await on.add(*(short("tea with milk", n) for n in range(60)))
    await on.search("tea", fusion=fusion, min_avg_similarity=0.1)
    assert len(on.index.searches) == 1


@pytest.mark.parametrize("fusion", ["rrf", "dbsf", "sparse_only"])
async def test_judging_cosines_does_not_change_the_ranking(fusion: Fusion) -> None:
    on = FunnelOnFakes()
    await on.add(
        *(short("tea with milk", n) for n in range(20)), *(short("ships at sea", 100 + n) for n in range(20))
    )
    plain = await on.search("tea at sea", fusion=fusion, retrieve_k=12, top_k=12)
    judged = await on.search("tea at sea", fusion=fusion, retrieve_k=12, top_k=12, min_avg_similarity=0.0001)
    assert [(p.chunk_id, p.score, p.ranks.sparse) for p in judged.passages] == [
        (p.chunk_id, p.score, p.ranks.sparse) for p in plain.passages
    ]


async def test_an_empty_list_in_the_scope_finds_nothing_and_asks_nobody() -> None:
    on = FunnelOnFakes()
    await on.add(short("tea", 1))
    for scope in (SearchScope(document_ids=[]), SearchScope(kinds=[], folder_ids=["x"])):
        result = await on.search("tea", scope=scope, explain=True)
        assert (result.passages, result.sufficient) == ([], False)
        assert [report.stage for report in result.explanation or []] == ["gate", "budget"]
    assert (on.index.searches, on.ingest.lookups) == ([], 0)


async def test_what_ingest_does_not_confirm_is_not_shown() -> None:
    on = FunnelOnFakes()
    book = Book("secret", ["The launch code is tulip."])
    await on.add(
        book, Book("other", ["The launch is in May."]), dead(Book("half new", ["The launch code is rose."]))
    )
    assert [p.title for p in (await on.search("launch code")).passages] == ["secret", "other"]
    on.ingest.delete_document(book.id)
    assert [p.title for p in (await on.search("launch code")).passages] == ["other"]


async def test_dead_points_do_not_starve_the_answer() -> None:
    on = FunnelOnFakes()
    await on.add(
        *(dead(short("tea tea tea", n)) for n in range(60)),
        *(short("tea and other things to drink at home", 100 + n) for n in range(8)),
    )
    result = await on.search("tea", top_k=8, explain=True)
    assert len(result.passages) == 8
    stages = [report.stage for report in result.explanation or []]
    assert stages.count("search") == 2


async def test_a_search_is_widened_once_at_most() -> None:
    on = FunnelOnFakes()
    await on.add(*(dead(short("tea", n)) for n in range(400)))
    assert (await on.search("tea")).passages == []
    assert [query.limit for query in on.index.searches] == [40, 320]


async def test_no_search_asks_for_more_than_a_thousand_candidates() -> None:
    on = FunnelOnFakes()
    await on.add(*(dead(short("tea", n)) for n in range(1100)))
    await on.search("tea", retrieve_k=200)
    await on.search("tea", retrieve_k=1000)
    assert [query.limit for query in on.index.searches] == [200, 1000, 1000]


async def test_a_small_corpus_is_not_searched_twice() -> None:
    on = FunnelOnFakes()
    await on.add(*(dead(short("tea", n)) for n in range(10)))
    assert (await on.search("tea")).passages == []
    assert len(on.index.searches) == 1


async def test_the_same_text_is_shown_once() -> None:
    on = FunnelOnFakes()
    await on.add(
        Book("first", ["The cellar is cold."]),
        Book("copy", ["The  cellar is\ncold."]),
        Book("else", ["The attic is warm."]),
    )
    texts = [" ".join(p.text.split()) for p in (await on.search("cellar")).passages]
    assert sorted(texts) == ["The attic is warm.", "The cellar is cold."]


async def test_another_workspace_sees_nothing_even_by_name() -> None:
    on = FunnelOnFakes()
    book = Book("ours", ["The cellar is cold."])
    await on.add(book)
    stranger = caller("other")
    assert (await on.search("cellar", by=stranger)).passages == []
    assert (await on.search("cellar", by=stranger, scope=SearchScope(document_ids=[book.id]))).passages == []


async def test_another_workspace_does_not_change_our_scores() -> None:
    on = FunnelOnFakes()
    await on.add(*(short("tea with milk", n) for n in range(5)))
    before = await on.search("tea milk")
    await on.add(*(short("tea tea milk milk sugar", n) for n in range(50)), owner=caller("other"))
    after = await on.search("tea milk")
    assert [(p.chunk_id, p.score) for p in after.passages] == [(p.chunk_id, p.score) for p in before.passages]


async def test_the_gate_drops_what_is_far_off_and_says_when_the_rest_is_too_little() -> None:
    on = FunnelOnFakes()
    await on.add(Book("near", ["cellar cold"]), Book("far", ["ships sail on the wide open sea in winter"]))
    assert [p.title for p in (await on.search("cellar cold", min_similarity=0.8)).passages] == ["near"]
    assert (await on.search("cellar cold", min_avg_similarity=0.95)).sufficient is False
    assert (await on.search("cellar cold", min_avg_similarity=0.95, min_similarity=0.8)).sufficient is True
    nothing = await on.search("zebra", min_similarity=0.99)
    assert (nothing.passages, nothing.sufficient) == ([], False)


async def test_the_gate_knows_cosines_even_when_only_terms_are_searched() -> None:
    on = FunnelOnFakes()
    await on.add(
        Book("near", ["cellar cold"]),
        Book("far", ["cellar of ships that sail on the wide open sea in winter"]),
    )
    assert [
        p.title for p in (await on.search("cellar cold", fusion="sparse_only", min_similarity=0.8)).passages
    ] == ["near"]


async def test_passages_fit_the_budget_and_the_last_is_cut_at_a_sentence() -> None:
    on = FunnelOnFakes()
    long = " ".join(f"Tea sentence {number} has exactly seven words." for number in range(20))
    await on.add(Book("long", [long]), Book("longer", [f"{long} And more tea."]))
    result = await on.search("tea sentence", context_tokens=200, clip=True)
    assert sum(len(p.text.split()) for p in result.passages) <= 200
    first, last = result.passages
    assert (first.clipped, last.clipped, result.left_out) == (False, True, 0)
    assert last.text.endswith("words.")
    assert last.char_end - last.char_start == len(last.text)
    without = await on.search("tea sentence", context_tokens=200, clip=False)
    assert (len(without.passages), without.left_out) == (1, 1)


async def test_passages_without_room_are_cut_to_what_is_asked_for() -> None:
    on = FunnelOnFakes()
    for book in range(4):
        lines = [f"Filler {book} {number} says nothing that anybody asks." for number in range(10)]
        lines[6] = f"The cellar {book} is kept at twelve degrees."
        await on.add(Book(f"book {book}", [" ".join(lines)]))
    result = await on.search("cellar degrees", context_tokens=120, explain=True)
    assert len(result.passages) == 4
    assert sum(len(p.text.split()) for p in result.passages) <= 120
    for passage in result.passages:
        assert "is kept at twelve degrees." in passage.text
        assert passage.clipped
        assert passage.char_start > 0
        assert passage.char_end - passage.char_start == len(passage.text)
    budget = next(report for report in result.explanation or [] if report.stage == "budget")
    assert budget.notes["clipped"] is True
    by_rank = await on.search("cellar degrees", context_tokens=120, shorten=False)
    assert [p.clipped for p in by_rank.passages] == [False, True]


async def test_each_stage_explains_itself() -> None:
    on = FunnelOnFakes(FakeReranker())
    await on.add(*(short("tea with milk", number) for number in range(20)))
    result = await on.search("tea", explain=True)
    reports = {report.stage: report for report in result.explanation or []}
    assert list(reports) == [
        "embed",
        "search",
        "fuse",
        "enrich",
        "feedback",
        "diversify",
        "rerank",
        "gate",
        "budget",
        "neighbours",
    ]
    assert reports["search"].given == reports["fuse"].taken == 20
    assert reports["budget"].given == len(result.passages) == 8
    assert [line["chunk_id"] for line in reports["rerank"].notes["scores"]] == [
        p.chunk_id for p in result.passages
    ]
    assert result.timings_ms.keys() == {*reports, "total"}
    assert (
        result.timings_ms["total"]
        >= sum(ms for stage, ms in result.timings_ms.items() if stage != "total") - 0.1
    )
    assert (await on.search("tea")).explanation is None


async def test_evidence_is_judged_by_the_scale_of_the_reranker_that_ran() -> None:
    reranker = FakeReranker()
    on = FunnelOnFakes(reranker)
    # The reranker scores a text by its length: more than 20 characters are evidence.
    on.scales["cross_encoder"] = Scale(-20.0, 0.0, 0.0, 0.0, 1.0)
    await on.add(Book("wine", ["The cellar is kept at twelve degrees."]))
    assert (await on.search("cellar")).sufficient
    await on.add(Book("rent", ["Rent is due."]))
    assert not (await on.search("-cellar rent")).sufficient
    assert (await on.search("-cellar rent", reranker="none")).sufficient
    reranker.error = Unavailable("reranker", "It does not answer.")
    failed = await on.search("-cellar rent")
    assert (failed.sufficient, failed.degraded) == (True, ["rerank"])


async def test_a_query_is_embedded_once() -> None:
    on = FunnelOnFakes()
    await on.add(short("tea", 1))
    cached = []
    for _ in range(2):
        result = await on.search("tea", explain=True)
        cached.append(
            next(report.notes["cached"] for report in result.explanation or [] if report.stage == "embed")
        )
    assert cached == [False, True]


async def test_stop_words_alone_find_by_meaning() -> None:
    on = FunnelOnFakes()
    await on.add(Book("play", ["to be or not to be"]))
    assert len((await on.search("to be or not")).passages) == 1
    assert (await on.search("to be or not", fusion="sparse_only")).passages == []


class TestRerank:
    async def test_the_head_is_ordered_anew_and_says_so(self) -> None:
        on = FunnelOnFakes(FakeReranker())
        await on.add(
            Book("short", ["tea"]), Book("long", ["tea and a long talk about everything else under the sun"])
        )
        result = await on.search("tea", reranker="auto")
        assert [(p.title, p.ranks.reranked, p.ranks.fused) for p in result.passages] == [
            ("long", 1, 2),
            ("short", 2, 1),
        ]
        assert result.settings.reranker == "cross_encoder"

    async def test_three_times_what_is_wanted_is_read(self) -> None:
        reranker = FakeReranker()
        on = FunnelOnFakes(reranker)
        await on.add(*(short("tea", number) for number in range(30)))
        assert len((await on.search("tea", top_k=4)).passages) == 4
        assert len(reranker.seen) == 12

    async def test_enough_is_looked_up_for_the_reranker(self) -> None:
        reranker = FakeReranker()
        on = FunnelOnFakes(reranker)
        books = [short("tea", number) for number in range(80)]
        await on.add(*(dead(book) if number % 8 == 0 else book for number, book in enumerate(books)))
        await on.search("tea", top_k=16, retrieve_k=80)
        assert len(reranker.seen) == 48

    @pytest.mark.parametrize(
        "reranker",
        [
            FakeReranker(Unavailable("rerank", "gone")),
            FakeReranker(Misconfigured("no model")),
            FakeReranker(silent=True),
        ],
    )
    async def test_an_error_or_a_time_out_leaves_the_fused_order(self, reranker: FakeReranker) -> None:
        on = FunnelOnFakes(reranker, Limits(search_s=60, rerank_s=0.05))
        await on.add(
            Book("short", ["tea"]), Book("long", ["tea and a long talk about everything else under the sun"])
        )
        result = await on.search("tea")
        assert [p.title for p in result.passages] == ["short", "long"]
        assert result.degraded == ["rerank"]
        assert all(p.ranks.reranked is None for p in result.passages)


class TestDegraded:
    @pytest.mark.parametrize(
        "error", [Unavailable("qdrant", "the leg timed out"), OurFault("the leg was refused")]
    )
    @pytest.mark.parametrize("fusion", ["rrf", "weighted_blend", "dbsf"])
    async def test_without_the_sparse_leg_the_dense_one_answers(
        self, error: Unavailable | OurFault, fusion: Fusion
    ) -> None:
        on = FunnelOnFakes()
        await on.add(Book("wine", ["The cellar is cold."]), Book("rent", ["Rent is due in May."]))
        on.index.sparse_broken = error
        result = await on.search("cold cellar", fusion=fusion)
        assert result.passages[0].title == "wine"
        assert result.degraded == ["sparse"]

    async def test_terms_alone_cannot_be_searched_without_their_leg(self) -> None:
        on = FunnelOnFakes()
        await on.add(short("tea", 1))
        on.index.sparse_broken = Unavailable("qdrant", "gone")
        with pytest.raises(Unavailable):
            await on.search("tea", fusion="sparse_only")

    async def test_without_the_store_there_is_no_answer(self) -> None:
        on = FunnelOnFakes()
        await on.add(short("tea", 1))
        on.index.broken = Unavailable("qdrant", "gone")
        with pytest.raises(Unavailable) as caught:
            await on.search("tea")
        assert caught.value.part == "qdrant"

    async def test_a_lane_of_another_model_is_not_searched(self) -> None:
        on = FunnelOnFakes()
        await on.index.open_lane(LANE, LaneFingerprint("other", "1", 64, "", "", normalised=True))
        with pytest.raises(Misconfigured, match="other"):
            await on.search("tea")
        assert on.index.searches == []

    async def test_a_store_that_was_emptied_is_opened_again(self) -> None:
        on = FunnelOnFakes()
        await on.add(short("tea", 1))
        assert len((await on.search("tea")).passages) == 1
        on.lane.index = FunnelOnFakes().index
        assert (await on.search("tea")).passages == []


async def test_an_identifier_is_found_as_it_is_written() -> None:
    on = FunnelOnFakes()
    await on.add(
        Book("pieces", ["Err and 4042, then err again, and 4042 once more."]),
        Book("whole", ["See ERR-4042."]),
    )
    assert (await on.search("ERR-4042", fusion="sparse_only")).passages[0].title == "whole"


async def test_a_lane_of_before_is_searched_by_the_terms_that_it_has() -> None:
    on = FunnelOnFakes(terms=1)
    await on.add(Book("whole", ["See ERR-4042."]))
    result = await on.search("ERR-4042", fusion="sparse_only")
    assert [p.title for p in result.passages] == ["whole"]
    hit = (await on.index.search(LANE, on.index.searches[-1])).sparse[0]
    words = replace(on.index.searches[-1], sparse=sparse.embed_query("ERR-4042", 1))
    assert hit.score == (await on.index.search(LANE, words)).sparse[0].score
