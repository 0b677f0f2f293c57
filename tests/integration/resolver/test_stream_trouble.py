"""Resolvers die, freeze and are stopped, agents vanish, Redis restarts and loses everything: each turn still has one end (spec 6, 7.5)."""

import signal
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from footnote_shared.redis import keys
from footnote_testing.eventually import LIMIT_S, eventually
from footnote_testing.redis_process import start_redis
from tests.integration.resolver.processes import (
    Caller,
    Got,
    ResolverStack,
    ScriptedAgent,
    assert_whole,
    text_of,
)

MakeStack = Callable[..., ResolverStack]


def begun_turn(stack: ResolverStack) -> tuple[Caller, ScriptedAgent, str]:
    caller = stack.caller()
    conversation = caller.conversation()
    agent = stack.agent(caller, conversation)
    agent.start()
    return caller, agent, conversation


def readers(caller: Caller) -> int:
    with caller.http() as http:
        lines = http.get("/metrics").text.splitlines()
    return int(float(next(line for line in lines if line.startswith("footnote_stream_readers ")).split()[1]))


def without_ids(events: list[Got], kind: str) -> list[dict[str, Any]]:
    """The data of the events of a kind, without what is new in every turn."""
    return [{**g.data, "message_id": ""} for g in events if g.type == kind]


def assert_continues(before: list[Got], whole: list[Got]) -> None:
    assert [(g.id, g.raw) for g in whole[: len(before)]] == [(g.id, g.raw) for g in before]
    assert_whole(whole)


