"""The lane's model in a process: loaded once, waited for, its vectors kept."""

import asyncio
import threading
from collections.abc import Sequence

import pytest

from footnote_retriever.funnel.embed import LaneModel, QueryModel
from footnote_shared.contracts.identity import Principal
from footnote_shared.embedding import sparse
from footnote_shared.embedding.protocol import Vectors
from footnote_shared.kernel.errors import Misconfigured, OurFault, Unavailable
from footnote_testing.eventually import LIMIT_S, eventually, eventually_async
from footnote_testing.fake_embedder import FakeEmbedder

ME = Principal(workspace_id="w1", avatar_id="a1", scopes=frozenset({"read"}))
COLLEAGUE = ME.model_copy(update={"avatar_id": "a2"})


def lane_model(given: FakeEmbedder | None = None) -> LaneModel:
    embedder = given or FakeEmbedder()
    return LaneModel(
        embedder.fingerprint, embedder.embed_queries, sparse.embed_query, lambda text: len(text.split())
    )


async def test_what_an_avatar_asked_is_kept_for_that_avatar_alone() -> None:
    model = QueryModel(lane_model, cache_size=8, wait_s=60)
    await model.vectors(COLLEAGUE, "tea")
    assert [(await model.vectors(ME, "tea"))[1] for _ in range(2)] == [False, True]
    assert (await model.vectors(ME.model_copy(update={"workspace_id": "w2"}), "tea"))[1] is False


async def test_the_latest_queries_are_kept() -> None:
    model = QueryModel(lane_model, cache_size=2, wait_s=60)
    first = (await model.vectors(ME, "tea"))[0]
    assert (await model.vectors(ME, "tea")) == (first, True)
    await model.vectors(ME, "milk")
    await model.vectors(ME, "tea")
    await model.vectors(ME, "sugar")
    assert [(await model.vectors(ME, query))[1] for query in ("tea", "sugar")] == [True, True]
    assert (await model.vectors(ME, "milk"))[1] is False


async def test_nothing_is_kept_where_there_is_no_room() -> None:
    model = QueryModel(lane_model, cache_size=0, wait_s=60)
    assert [(await model.vectors(ME, "tea"))[1] for _ in range(2)] == [False, False]


class GatedEmbedder(FakeEmbedder):
    """Works when its gate is open; notes how many queries came at once."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.sizes: list[int] = []

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        self.sizes.append(len(texts))
        self.gate.wait(LIMIT_S)
        return super().embed_queries(texts)


async def test_queries_that_wait_are_embedded_together_and_each_gets_its_own_vectors() -> None:
    embedder = GatedEmbedder()
    model = QueryModel(lambda: lane_model(embedder), cache_size=0, wait_s=60)
    await model.fingerprint()
    first = asyncio.create_task(model.vectors(ME, "tea"))
    await asyncio.to_thread(eventually, lambda: embedder.sizes == [1], "the first query is with the model")
    queries = [f"cup number {number}" for number in range(11)]
    others = [asyncio.create_task(model.vectors(ME, query)) for query in queries]
    gone = asyncio.create_task(model.vectors(ME, "who gives up"))
    # The model stands still and the rest is on this loop: a few turns of it bring everybody to the wait.
    for _ in range(20):
        await asyncio.sleep(0)
    gone.cancel()
    embedder.gate.set()
    await first
    alone = FakeEmbedder()
    for query, (made, _) in zip(queries, await asyncio.gather(*others), strict=True):
        assert made.dense is not None
        assert made.dense == pytest.approx(alone.embed_query(query))
        assert made.sparse == sparse.embed_query(query)
    assert embedder.sizes == [1, 8, 4]
    await model.close()


async def test_a_model_that_fails_tells_all_who_wait_and_works_again() -> None:
    embedder = FailingEmbedder()
    model = QueryModel(lambda: lane_model(embedder), cache_size=0, wait_s=60)
    outcomes = await asyncio.gather(
        *(model.vectors(ME, query) for query in ("tea", "milk")), return_exceptions=True
    )
    assert [type(outcome) for outcome in outcomes] == [OurFault, OurFault]
    embedder.fails = False
    assert (await model.vectors(ME, "tea"))[1] is False
    await model.close()


class FailingEmbedder(FakeEmbedder):
    fails = True

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        if self.fails:
            raise OurFault("the runtime failed")
        return super().embed_queries(texts)


async def test_a_model_that_is_still_being_loaded_is_named_and_goes_on_loading() -> None:
    go = threading.Event()

    def slow() -> LaneModel:
        go.wait(LIMIT_S)
        return lane_model()

    model = QueryModel(slow, cache_size=2, wait_s=0.05)
    with pytest.raises(Unavailable) as caught:
        await model.vectors(ME, "tea")
    assert caught.value.part == "embedder"
    go.set()
    assert (await eventually_async(model.fingerprint, "the model is loaded")).model == "fake"
    assert model.count_tokens("two words") == 2
    await model.close()


async def test_a_model_that_cannot_be_loaded_says_why_each_time_and_is_loaded_once() -> None:
    loads = []

    def broken() -> LaneModel:
        loads.append(1)
        raise Misconfigured("there is no such model")

    model = QueryModel(broken, cache_size=2, wait_s=60)
    for _ in range(3):
        with pytest.raises(Misconfigured, match="no such model"):
            await model.vectors(ME, "tea")
    assert len(loads) == 1
    await model.close()
