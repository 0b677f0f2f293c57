"""What a vector index finds: both legs of a search, within scopes and filters, with the right scores."""

import math
import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.search import SearchScope
from footnote_shared.kernel.errors import OurFault
from footnote_shared.kernel.vector_values import SparseVector
from footnote_shared.vectors.filters import (
    EVERYTHING,
    All,
    Any,
    Filter,
    HasId,
    IsEmpty,
    Match,
    MatchAny,
    Not,
    Range,
)
from footnote_shared.vectors.protocol import (
    BARE,
    Feedback,
    HybridHits,
    HybridQuery,
    VectorIndex,
    VectorPoint,
)
from footnote_shared.vectors.visibility import corpus_of, groups_of, visible_to
from tests.contract.vector_samples import DIMENSION, NOTHING, axis, everywhere, make_point, random_points


class TestSearch:
    async def test_both_legs_answer_as_an_exact_search_does(self, opened: VectorIndex, lane: str) -> None:
        points = random_points(300, seed=1)
        await opened.upsert(lane, points)
        rng = np.random.default_rng(2)
        for _ in range(5):
            dense = rng.standard_normal(DIMENSION).astype(np.float32)
            terms = {int(term): 1.0 for term in rng.choice(50, 4, replace=False)}
            query = HybridQuery(dense, SparseVector(list(terms), list(terms.values())), 20, EVERYTHING)
            assert_same_scores(await opened.search(lane, query), *exact(points, query))

    async def test_a_payload_comes_back_as_it_was_put_in(self, emptied: VectorIndex, lane: str) -> None:
        point = make_point(
            groups=("g1", "g2"),
            connector_id="k",
            is_public=True,
            session_id="s",
            url="https://e.org/ü?a=b",
            text=None,
        )
        await emptied.upsert(lane, [point])
        hits = await emptied.search(lane, everywhere())
        assert hits.dense[0].payload == point.payload

    async def test_a_bare_hit_names_its_chunk_and_shows_nothing(
        self, emptied: VectorIndex, lane: str
    ) -> None:
        point = make_point(sparse={1: 1.0})
        await emptied.upsert(lane, [point])
        for complete in (False, True):
            hits = await emptied.search(
                lane, replace(everywhere(terms={1: 1.0}), bare=True, complete=complete)
            )
            for hit in (*hits.dense, *hits.sparse):
                assert hit.stored == point.payload.model_dump(include=set(BARE)) == hit.ref.model_dump()
                with pytest.raises(OurFault):
                    hit.payload  # noqa: B018

    async def test_a_leg_without_a_vector_is_not_searched(self, emptied: VectorIndex, lane: str) -> None:
        await emptied.upsert(lane, [make_point()])
        assert not (await emptied.search(lane, everywhere(terms=None))).sparse
        assert not (await emptied.search(lane, everywhere(dense=None, terms={1: 1.0}))).dense
        assert (await emptied.search(lane, everywhere(dense=None, terms={1: 1.0}))).sparse

    async def test_a_query_of_stop_words_alone_searches_the_dense_leg(
        self, emptied: VectorIndex, lane: str
    ) -> None:
        await emptied.upsert(lane, [make_point()])
        hits = await emptied.search(lane, everywhere(terms={}))
        assert (len(hits.dense), len(hits.sparse)) == (1, 0)
        assert await emptied.search(lane, everywhere(dense=None, terms={})) == HybridHits([], [])

    async def test_equal_scores_are_ordered_by_id(self, emptied: VectorIndex, lane: str) -> None:
        points = [make_point() for _ in range(8)]
        await emptied.upsert(lane, points)
        hits = await emptied.search(lane, everywhere(terms={1: 1.0}))
        assert [hit.id for hit in hits.dense] == sorted(point.id for point in points)
        assert [hit.id for hit in hits.sparse] == sorted(point.id for point in points)

    async def test_no_more_than_the_limit_comes_back(self, emptied: VectorIndex, lane: str) -> None:
        await emptied.upsert(lane, random_points(30, seed=3))
        hits = await emptied.search(lane, everywhere(terms=dict.fromkeys(range(50), 1.0), limit=7))
        assert (len(hits.dense), len(hits.sparse)) == (7, 7)

    async def test_a_complete_search_scores_on_both_legs_what_either_found(
        self, opened: VectorIndex, lane: str
    ) -> None:
        points = [*random_points(120, seed=21), make_point(axis(2), {})]
        await opened.upsert(lane, [*points, *random_points(40, seed=22, workspace_id="w2")])
        me = Principal(workspace_id="w1", avatar_id="a1", scopes=frozenset({"read"}))
        terms = SparseVector([1, 2, 3], [1.0] * 3)
        plain = HybridQuery(axis(2), terms, 15, visible_to(me), corpus_of(me))
        legs = await opened.search(lane, plain)
        found = await opened.search(lane, replace(plain, complete=True))
        union = {hit.id for hit in (*legs.dense, *legs.sparse)}
        assert {hit.id for hit in found.dense} == {hit.id for hit in found.sparse} == union
        assert len(union) > 15
        scores = await opened.score(lane, sorted(union), plain.dense, plain.sparse, corpus=plain.corpus)
        for leg, hits, own in (("dense", found.dense, legs.dense), ("sparse", found.sparse, legs.sparse)):
            assert {hit.id: hit.score for hit in hits} == pytest.approx(
                {i: getattr(s, leg) for i, s in scores.items()}, abs=1e-5
            )
            assert [hit.id for hit in hits[: len(own)]] == [hit.id for hit in own]
            assert [(-hit.score, hit.id) for hit in hits] == sorted((-hit.score, hit.id) for hit in hits)
            assert all(hit.payload.workspace_id == "w1" for hit in hits)

    async def test_feedback_changes_nothing_of_what_is_found(self, emptied: VectorIndex, lane: str) -> None:
        await emptied.upsert(lane, random_points(60, seed=31))
        query = replace(everywhere(terms={1: 1.0, 2: 1.0}), complete=True)
        feedback = Feedback(alpha=0.5, passages=5, likeness=0.35, towards=0.8, terms=10, added=0.2)
        found = await emptied.search(lane, replace(query, feedback=feedback))
        assert replace(found, moved=None) == await emptied.search(lane, query)

    async def test_a_complete_search_of_one_leg_is_a_search(self, emptied: VectorIndex, lane: str) -> None:
        await emptied.upsert(lane, random_points(20, seed=23))
        for query in (everywhere(terms={}), everywhere(dense=None, terms={1: 1.0})):
            assert await emptied.search(lane, replace(query, complete=True)) == await emptied.search(
                lane, query
            )

    async def test_other_workspaces_are_never_seen(self, emptied: VectorIndex, lane: str) -> None:
        mine, theirs = (
            random_points(20, seed=4, workspace_id="w1"),
            random_points(200, seed=5, workspace_id="w2"),
        )
        await emptied.upsert(lane, [*theirs, *mine])
        me = Principal(workspace_id="w1", avatar_id="a1", scopes=frozenset({"read"}))
        terms = SparseVector(list(range(50)), [1.0] * 50)
        hits = await emptied.search(lane, HybridQuery(axis(1), terms, 100, visible_to(me)))
        expected = {point.id for point in mine}
        assert {hit.id for hit in hits.dense} == expected
        assert {hit.id for hit in hits.sparse} == expected

    @pytest.mark.parametrize(
        "hidden",
        [
            {"workspace_id": "w2"},
            {"avatar_id": "a2", "groups": groups_of("private", "a2")},
            {"session_id": "s"},
        ],
    )
    async def test_terms_weigh_as_in_what_the_caller_may_see(
        self, opened: VectorIndex, lane: str, hidden: dict[str, Any]
    ) -> None:
        """Points of another workspace, of a colleague alone, of a session change none of our scores."""
        mine = random_points(30, seed=6, workspace_id="w1")
        await opened.upsert(lane, mine)
        me = Principal(workspace_id="w1", avatar_id="a1", scopes=frozenset({"read"}))
        terms = SparseVector([1, 2, 3, 4, 5], [1.0] * 5)
        query = HybridQuery(None, terms, 10, visible_to(me), corpus=corpus_of(me))
        before = await opened.search(lane, query)
        await opened.upsert(lane, random_points(100, seed=7, **{"workspace_id": "w1", **hidden}))
        after = await opened.search(lane, query)
        assert [hit.id for hit in after.sparse] == [hit.id for hit in before.sparse]
        assert [hit.score for hit in after.sparse] == pytest.approx(
            [hit.score for hit in before.sparse], rel=1e-5
        )
        everyone = await opened.search(lane, HybridQuery(None, terms, 10, visible_to(me)))
        assert [hit.score for hit in everyone.sparse] != pytest.approx(
            [hit.score for hit in before.sparse], rel=1e-5
        )


