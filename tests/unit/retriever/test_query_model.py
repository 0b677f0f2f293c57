"""The lane's model in a process: loaded once, waited for, its vectors kept."""

import threading

import pytest

from footnote_retriever.funnel.embed import LaneModel, QueryModel
from footnote_shared.embedding import sparse
from footnote_shared.kernel.errors import Misconfigured, Unavailable
from footnote_testing.eventually import eventually_async
from footnote_testing.fake_embedder import FakeEmbedder


def lane_model() -> LaneModel:
    embedder = FakeEmbedder()
    return LaneModel(
        embedder.fingerprint, embedder.embed_query, sparse.embed_query, lambda text: len(text.split())
    )


async def test_the_latest_queries_are_kept() -> None:
    model = QueryModel(lane_model, cache_size=2, wait_s=60)
    first = (await model.vectors("tea"))[0]
    assert (await model.vectors("tea")) == (first, True)
    await model.vectors("milk")
    await model.vectors("tea")
    await model.vectors("sugar")
    assert [(await model.vectors(query))[1] for query in ("tea", "sugar")] == [True, True]
    assert (await model.vectors("milk"))[1] is False


async def test_nothing_is_kept_where_there_is_no_room() -> None:
    model = QueryModel(lane_model, cache_size=0, wait_s=60)
    assert [(await model.vectors("tea"))[1] for _ in range(2)] == [False, False]


async def test_a_model_that_is_still_being_loaded_is_named_and_goes_on_loading() -> None:
    go = threading.Event()

    def slow() -> LaneModel:
        go.wait(30)
        return lane_model()

    model = QueryModel(slow, cache_size=2, wait_s=0.05)
    with pytest.raises(Unavailable) as caught:
        await model.vectors("tea")
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
            await model.vectors("tea")
    assert len(loads) == 1
    await model.close()
