"""The bridge moves a query by what it finds as the retriever does that asks for vectors and scores."""

import uuid
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from footnote_retriever.funnel.embed import QueryVectors
from footnote_retriever.funnel.feedback import PASSAGES
from footnote_retriever.funnel.fuse import ranked, weighted_blend
from footnote_retriever.funnel.query_length import share_of_added_terms
from footnote_retriever.funnel.second_order import feedback_of, moved_by
from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.vector_values import SparseVector
from footnote_shared.vectors.filters import Filter, Match
from footnote_shared.vectors.protocol import HybridQuery, VectorPoint
from footnote_shared.vectors.qdrant import QdrantVectorIndex
from footnote_shared.vectors.visibility import corpus_of, visible_to
from footnote_testing.bridge_process import BridgeProcess
from footnote_testing.eventually import LIMIT_S
from tests.contract.vector_samples import FINGERPRINT, axis, random_points

ME = Principal(workspace_id="w1", avatar_id="a1", scopes=frozenset({"read"}))
OF_MEMORY = (visible_to(ME), corpus_of(ME))
OF_THE_ENGINE = (Match("ordinal", 0), Match("ordinal", 0))
"""Points in memory know nothing of this field."""


@pytest.fixture
async def index(bridge: BridgeProcess) -> AsyncIterator[QdrantVectorIndex]:
    made = QdrantVectorIndex(bridge.url, api_key=bridge.key, timeout_s=LIMIT_S)
    yield made
    await made.close()


def with_texts_of_their_own(points: list[VectorPoint]) -> list[VectorPoint]:
    return [
        replace(one, payload=one.payload.model_copy(update={"text_hash": f"of {one.id}"})) for one in points
    ]


@pytest.mark.parametrize("words", [3, 8, 20], ids=["adding no terms", "adding some", "adding the most"])
@pytest.mark.parametrize("filters", [OF_MEMORY, OF_THE_ENGINE], ids=["memory", "engine"])
async def test_it_scores_points_as_the_retrievers_moved_query_does(
    index: QdrantVectorIndex, filters: tuple[Filter, Filter], words: int
) -> None:
    lane = f"moved-{uuid.uuid4().hex[:12]}"
    await index.open_lane(lane, FINGERPRINT)
    await index.upsert(lane, with_texts_of_their_own(random_points(80, seed=31)))
    await index.upsert(
        lane, with_texts_of_their_own(random_points(40, seed=32, workspace_id="w2", ordinal=1))
    )
    alpha = 0.45
    terms = SparseVector([1, 2, 3], [1.0, 2.0, 0.5])
    asked = HybridQuery(axis(2), terms, 15, *filters, complete=True)
    plain = await index.search(lane, asked)
    found = await index.search(lane, replace(asked, feedback=feedback_of(alpha, words)))
    assert replace(found, moved=None) == plain
    dense, sparse = ({hit.id: hit.score for hit in leg} for leg in (found.dense, found.sparse))
    blend = weighted_blend(dense, sparse, alpha=alpha)
    best = ranked(blend)[:PASSAGES]
    stored = await index.vectors(lane, best)
    moved = moved_by(
        QueryVectors(axis(2), terms), [(blend[one], stored[one]) for one in best], share_of_added_terms(words)
    )
    expected = await index.score(lane, sorted(blend), moved.dense, moved.sparse, corpus=filters[1])
    assert found.moved is not None
    assert found.moved.by == set(best)
    assert found.moved.dense == pytest.approx({one: own.dense for one, own in expected.items()}, abs=1e-5)
    assert found.moved.sparse == pytest.approx({one: own.sparse for one, own in expected.items()}, abs=1e-4)