class TestScope:
    @pytest.mark.parametrize(
        ("scope", "expected"),
        [
            (SearchScope(), {"plain", "mail"}),
            (SearchScope(document_ids=["plain"]), {"plain"}),
            (SearchScope(document_ids=[]), set()),
            (SearchScope(folder_ids=["root"]), {"plain", "mail"}),
            (SearchScope(folder_ids=["deep"]), {"mail"}),
            (SearchScope(connector_ids=["imap"]), {"mail"}),
            (SearchScope(source_types=["email", "web"]), {"mail"}),
            (SearchScope(kinds=["table"]), {"mail"}),
            (SearchScope(document_types=["pdf"]), {"plain"}),
            (SearchScope(created_from=datetime(2026, 5, 1, tzinfo=UTC)), {"mail"}),
            (SearchScope(created_to=datetime(2026, 5, 1, tzinfo=UTC)), {"plain"}),
            (SearchScope(session_id="s1"), {"anonymous"}),
            (SearchScope(session_id="s2"), set()),
            (SearchScope(document_ids=["anonymous"]), set()),
        ],
    )
    async def test_a_scope_restricts_and_an_empty_list_matches_nothing(
        self, emptied: VectorIndex, lane: str, scope: SearchScope, expected: set[str]
    ) -> None:
        early, late = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC)
        await emptied.upsert(
            lane,
            [
                make_point(document_id="plain", document_type="pdf", folder_ids=["root"], created_at=early),
                make_point(
                    document_id="mail",
                    created_at=late,
                    connector_id="imap",
                    source_type="email",
                    kind="table",
                    folder_ids=["root", "deep"],
                ),
                make_point(document_id="anonymous", session_id="s1", source_type="anonymous"),
                make_point(document_id="foreign", workspace_id="w2", folder_ids=["root"]),
            ],
        )
        me = Principal(workspace_id="w1", avatar_id="a1", scopes=frozenset({"read"}))
        hits = await emptied.search(lane, HybridQuery(axis(0), None, 10, visible_to(me, scope)))
        assert {hit.payload.document_id for hit in hits.dense} == expected

    async def test_chunks_shared_with_groups_need_one_of_them(self, emptied: VectorIndex, lane: str) -> None:
        await emptied.upsert(
            lane,
            [
                make_point(document_id="all", avatar_id="other"),
                make_point(document_id="legal", avatar_id="other", groups=["legal"]),
                make_point(document_id="sales", avatar_id="other", groups=["sales", "board"]),
                make_point(document_id="own", avatar_id="a1", groups=["board"]),
                make_point(document_id="public", avatar_id="other", groups=["board"], is_public=True),
            ],
        )
        me = Principal(workspace_id="w1", avatar_id="a1", scopes=frozenset({"read"}), groups=("legal",))
        hits = await emptied.search(lane, HybridQuery(axis(0), None, 10, visible_to(me)))
        assert {hit.payload.document_id for hit in hits.dense} == {"all", "legal", "own", "public"}