class TestTakeover:
    def test_another_resolver_goes_on_to_the_byte(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=1)
        caller, agent, conversation = begun_turn(stack)
        caller.register(conversation, ["one"], turn=agent.turn)
        first = caller.read_in_thread(agent.turn)
        agent.say("The one [1] is so. ", "But ", "two [2] ", "is not shown yet. And a [", "2")
        first.wait_for_text("The one [citation:1] is so. But two is not shown yet. And a")
        second = stack.start()
        stack.processes[0].kill()
        # What was unknown when it was written stays unknown, though it is known to the one that replays it.
        caller.register(conversation, ["two"], turn=agent.turn, process=second)
        agent.say("] cut, then `code [1]` and ", "two [2] again.")
        agent.complete()
        rest = caller.read(agent.turn, last=first.got[-1].id, process=second)
        whole = caller.read(agent.turn, process=second)
        assert_continues(first.got, whole)
        assert [(g.id, g.raw) for g in whole] == [(g.id, g.raw) for g in [*first.got, *rest]]
        assert text_of(whole).startswith("The one [citation:1] is so. But two is not shown yet.")
        assert text_of(whole).endswith("two [citation:2] again.")
        assert whole[-1].data["text"].count("[citation:1]") == 1

    def test_an_answer_is_the_same_as_if_nobody_had_died(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=1)
        caller = stack.caller()
        conversation = caller.conversation()
        caller.register(conversation, ["one", "two"])
        said = [f"Word {i} stands [{1 + i % 2}] here, `[1]` " for i in range(300)]

        def answer(*, killed: bool) -> list[Got]:
            agent = stack.agent(caller, conversation)
            agent.start()
            for position, piece in enumerate(said):
                agent.say(piece)
                if killed and position in (100, 200):
                    eventually(lambda: stack.relayed(agent.turn), "some text is relayed")
                    stack.start()
                    stack.carrier_of(agent.turn).kill()
            agent.complete()
            events = caller.read(
                agent.turn, process=next(i for i, p in enumerate(stack.processes) if p.alive)
            )
            assert_whole(events)
            return events

        undisturbed, disturbed = answer(killed=False), answer(killed=True)
        assert text_of(disturbed) == text_of(undisturbed) == undisturbed[-1].data["text"]
        for kind in ("citation", "message.completed"):
            assert without_ids(disturbed, kind) == without_ids(undisturbed, kind)
        assert not any("relay.diverged" in process.log.read_text() for process in stack.processes)

    def test_a_backlog_is_worked_off_though_one_after_the_other_dies(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=1)
        caller, agent, conversation = begun_turn(stack)
        caller.register(conversation, ["one"], turn=agent.turn)
        first = caller.read_in_thread(agent.turn)
        agent.say(*(f"{i} [1] " for i in range(500)))
        eventually(lambda: text_of(first.got), "some text is read")
        stack.processes[0].kill()
        left = stack.relayed(agent.turn)
        agent.say(*(f"{i} [2] " for i in range(500, 1000)))
        second = stack.start()
        eventually(lambda: stack.relayed(agent.turn), "the second goes on", until=lambda seen: seen != left)
        stack.processes[second].kill()
        caller.register(conversation, ["two"], turn=agent.turn, process=stack.start())
        agent.say("and [2].")
        agent.complete()
        last = len(stack.processes) - 1
        whole = caller.read(agent.turn, process=last)
        assert_continues(first.got, whole)
        assert text_of(whole).split(" [citation:1] ")[:500] == [str(i) for i in range(500)]
        assert text_of(whole).endswith("and [citation:2].")
        assert "relay.diverged" not in stack.processes[last].log.read_text()

    def test_a_reader_of_the_other_process_notices_nothing(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=1)
        caller, agent, _ = begun_turn(stack)
        agent.say("One ", "two ")
        stack.wait_relayed(agent.turn, "One two")
        reading = caller.read_in_thread(agent.turn, process=stack.start())
        reading.wait_for_text("One two")
        stack.processes[0].kill()
        agent.say("three.")
        agent.complete()
        events = reading.end()
        assert_whole(events)
        assert text_of(events) == "One two three."

    def test_a_resolver_that_was_frozen_writes_nothing_when_it_wakes(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=1)
        caller, agent, _ = begun_turn(stack)
        agent.say("One ")
        stack.wait_relayed(agent.turn, "One")
        second = stack.start()
        frozen = stack.processes[0]
        frozen.signal_group(signal.SIGSTOP)
        agent.say("two ")
        stack.wait_relayed(agent.turn, "One two")
        frozen.signal_group(signal.SIGCONT)
        agent.say("three.")
        frozen.wait_until(lambda: "relay.lease_lost" in frozen.log.read_text(), "it notices its loss")
        agent.complete()
        events = caller.read(agent.turn, process=second)
        assert_whole(events)
        assert text_of(events) == "One two three."
        assert_whole(caller.read(agent.turn, process=0))

    def test_a_resolver_that_is_told_to_stop_hands_its_turns_back(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=1, FOOTNOTE_STREAM_CLAIM_S="20")
        caller, agent, _ = begun_turn(stack)
        agent.say("One ")
        stack.wait_relayed(agent.turn, "One")
        assert stack.client.exists(keys.turn_lease(agent.turn))
        assert stack.processes[0].stop() != -signal.SIGKILL
        assert not stack.client.exists(keys.turn_lease(agent.turn))
        agent.say("two.")
        agent.complete()
        assert_whole(caller.read(agent.turn, process=stack.start()))

    def test_turns_announced_while_nobody_listens_are_carried_later(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=1)
        caller = stack.caller()
        conversation = caller.conversation()
        stack.processes[0].kill()
        agents = [stack.agent(caller, conversation) for _ in range(20)]
        for agent in agents:
            agent.start()
            agent.say("Text.")
            agent.complete()
        process = stack.start()
        for agent in agents:
            assert_whole(caller.read(agent.turn, process=process))


class TestStopping:
    def test_readers_are_let_go_and_go_on_elsewhere(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=2, FOOTNOTE_STREAM_CLAIM_S="20")
        caller, agent, _ = begun_turn(stack)
        readings = [caller.read_in_thread(agent.turn, process=i % 2) for i in range(4)]
        agent.say("One ", "two ")
        for reading in readings:
            reading.wait_for_text("One two")
        leaving = stack.processes.index(stack.carrier_of(agent.turn))
        stack.processes[leaving].process.terminate()
        agent.say("three ")
        let_go, staying = readings[leaving::2], readings[1 - leaving :: 2]
        for reading in let_go:
            reading.end()
            assert reading.error is None, "cut off instead of ended"
            assert [g.type for g in reading.got][-1] == "text.delta"
        stack.processes[leaving].process.wait(LIMIT_S)
        going_on = [caller.read_in_thread(agent.turn, process=1 - leaving, last=r.got[-1].id) for r in let_go]
        agent.say("four.")
        agent.complete()
        for before, after in zip(let_go, going_on, strict=True):
            events = [*before.got, *after.end()]
            assert_whole(events)
            assert text_of(events) == "One two three four."
        for reading in staying:
            assert_whole(reading.end())

    def test_a_turn_that_ends_in_time_is_seen_to_its_end(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=1)
        caller, agent, _ = begun_turn(stack)
        reading = caller.read_in_thread(agent.turn)
        eventually(lambda: reading.got, "the reader is there")
        stack.processes[0].process.terminate()
        agent.say("Just in time.")
        agent.complete()
        assert_whole(reading.end())
        assert reading.error is None


