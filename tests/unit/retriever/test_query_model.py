"""The lane's model in a process: loaded once, waited for, its vectors kept."""

import threading

import pytest

from footnote_retriever.funnel.embed import LaneModel, QueryModel
from footnote_shared.contracts.identity import Principal
from footnote_shared.embedding import sparse
from footnote_shared.kernel.errors import Misconfigured, Unavailable
from footnote_testing.eventually import eventually_async
from footnote_testing.fake_embedder import FakeEmbedder

ME = Principal(workspace_id="w1", avatar_id="a1", scopes=frozenset({"read"}))
COLLEAGUE = ME.model_copy(update={"avatar_id": "a2"})


def lane_model() -> LaneModel:
    embedder = FakeEmbedder()
    return LaneModel(
        embedder.fingerprint, embedder.embed_query, sparse.embed_query, lambda text: len(text.split())
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


async def test_a_model_that_is_still_being_loaded_is_named_and_goes_on_loading() -> None:
    go = threading.Event()

    def slow() -> LaneModel:
        go.wait(30)
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
