"""Resolvers die, freeze and are stopped, agents vanish, Redis restarts and loses everything: each turn still has one end (spec 6, 7.5)."""

import signal
import time
from collections.abc import Callable

from footnote_shared.redis import keys
from footnote_shared.testing.redis_process import start_redis
from tests.integration.resolver.processes import (
    Caller,
    Got,
    ResolverStack,
    ScriptedAgent,
    assert_whole,
    text_of,
)

MakeStack = Callable[..., ResolverStack]


def wait_for(done: Callable[[], bool], patience_s: float = 20.0) -> None:
    deadline = time.monotonic() + patience_s
    while not done():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def begun_turn(stack: ResolverStack) -> tuple[Caller, ScriptedAgent, str]:
    caller = stack.caller()
    conversation = caller.conversation()
    agent = stack.agent(caller, conversation)
    agent.start()
    return caller, agent, conversation


def written(stack: ResolverStack, agent: ScriptedAgent) -> int:
    return int(stack.client.xlen(keys.turn_events(agent.turn)))


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
        wait_for(lambda: len(first.got) >= 6)
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

    def test_a_reader_of_the_other_process_notices_nothing(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=1)
        caller, agent, _ = begun_turn(stack)
        agent.say("One ", "two ")
        wait_for(lambda: written(stack, agent) == 3)
        reading = caller.read_in_thread(agent.turn, process=stack.start())
        wait_for(lambda: len(reading.got) == 3)
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
        wait_for(lambda: written(stack, agent) == 2)
        second = stack.start()
        stack.processes[0].signal_group(signal.SIGSTOP)
        agent.say("two ")
        wait_for(lambda: written(stack, agent) == 3)
        stack.processes[0].signal_group(signal.SIGCONT)
        agent.say("three.", pause_s=0.5)
        agent.complete()
        events = caller.read(agent.turn, process=second)
        assert_whole(events)
        assert text_of(events) == "One two three."
        assert_whole(caller.read(agent.turn, process=0))

    def test_a_resolver_that_is_told_to_stop_hands_its_turns_back(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=1, FOOTNOTE_STREAM_CLAIM_S="20")
        caller, agent, _ = begun_turn(stack)
        agent.say("One ")
        wait_for(lambda: written(stack, agent) == 2)
        assert stack.client.exists(keys.turn_lease(agent.turn))
        stack.processes[0].stop(patience_s=10)
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


class TestAgentGone:
    def test_a_turn_whose_agent_vanishes_fails_with_its_text(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=1, FOOTNOTE_STREAM_IDLE_S="1.5")
        caller, agent, conversation = begun_turn(stack)
        caller.register(conversation, ["one"], turn=agent.turn)
        agent.say("So far [1] and [")
        events = caller.read(agent.turn)
        assert_whole(events)
        assert events[-1].type == "turn.failed"
        assert events[-1].data["problem"]["code"] == "agent_gone"
        assert events[-1].data["text"] == "So far [citation:1] and ["
        assert events[-1].data["message_id"] == agent.message
        agent.complete()
        time.sleep(1)
        assert_whole(caller.read(agent.turn))


class TestRedisLost:
    def test_a_running_stream_ends_as_failed_with_its_text(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=2)
        caller, agent, _ = begun_turn(stack)
        readings = [caller.read_in_thread(agent.turn, process=i) for i in (0, 1)]
        agent.say("Some text ", "came")
        wait_for(lambda: all(len(r.got) == 3 for r in readings))
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
        wait_for(lambda: all(len(r.got) == 3 for r in readings))
        stack.client.flushall()
        agent.start()
        agent.fail("the stream is gone")
        for reading in readings:
            events = reading.end()
            assert [g.type for g in events] == ["turn.started", "text.delta", "text.delta", "turn.failed"]
        ends = {reading.got[-1].raw for reading in readings} | {caller.read(agent.turn)[-1].raw}
        assert len(ends) == 1

    def test_also_when_its_resolver_died_before(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=1)
        caller, agent, _ = begun_turn(stack)
        agent.say("Some text")
        wait_for(lambda: written(stack, agent) == 2)
        time.sleep(0.2)
        stack.processes[0].kill()
        stack.client.flushall()
        events = caller.read(agent.turn, process=stack.start())
        assert [g.type for g in events] == ["turn.failed"]
        assert events[0].data["problem"]["code"] == "stream_lost"

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
        wait_for(lambda: len(reading.got) == 2)
        port = stack.redis.port
        stack.redis.stop()
        with caller.http() as http:
            ready = http.get("/readyz")
        assert ready.status_code == 503
        assert [name for name, answer in ready.json()["checks"].items() if answer != "ok"] == ["redis"]
        waiting = caller.read_in_thread(agent.turn)
        time.sleep(1.5)
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
    wait_for(
        lambda: (
            not stack.client.exists(
                keys.turn_events(agent.turn), keys.turn_raw(agent.turn), keys.turn_state(agent.turn)
            )
        )
    )
    assert [g.raw for g in caller.read(agent.turn)] == [events[-1].raw]