class TestScore:
    async def test_given_points_are_scored_as_the_search_scores_them(
        self, opened: VectorIndex, lane: str
    ) -> None:
        points = random_points(60, seed=8)
        await opened.upsert(lane, points)
        dense, terms = axis(2), SparseVector([1, 2, 3], [1.0, 1.0, 1.0])
        everything = await opened.search(lane, HybridQuery(dense, terms, 60, EVERYTHING))
        by_dense = {hit.id: hit.score for hit in everything.dense}
        by_terms = {hit.id: hit.score for hit in everything.sparse}
        wanted = [point.id for point in points[:40]]
        scores = await opened.score(lane, wanted, dense, terms)
        assert scores.keys() == set(wanted)
        for point_id, score in scores.items():
            assert score.dense == pytest.approx(by_dense[point_id], abs=1e-5)
            assert score.sparse == pytest.approx(by_terms.get(point_id, 0.0), abs=1e-4)

    async def test_a_leg_that_is_not_asked_has_no_score(self, emptied: VectorIndex, lane: str) -> None:
        point = make_point()
        await emptied.upsert(lane, [point])
        terms = SparseVector([1], [1.0])
        assert (await emptied.score(lane, [point.id], axis(0), None))[point.id].sparse is None
        assert (await emptied.score(lane, [point.id], axis(0), SparseVector([], [])))[point.id].sparse is None
        only_terms = (await emptied.score(lane, [point.id], None, terms))[point.id]
        assert only_terms.dense is None
        assert only_terms.sparse is not None

    async def test_unknown_points_are_absent(self, emptied: VectorIndex, lane: str) -> None:
        point = make_point()
        await emptied.upsert(lane, [point])
        scores = await emptied.score(lane, [str(uuid.uuid4()), point.id], axis(0), SparseVector([9], [1.0]))
        assert scores.keys() == {point.id}
        assert scores[point.id].sparse == 0.0
        assert await emptied.score(lane, [], axis(0), None) == {}