class TestSlowReaders:
    def test_one_that_takes_nothing_is_cut_and_may_resume(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=1, FOOTNOTE_STREAM_HEARTBEAT_S="0.1")
        caller, agent, _ = begun_turn(stack)
        agent.say(*("x" * 5000 for _ in range(2000)))
        with caller.http() as http, http.stream("GET", f"/v1/streams/{agent.turn}") as stuck:
            assert stuck.status_code == 200
            eventually(lambda: readers(caller), "the stuck reader reads", until=lambda n: n == 1)
            other = caller.read_in_thread(agent.turn)
            other.wait_for_text("x" * 10_000_000)
            eventually(lambda: readers(caller), "the stuck reader is cut", until=lambda n: n == 1)
            body = b""
            with pytest.raises(httpx.RemoteProtocolError):
                for chunk in stuck.iter_raw():
                    body += chunk
        agent.complete()
        whole = other.end()
        assert_whole(whole)
        frames = body.split(b"\n\n")[:-1]
        ids = [frame.split(b"\n")[0][4:].decode() for frame in frames if frame.startswith(b"id: ")]
        assert ids == [g.id for g in whole[: len(ids)]]
        assert 0 < len(ids) < len(whole)
        rest = caller.read(agent.turn, last=ids[-1])
        assert [g.id for g in rest] == [g.id for g in whole[len(ids) :]]


class TestAgentGone:
    def test_a_turn_whose_agent_vanishes_fails_with_its_text(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=1, FOOTNOTE_STREAM_IDLE_S="1.5")
        caller = stack.caller()
        conversation = caller.conversation()
        agent = stack.agent(caller, conversation)
        caller.register(conversation, ["one"], turn=agent.turn)
        agent.start(announce=False)
        agent.say("So far [1] and [")
        agent.announce()
        events = caller.read(agent.turn)
        assert_whole(events)
        assert events[-1].type == "turn.failed"
        assert events[-1].data["problem"]["code"] == "agent_gone"
        assert events[-1].data["text"] == "So far [citation:1] and ["
        assert events[-1].data["message_id"] == agent.message
        agent.complete()
        someone, another, _ = begun_turn(stack)
        another.complete()
        assert_whole(someone.read(another.turn))
        assert_whole(caller.read(agent.turn))


