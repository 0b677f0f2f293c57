"""Results of searches in the memory of the only process that answers."""

import gc
from weakref import ref

import pytest
from pydantic import ValidationError

from footnote_retriever.funnel.answer import answer
from footnote_retriever.funnel.kept_results import ResultsInMemory
from footnote_shared.contracts.search import SearchResult
from footnote_testing.eventually import eventually_async
from footnote_testing.library import Book
from tests.unit.retriever.funnel_on_fakes import FunnelOnFakes
from tests.unit.retriever.test_retrieval_cache import CachedFunnel, said


async def result_with(text: str) -> SearchResult:
    on = FunnelOnFakes()
    await on.add(Book("one", [text]))
    return await on.search("tea")


async def test_a_result_in_memory_is_the_same_after_whoever_had_it() -> None:
    """One object is given to all who ask, so nobody may change it."""
    on = CachedFunnel(ResultsInMemory(60))
    await on.add(Book("one", ["tea"]), owner=on.me)
    whole = (await answer(on.funnel, on.query("tea"))).model_dump_json()
    first = await answer(on.funnel, on.query("tea"))
    for name in type(first).model_fields:
        with pytest.raises(ValidationError):
            setattr(first, name, None)
    for name in type(first.passages[0]).model_fields:
        with pytest.raises(ValidationError):
            setattr(first.passages[0], name, None)
    again = await answer(on.funnel, on.query("tea"))
    own = {"retrieval_id": first.retrieval_id, "timings_ms": first.timings_ms}
    assert again.model_copy(update=own) == first
    assert said(again) == said(type(again).model_validate_json(whole))
    assert len(on.index.searches) == 1


async def test_a_result_in_memory_ends_with_its_time() -> None:
    moment = 1000.0
    kept = ResultsInMemory(60, clock=lambda: moment)
    result = await result_with("tea")
    await kept.put("a", result)
    moment += 59
    assert await kept.get("a") == result
    moment += 1
    assert await kept.get("a") is None


async def test_a_result_that_nobody_asks_for_again_leaves_memory_with_its_time() -> None:
    kept = ResultsInMemory(0.01)
    for key in ("a", "b"):
        await kept.put(key, await result_with("tea"))
    again = ref(result := await result_with("tea"))
    await kept.put("a", result)
    del result

    async def there() -> bool:
        gc.collect()
        return again() is not None

    await eventually_async(there, "the result is gone", until=lambda found: not found)


async def test_the_oldest_results_in_memory_make_room_for_new_ones() -> None:
    result = await result_with("tea " * 500)
    kept = ResultsInMemory(60, most_characters=20_000)
    for key in ("a", "b", "c", "d", "a"):
        await kept.put(key, result)
    found = {key: await kept.get(key) is not None for key in ("a", "b", "c", "d")}
    assert found == {"a": True, "b": False, "c": False, "d": True}