class TestFilters:
    MOMENT = datetime(2026, 3, 1, tzinfo=UTC)

    @pytest.mark.parametrize(
        ("condition", "expected"),
        [
            (EVERYTHING, "abc"),
            (NOTHING, ""),
            (Not(NOTHING), "abc"),
            (Not(EVERYTHING), ""),
            (Match("is_public", True), "b"),
            (Match("ordinal", 2), "b"),
            (Match("ordinal", True), ""),
            (Match("groups", "x"), "bc"),
            (MatchAny("groups", ("y", "z")), "c"),
            (MatchAny("groups", ()), ""),
            (MatchAny("ordinal", (1, 3)), "ac"),
            (Range("ordinal", gt=1, lte=3), "bc"),
            (Range("created_at", gte=MOMENT), "bc"),
            (Range("created_at", gt=MOMENT), "c"),
            (Range("created_at", lt=MOMENT + timedelta(microseconds=1)), "ab"),
            (IsEmpty("groups"), "a"),
            (IsEmpty("connector_id"), "ab"),
            (Not(IsEmpty("connector_id")), "c"),
            (Any((Match("ordinal", 1), All((Match("groups", "x"), Match("groups", "y"))))), "ac"),
            (All((Not(Match("ordinal", 1)), Not(Match("ordinal", 2)))), "c"),
            (HasId(frozenset()), ""),
        ],
    )
    async def test_every_kind_matches_what_it_says(
        self, emptied: VectorIndex, lane: str, condition: Filter, expected: str
    ) -> None:
        day = timedelta(days=1)
        await emptied.upsert(
            lane,
            [
                make_point(document_id="a", ordinal=1, created_at=self.MOMENT - day),
                make_point(document_id="b", ordinal=2, created_at=self.MOMENT, groups=["x"], is_public=True),
                make_point(
                    document_id="c",
                    ordinal=3,
                    created_at=self.MOMENT + day,
                    groups=["x", "y"],
                    connector_id="k",
                ),
            ],
        )
        found = [ref async for ref in emptied.ids_of(lane, condition)]
        assert "".join(sorted(ref.document_id for ref in found)) == expected
        assert await emptied.count(lane, condition) == len(expected)


def exact(points: list[VectorPoint], query: HybridQuery) -> tuple[dict[str, float], dict[str, float]]:
    """Scores of all points by definition: the cosine, and term weights times inverse document frequency."""
    assert query.dense is not None
    assert query.sparse is not None
    wanted = query.dense / np.linalg.norm(query.dense)
    dense = {p.id: float(p.dense @ wanted / np.linalg.norm(p.dense)) for p in points}
    sparse: dict[str, float] = {}
    for term, weight in zip(query.sparse.indices, query.sparse.values, strict=True):
        having = [p for p in points if term in p.sparse.indices]
        rarity = math.log(1 + (len(points) - len(having) + 0.5) / (len(having) + 0.5))
        for p in having:
            value = p.sparse.values[p.sparse.indices.index(term)]
            sparse[p.id] = sparse.get(p.id, 0.0) + value * weight * rarity
    return dense, sparse


def assert_same_scores(hits: HybridHits, dense: dict[str, float], sparse: dict[str, float]) -> None:
    for found, expected in ((hits.dense, dense), (hits.sparse, sparse)):
        best = sorted(expected.items(), key=lambda pair: (-pair[1], pair[0]))[: len(found)]
        assert len(found) == min(20, len(expected))
        assert [hit.id for hit in found] == [point_id for point_id, _ in best]
        assert [hit.score for hit in found] == pytest.approx([score for _, score in best], rel=1e-4, abs=1e-5)