class TestRedisLost:
    def test_a_running_stream_ends_as_failed_with_its_text(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=2)
        caller, agent, _ = begun_turn(stack)
        readings = [caller.read_in_thread(agent.turn, process=i) for i in (0, 1)]
        agent.say("Some text ", "came")
        for reading in readings:
            reading.wait_for_text("Some text came")
        stack.client.flushall()
        for reading in readings:
            events = reading.end()
            assert_whole(events)
            assert events[-1].type == "turn.failed"
            assert events[-1].data["text"] == "Some text came"
        late = caller.read(agent.turn)
        assert [g.type for g in late] == ["turn.failed"]
        assert late[0].raw == readings[0].got[-1].raw

    def test_also_when_the_agent_opens_the_stream_again_to_say_so(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=2)
        caller, agent, _ = begun_turn(stack)
        readings = [caller.read_in_thread(agent.turn, process=i) for i in (0, 1)]
        agent.say("Some text ", "came")
        for reading in readings:
            reading.wait_for_text("Some text came")
        stack.client.flushall()
        agent.start()
        agent.fail("the stream is gone")
        for reading in readings:
            events = reading.end()
            assert [g.type for g in events] == ["turn.started", "text.delta", "text.delta", "turn.failed"]
            assert_whole(events)
        late = caller.read(agent.turn)
        resumed = caller.read(agent.turn, last=readings[0].got[2].id)
        assert [(g.type, g.event["seq"]) for g in resumed] == [("turn.failed", 4)]
        ends = [events[-1].data for events in (readings[0].got, readings[1].got, late, resumed)]
        assert all(end == ends[0] for end in ends)

    def test_also_when_its_resolver_died_before(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=1)
        caller, agent, _ = begun_turn(stack)
        agent.say("Some text")
        stack.wait_relayed(agent.turn, "Some text")
        stack.wait_noted()
        stack.processes[0].kill()
        stack.client.flushall()
        events = caller.read(agent.turn, process=stack.start())
        assert [g.type for g in events] == ["turn.failed"]
        assert events[0].data["problem"]["code"] == "stream_lost"
        assert_whole(events)

    def test_a_reader_elsewhere_counts_on_though_nobody_is_left_who_knows(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=1)
        caller, agent, _ = begun_turn(stack)
        agent.say("Some text ", "came")
        stack.wait_relayed(agent.turn, "Some text came")
        reading = caller.read_in_thread(agent.turn, process=stack.start())
        reading.wait_for_text("Some text came")
        stack.processes[0].kill()
        stack.client.flushall()
        events = reading.end()
        assert_whole(events)
        assert events[-1].type == "turn.failed"
        third = stack.start()
        resumed = caller.read(agent.turn, last=events[1].id, process=third)
        assert [(g.type, g.event["seq"]) for g in resumed] == [("turn.failed", 3)]
        assert caller.read(agent.turn, last=events[-1].id, process=third) == []

    def test_an_ended_turn_still_has_its_end(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=1)
        caller, agent, _ = begun_turn(stack)
        agent.say("All of it.")
        agent.complete()
        events = caller.read(agent.turn)
        stack.client.flushall()
        after = caller.read(agent.turn)
        assert [g.raw for g in after] == [events[-1].raw]
        assert caller.read(agent.turn, last=events[-1].id) == []
        assert [g.raw for g in caller.read(agent.turn, last=events[0].id)] == [events[-1].raw]

    def test_new_turns_run_after_the_loss(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=2)
        begun_turn(stack)
        stack.client.flushall()
        stack.client.script_flush()
        caller, agent, conversation = begun_turn(stack)
        assert caller.register(conversation, ["one"], turn=agent.turn) == [1]
        agent.say("It is [1].")
        agent.complete()
        events = caller.read(agent.turn)
        assert_whole(events)
        assert events[-1].data["text"] == "It is [citation:1]."

    def test_a_restart_that_keeps_the_data_loses_nothing(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=1)
        caller, agent, _ = begun_turn(stack)
        reading = caller.read_in_thread(agent.turn)
        agent.say("Before. ")
        reading.wait_for_text("Before.")
        port = stack.redis.port
        stack.redis.stop()
        with caller.http() as http:
            ready = http.get("/readyz")
        assert ready.status_code == 503
        assert [name for name, answer in ready.json()["checks"].items() if answer != "ok"] == ["redis"]
        waiting = caller.read_in_thread(agent.turn)
        eventually(lambda: readers(caller), "both readers are there", until=lambda n: n == 2)
        stack.redis = start_redis(stack.folder / "redis", port)
        agent.say("After.")
        agent.complete()
        events = reading.end()
        assert_whole(events)
        assert events[-1].type == "message.completed"
        assert text_of(events) == events[-1].data["text"] == "Before. After."
        assert [g.raw for g in waiting.end()] == [g.raw for g in events]


def test_after_the_retention_the_end_is_what_is_left(own_stack: MakeStack) -> None:
    stack = own_stack(processes=1, FOOTNOTE_STREAM_RETENTION_S="1")
    caller, agent, _ = begun_turn(stack)
    agent.say("All of it.")
    agent.complete()
    events = caller.read(agent.turn)
    assert_whole(events)
    names = [keys.turn_events(agent.turn), keys.turn_raw(agent.turn), keys.turn_state(agent.turn)]
    eventually(lambda: stack.client.exists(*names), "Redis forgets it", until=lambda left: left == 0)
    assert [g.raw for g in caller.read(agent.turn)] == [events[-1].raw]
