"""A cache of results that cannot lie."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import pytest
import redis.asyncio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from footnote_retriever.funnel.answer import answer
from footnote_retriever.funnel.kept_results import KeptResults, ResultsInMemory, ResultsInRedis
from footnote_retriever.funnel.look import SearchQuery
from footnote_retriever.funnel.one_search import OneSearch
from footnote_retriever.funnel.plan import BUILT_IN, resolve
from footnote_retriever.funnel.resources import SearchResources
from footnote_retriever.funnel.retrieval_cache import RetrievalCache
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.search import SearchResult, SearchScope, SearchSettings
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.kernel.ids import new_id
from footnote_shared.redis.connection import connect_async
from footnote_shared.settings.base import Settings
from footnote_shared.settings.flag_values import fallbacks
from footnote_testing.eventually import LIMIT_S
from footnote_testing.library import Book
from footnote_testing.ports import free_port
from footnote_testing.redis_process import RedisProcess
from tests.properties.effort import examples
from tests.unit.retriever.funnel_on_fakes import FunnelOnFakes, caller

T = TypeVar("T")
OTHER = "the other avatar"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisProcess]:
    process = RedisProcess(tmp_path_factory.mktemp("redis"))
    yield process
    process.stop()


@pytest.fixture(params=["redis", "memory"])
def keeper(request: pytest.FixtureRequest) -> RedisProcess | None:
    """The Redis in which results are kept; None where they are kept in the process."""
    if request.param == "memory":
        return None
    server: RedisProcess = request.getfixturevalue("server")
    return server


class CachedFunnel(FunnelOnFakes):
    """The funnel over fakes, with a cache in a workspace of its own."""

    def __init__(self, kept: KeptResults, deployment: str = "") -> None:
        super().__init__()
        self.me = caller(new_id())
        self.funnel = self.cached(kept, deployment)

    async def add(self, *books: Book, owner: Principal | None = None) -> None:
        """Add books, and open the lane, as the first search of a process does."""
        await super().add(*books, owner=owner)
        await self.funnel.lane.ensure_open(await self.funnel.model.fingerprint())

    def cached(self, kept: KeptResults, deployment: str = "") -> SearchResources:
        return replace(self.funnel, cache=RetrievalCache(kept, deployment))

    def query(
        self, text: str, by: Principal | None = None, scope: SearchScope | None = None, **settings: Any
    ) -> SearchQuery:
        plan = resolve(BUILT_IN["default"], settings, self.funnel.rerankers, fallbacks(Settings()))
        return SearchQuery(by or self.me, text, scope, plan)


def in_redis(client: redis.asyncio.Redis) -> ResultsInRedis:
    # On a busy machine a Redis that is well takes longer than searches may wait for it.
    return ResultsInRedis(client, 60, answer_s=LIMIT_S)


def run(keeper: RedisProcess | None, work: Callable[[CachedFunnel], Awaitable[T]]) -> T:
    async def whole() -> T:
        if keeper is None:
            return await work(CachedFunnel(ResultsInMemory(60)))
        client = connect_async(keeper.url)
        try:
            return await work(CachedFunnel(in_redis(client)))
        finally:
            await client.aclose()

    return asyncio.run(whole())


def said(result: SearchResult) -> dict[str, Any]:
    """All that a result says, but for its id and its times."""
    return result.model_dump(exclude={"retrieval_id", "timings_ms"})


CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["add", "add", "delete", "replace", "hide", "show"]),
        st.integers(0, 3),
        st.sampled_from(["tea with milk", "milk", "ships at sea", "tea at sea"]),
    ),
    min_size=1,
    max_size=5,
)
SEARCHES: Sequence[tuple[str, bool, SearchScope | None, dict[str, Any]]] = (
    ("tea", False, None, {}),
    ("tea", True, None, {}),
    ("milk -sea", False, None, {"fusion": "dbsf"}),
    ("sea", False, SearchScope(document_ids=["0", "2"]), {}),
    ("sea", True, SearchScope(document_ids=["0", "2"]), {"top_k": 1}),
)


@settings(
    max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(CHANGES)
def test_whatever_changes_the_answer_is_that_of_a_search(
    keeper: RedisProcess | None, changes: list[tuple[str, int, str]]
) -> None:
    async def work(on: CachedFunnel) -> None:
        other = on.me.model_copy(update={"avatar_id": OTHER})
        books: dict[int, Book] = {}
        for change, number, words in changes:
            await apply(on, books, change, number, words)
            for text, by_other, scope, chosen in SEARCHES:
                query = on.query(text, other if by_other else on.me, scope, **chosen)
                expected = said(await OneSearch(on.funnel, query).run())
                for _ in range(2):
                    assert said(await answer(on.funnel, query)) == expected

    run(keeper, work)


async def apply(on: CachedFunnel, books: dict[int, Book], change: str, number: int, words: str) -> None:
    if change == "delete":
        on.ingest.delete_document(str(number))
    elif change in ("hide", "show") and number in books:
        old = books[number]
        books[number] = Book(old.title, old.texts, id=old.id, private=change == "hide", version=old.version)
        await on.add(books[number], owner=on.me)
    elif change in ("add", "replace"):
        on.ingest.delete_document(str(number))
        books[number] = Book(f"book {number}", [f"{words} {number}"], id=str(number))
        await on.add(books[number], owner=on.me)


def test_an_equal_search_is_not_made_again(keeper: RedisProcess | None) -> None:
    async def work(on: CachedFunnel) -> None:
        await on.add(Book("one", ["tea"]), owner=on.me)
        first, second = [await answer(on.funnel, on.query("tea")) for _ in range(2)]
        assert len(on.index.searches) == 1
        assert said(first) == said(second)
        assert first.retrieval_id != second.retrieval_id
        assert set(second.timings_ms) == {"cache", "total"}
        for changed in (
            on.query("tea", top_k=3),
            on.query("teas"),
            on.query("tea", scope=SearchScope(kinds=["x"])),
        ):
            before = len(on.index.searches)
            await answer(on.funnel, changed)
            assert len(on.index.searches) == before + 1

    run(keeper, work)


def test_ingest_is_asked_once_for_a_search_and_once_for_what_is_kept(keeper: RedisProcess | None) -> None:
    async def work(on: CachedFunnel) -> None:
        await on.add(Book("one", ["tea"], id="1"), Book("two", ["milk"], id="2"), owner=on.me)
        await answer(on.funnel, on.query("tea"))
        for text in ("milk", "milk"):
            before = on.ingest.lookups
            assert (await answer(on.funnel, on.query(text))).passages
            assert on.ingest.lookups == before + 1
        assert len(on.index.searches) == 2
        on.ingest.delete_document("2")
        for text in ("milk", "tea", "milk"):
            titles = [passage.title for passage in (await answer(on.funnel, on.query(text))).passages]
            assert "two" not in titles

    run(keeper, work)


def test_an_equal_search_that_began_before_a_change_is_not_joined(keeper: RedisProcess | None) -> None:
    async def work(on: CachedFunnel) -> None:
        await on.add(Book("one", ["tea"], id="1"), Book("two", ["milk"], id="2"), owner=on.me)
        first = await answer(on.funnel, on.query("milk"))
        cache = on.funnel.cache
        assert cache is not None
        generation = cache.seen_generation(on.me.workspace_id)
        began, go_on = asyncio.Event(), asyncio.Event()

        async def slow() -> SearchResult:
            began.set()
            await go_on.wait()
            return first

        running = asyncio.create_task(cache.result(on.me.workspace_id, [generation], slow))
        await began.wait()

        async def changed() -> bool:
            return False

        assert await cache.result(on.me.workspace_id, [generation], slow, changed) is None
        go_on.set()
        assert await running == first
        assert await cache.result(on.me.workspace_id, [generation], slow, changed) is None

    run(keeper, work)


def test_nothing_of_a_session_is_kept(keeper: RedisProcess | None) -> None:
    """An upload ends at a moment that changes no generation."""

    async def work(on: CachedFunnel) -> None:
        session_id = "visitor-0123456789abcdef"
        await on.add(Book("one", ["tea"], session_id=session_id), owner=on.me)
        visitor = on.me.model_copy(update={"session_id": session_id})
        query = on.query("tea", visitor, SearchScope(session_id=session_id))
        assert [passage.title for passage in (await answer(on.funnel, query)).passages] == ["one"]
        on.ingest.forget_quietly(query.caller.workspace_id)
        assert (await answer(on.funnel, query)).passages == []

    run(keeper, work)


def test_equal_searches_at_once_are_one(keeper: RedisProcess | None) -> None:
    async def work(on: CachedFunnel) -> None:
        await on.add(Book("one", ["tea"]), owner=on.me)
        results = await asyncio.gather(*(answer(on.funnel, on.query("tea")) for _ in range(8)))
        assert len(on.index.searches) == 1
        assert len({result.retrieval_id for result in results}) == 8
        assert all(said(result) == said(results[0]) for result in results)

    run(keeper, work)


def test_another_avatar_and_another_deployment_have_entries_of_their_own(server: RedisProcess) -> None:
    async def whole() -> None:
        client = connect_async(server.url)
        on = CachedFunnel(in_redis(client))
        await on.add(Book("one", ["tea"]), owner=on.me)
        await answer(on.funnel, on.query("tea"))
        await answer(on.funnel, on.query("tea", on.me.model_copy(update={"avatar_id": OTHER})))
        await answer(on.funnel, on.query("tea", on.me.model_copy(update={"groups": ("legal",)})))
        await answer(on.cached(in_redis(client), "another reranker"), on.query("tea"))
        assert len(on.index.searches) == 4
        await client.aclose()

    asyncio.run(whole())


def test_nothing_found_is_kept_and_a_degraded_result_is_not(keeper: RedisProcess | None) -> None:
    async def work(on: CachedFunnel) -> None:
        await on.add(Book("one", ["tea"]), owner=on.me)
        for _ in range(2):
            assert not (await answer(on.funnel, on.query("tea", scope=SearchScope(kinds=["x"])))).passages
        assert len(on.index.searches) == 1
        for _ in range(2):
            assert (await answer(on.funnel, on.query("tea", expand=["hyde"]))).degraded == ["hyde"]
        assert len(on.index.searches) == 3

    run(keeper, work)


async def test_without_redis_every_answer_is_right() -> None:
    client = connect_async(f"redis://127.0.0.1:{free_port()}")
    on = CachedFunnel(in_redis(client))
    await on.add(Book("one", ["tea"]), owner=on.me)
    assert on.funnel.cache is not None
    for _ in range(2):
        result = await answer(on.funnel, on.query("tea"))
        assert [passage.title for passage in result.passages] == ["one"]
        assert not result.degraded
        # Until Redis is given up, an equal search is given this result.
        await on.funnel.cache.close()
    assert len(on.index.searches) == 2
    await client.aclose()


def test_a_result_is_given_before_it_is_kept_and_joined_until_then(server: RedisProcess) -> None:
    async def work(on: CachedFunnel) -> None:
        assert on.funnel.cache is not None
        await on.add(Book("one", ["tea"], id="one"), owner=on.me)
        # From here on Redis takes no word.
        stopped = asyncio.Event()

        async def paused() -> None:
            async with connect_async(server.url) as other:
                await other.client_pause(60_000, all=False)
                stopped.set()
                await resumed.wait()
                await other.client_unpause()

        resumed = asyncio.Event()
        pausing = asyncio.create_task(paused())
        await stopped.wait()
        first = await answer(on.funnel, on.query("tea"))
        assert await stored(on) == 0
        assert said(await answer(on.funnel, on.query("tea"))) == said(first)
        assert len(on.index.searches) == 1
        on.ingest.delete_document("one")
        assert not (await answer(on.funnel, on.query("tea"))).passages
        resumed.set()
        await pausing
        await on.funnel.cache.close()
        assert await stored(on) == 2

    async def stored(on: CachedFunnel) -> int:
        async with connect_async(server.url) as other:
            return len([key async for key in other.scan_iter(f"*{on.me.workspace_id}*")])

    run(server, work)


def test_an_entry_that_cannot_be_read_is_none(server: RedisProcess) -> None:
    async def whole() -> None:
        client = connect_async(server.url)
        on = CachedFunnel(in_redis(client))
        await on.add(Book("one", ["tea"]), owner=on.me)
        await answer(on.funnel, on.query("tea"))
        async for key in client.scan_iter(f"*{on.me.workspace_id}*"):
            await client.set(key, '{"passages": 3}')
        assert [p.title for p in (await answer(on.funnel, on.query("tea"))).passages] == ["one"]
        await client.aclose()

    asyncio.run(whole())


def test_a_failed_search_fails_for_all_who_wait_and_is_not_kept(keeper: RedisProcess | None) -> None:
    async def work(on: CachedFunnel) -> None:
        await on.add(Book("one", ["tea"]), owner=on.me)
        on.index.broken = Unavailable("qdrant", "away")
        found = await asyncio.gather(
            *(answer(on.funnel, on.query("tea")) for _ in range(3)), return_exceptions=True
        )
        assert all(isinstance(one, Unavailable) for one in found)
        on.index.broken = None
        assert (await answer(on.funnel, on.query("tea"))).passages

    run(keeper, work)


def test_settings_of_a_search_are_all_in_the_key() -> None:
    """A setting that is added takes part by itself: the whole of them does."""
    assert set(SearchSettings().model_dump(mode="json")) == set(SearchSettings.model_fields)
