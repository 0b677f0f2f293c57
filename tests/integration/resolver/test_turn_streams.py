"""The streams of a turn over a real Redis: who may write, what is kept, how much is done at once (spec 6)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import redis.asyncio

from footnote_resolver.streams.announcements import Announcements
from footnote_resolver.streams.hub import FIRST, StreamEntry, StreamHub, gathering_s
from footnote_resolver.streams.turn_streams import TakenLease, TurnStreams
from footnote_shared.kernel.asyncio_tasks import end_tasks
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.kernel.ids import new_id
from footnote_shared.redis import keys
from footnote_shared.redis.connection import connect_async
from footnote_testing.eventually import eventually_async
from footnote_testing.redis_process import RedisProcess

DAY_MS = 24 * 3600 * 1000
EVENT = ("text.delta", b'{"data":{"text":"a"}}')


@asynccontextmanager
async def running(loop: Any) -> AsyncIterator[None]:
    task = asyncio.create_task(loop)
    try:
        yield
    finally:
        await end_tasks({task}, 5)


@pytest.fixture
async def client(redis_server: RedisProcess) -> AsyncIterator["redis.asyncio.Redis"]:
    made = connect_async(redis_server.url)
    await made.flushall()
    yield made
    await made.aclose()


@pytest.fixture
async def streams(client: "redis.asyncio.Redis") -> AsyncIterator[TurnStreams]:
    made = TurnStreams(client, lease_s=60, retention_s=3600)
    async with running(made.run()):
        yield made


class TestLease:
    async def test_says_what_became_of_the_turn(self, client: Any, streams: TurnStreams) -> None:
        turn = new_id()
        assert await streams.take(turn, "one", announced=True) == TakenLease("new")
        assert await streams.take(turn, "two", announced=True) == TakenLease("held")
        await streams.release(turn, "two")
        assert await streams.holdings([turn]) == [(True, True)], "only its holder frees a lease"
        await streams.release(turn, "one")
        assert await streams.take(turn, "two", announced=False) == TakenLease("known")
        await client.flushall()
        assert not await streams.renew(turn, "two")
        assert await streams.take(turn, "two", announced=False) == TakenLease("gone")

    async def test_what_a_new_turn_has_said_comes_with_it(self, client: Any, streams: TurnStreams) -> None:
        turn = new_id()
        for at in range(40):
            await client.xadd(keys.turn_raw(turn), {"e": b"%d \xff" % at}, id=f"1-{at + 1}")
        taken = await streams.take(turn, "one", announced=True)
        assert taken.outcome == "new"
        assert taken.first[0] == (b"1-1", [b"e", b"0 \xff"])
        rest: list[StreamEntry] = []

        async def heard() -> int:
            return len(taken.first) + len(rest)

        hub = StreamHub(client)
        hub.follow(keys.turn_raw(turn), taken.first[-1][0], rest.extend)
        async with running(hub.run()):
            await eventually_async(heard, "all of it is there", until=lambda count: count == 40)
        assert [entry_id for entry_id, _ in (*taken.first, *rest)] == [b"1-%d" % (n + 1) for n in range(40)]

    async def test_lasts_as_long_as_was_set(self, client: Any, streams: TurnStreams) -> None:
        turn = new_id()
        await streams.take(turn, "one", announced=True)
        await client.pexpire(keys.turn_lease(turn), 5_000)
        assert await streams.renew(turn, "one")
        assert 55_000 < await client.pttl(keys.turn_lease(turn)) <= 60_000

    async def test_a_turn_is_known_for_a_day(self, client: Any, streams: TurnStreams) -> None:
        turn = new_id()
        await streams.take(turn, "one", announced=True)
        assert DAY_MS - 60_000 < await client.pttl(keys.turn_state(turn)) <= DAY_MS


class TestAppend:
    async def test_needs_the_lease_and_the_number_of_events(self, streams: TurnStreams) -> None:
        turn = new_id()
        await streams.take(turn, "one", announced=True)
        assert await streams.append(turn, "one", 0, [EVENT], first_seq=1)
        assert await streams.append(turn, "two", 1, [EVENT], first_seq=2) is None
        assert await streams.append(turn, "one", 0, [EVENT], first_seq=2) is None
        assert [one.type for one in await streams.written(turn)] == ["text.delta"]

    async def test_never_goes_back_in_time(self, streams: TurnStreams) -> None:
        turn = new_id()
        await streams.take(turn, "one", announced=True)
        moment = await streams.append(turn, "one", 0, [EVENT], first_seq=1)
        assert moment is not None
        later = moment + 50_000
        assert await streams.append(turn, "one", 1, [EVENT], first_seq=2, not_before_ms=later) == later

    async def test_keeps_the_answer_log_beside_the_first_event(self, streams: TurnStreams) -> None:
        turn = new_id()
        await streams.take(turn, "one", announced=True)
        await streams.append(turn, "one", 0, [EVENT, EVENT], first_seq=1, answer_log=b"[1]")
        assert [one.answer_log for one in await streams.written(turn)] == ["[1]", ""]
        last = await streams.last_written(turn)
        assert last is not None
        assert last.id.endswith("-2")

    async def test_the_last_one_frees_the_lease_and_starts_the_retention(
        self, client: Any, streams: TurnStreams
    ) -> None:
        turn = new_id()
        await streams.take(turn, "one", announced=True)
        await client.xadd(keys.turn_raw(turn), {"e": "{}"})
        await streams.append(turn, "one", 0, [EVENT], first_seq=1, last=True)
        assert await streams.holdings([turn]) == [(False, True)]
        for key in (keys.turn_events(turn), keys.turn_raw(turn), keys.turn_state(turn)):
            assert 3_500_000 < await client.pttl(key) <= 3_600_000

    async def test_what_redis_refuses_concerns_one_turn_alone(
        self, client: Any, streams: TurnStreams
    ) -> None:
        good, bad = new_id(), new_id()
        for turn in (good, bad):
            await streams.take(turn, "one", announced=True)
        await client.xadd(keys.turn_events(bad), {"t": "x", "e": "{}"}, id="9999999999999-1")
        one, other = await asyncio.gather(
            streams.append(good, "one", 0, [EVENT], first_seq=1),
            streams.append(bad, "one", 1, [EVENT], first_seq=2),
            return_exceptions=True,
        )
        assert isinstance(one, int)
        assert isinstance(other, Unavailable)

    async def test_thirty_two_turns_are_one_call(self, client: Any, streams: TurnStreams) -> None:
        async def calls_for(count: int) -> int:
            turns = [new_id() for _ in range(count)]
            await asyncio.gather(*(streams.take(turn, "one", announced=True) for turn in turns))
            before = await scripts_called()
            await asyncio.gather(*(streams.append(turn, "one", 0, [EVENT], first_seq=1) for turn in turns))
            return await scripts_called() - before

        async def scripts_called() -> int:
            return int((await client.info("commandstats"))["cmdstat_evalsha"]["calls"])

        await calls_for(1)
        assert [await calls_for(count) for count in (1, 32, 33)] == [1, 1, 2]

    async def test_of_a_long_stream_every_event_is_read(self, streams: TurnStreams) -> None:
        turn = new_id()
        await streams.take(turn, "one", announced=True)
        await streams.append(turn, "one", 0, [EVENT] * 2500, first_seq=1)
        numbers = [int(one.id.split("-")[1]) for one in await streams.written(turn)]
        assert numbers == list(range(1, 2501))


class TestAnnouncements:
    async def test_wait_for_the_group_to_be_made_and_then_for_turns(self, client: Any) -> None:
        announcements = Announcements(client, "one")
        assert await announcements.wait() == []
        await client.xadd(keys.TURNS_STREAM, {"turn_id": "t", "workspace_id": "w", "thread_id": "c"})
        await client.xadd(keys.TURNS_STREAM, {"turn_id": "t"})
        first, second = await announcements.wait()
        assert first.turn is not None
        assert (first.turn.turn_id, first.turn.workspace_id, first.turn.conversation_id) == ("t", "w", "c")
        assert second.turn is None
        assert await announcements.left_by_others(idle_ms=60_000) == []
        assert await Announcements(client, "two").left_by_others(idle_ms=0) == [first, second]
        await announcements.forget([first, second])
        assert await client.xlen(keys.TURNS_STREAM) == 0

    async def test_leave_turns_for_other_processes(self, client: Any) -> None:
        announcements = Announcements(client, "one")
        assert await announcements.wait() == []
        for n in range(100):
            await client.xadd(keys.TURNS_STREAM, {"turn_id": str(n), "workspace_id": "w"})
        assert len(await announcements.wait()) == 64
        assert len(await Announcements(client, "two").wait()) == 36


class TestHub:
    async def test_brings_each_entry_once_a_part_at_a_time(self, client: Any) -> None:
        hub, brought = StreamHub(client), list[list[StreamEntry]]()
        for n in range(450):
            await client.xadd("s", {"n": n})
        async with running(hub.run()):
            hub.follow("s", FIRST, brought.append)
            await eventually_async(lambda: size_of(brought), "all has come", until=lambda n: n == 450)
        assert [len(entries) for entries in brought] == [200, 200, 50]

    async def test_keeps_its_connection_while_nothing_happens(self, client: Any) -> None:
        """A read that outlasts what a command may take would end in an error, and a pause, each time."""
        hub = StreamHub(client)

        async def reads() -> int:
            stats: dict[str, Any] = (await client.info("commandstats")).get("cmdstat_xread", {})
            return int(stats.get("calls", 0))

        async with running(hub.run()):
            first = await reads()
            await eventually_async(reads, "it reads", until=lambda count: count > first)
            opened = (await client.info("stats"))["total_connections_received"]
            await eventually_async(reads, "it reads again and again", until=lambda count: count > first + 3)
            assert (await client.info("stats"))["total_connections_received"] == opened

    async def test_what_wakes_it_is_forgotten_by_redis(self, client: Any) -> None:
        hub, brought = StreamHub(client), list[list[StreamEntry]]()
        await client.xadd("s", {"n": 1})
        async with running(hub.run()):
            hub.follow("s", FIRST, brought.append)
            await eventually_async(lambda: size_of(brought), "it reads")
            hub.follow("o", FIRST, brought.append)
            (key,) = await eventually_async(lambda: client.keys(keys.hub_wake("*")), "it is woken")
            assert 5_000 < await client.pttl(key) <= 60_000

    async def test_brings_nothing_to_a_follower_that_rests(self, client: Any) -> None:
        hub, brought = StreamHub(client), list[list[StreamEntry]]()
        async with running(hub.run()):
            follower = hub.follow("s", FIRST, brought.append)
            with pytest.raises(ValueError, match="followed already"):
                hub.follow("s", FIRST, brought.append)
            seen = await client.xadd("s", {"n": 1})
            follower.rest_behind(seen.encode())
            await client.xadd("s", {"n": 2})
            other = list[list[StreamEntry]]()
            hub.follow("o", FIRST, other.append)
            await client.xadd("o", {"n": 1})
            await eventually_async(lambda: size_of(other), "another stream is read")
            assert brought == []
            hub.resume(follower)
            await eventually_async(lambda: size_of(brought), "it is read again")
        assert [entry[1] for entries in brought for entry in entries] == [[b"n", b"2"]]


async def size_of(brought: list[list[StreamEntry]]) -> int:
    return sum(map(len, brought))


@pytest.mark.parametrize(
    ("followed", "active", "pause_ms"), [(1, 1, 0.51), (500, 20, 15), (500, 200, 100), (20_000, 1, 100)]
)
def test_entries_gather_for_as_long_as_a_read_costs(followed: int, active: int, pause_ms: float) -> None:
    assert gathering_s(followed, active) * 1000 == pytest.approx(pause_ms)
