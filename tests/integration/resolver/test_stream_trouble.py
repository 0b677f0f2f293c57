"""Resolvers are stopped, readers take nothing, agents vanish: each turn still has one end (spec 6, 7.5)."""

import httpx
import pytest

from footnote_testing.eventually import LIMIT_S, eventually
from tests.integration.resolver.processes import MakeStack, assert_whole, text_of


class TestStopping:
    def test_readers_are_let_go_and_go_on_elsewhere(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=2, FOOTNOTE_STREAM_LEASE_S="20")
        caller, agent, _ = stack.begun_turn()
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
        # Nothing waits for so long: the stack is killed at the end of the test.
        stack = own_stack(processes=1, FOOTNOTE_DRAIN_S=str(LIMIT_S))
        caller, agent, _ = stack.begun_turn()
        reading = caller.read_in_thread(agent.turn)
        eventually(lambda: reading.got, "the reader is there")
        stack.processes[0].process.terminate()
        agent.say("Just in time.")
        agent.complete()
        assert_whole(reading.end())
        assert reading.error is None


class TestSlowReaders:
    def test_one_that_stands_still_holds_up_nobody(self, own_stack: MakeStack) -> None:
        # It may stand still for 20 heartbeats before it is cut.
        stack = own_stack(processes=1, FOOTNOTE_STREAM_HEARTBEAT_S="60", FOOTNOTE_STREAM_LEASE_S="60")
        caller, agent, _ = stack.begun_turn()
        with caller.http() as http, http.stream("GET", f"/v1/streams/{agent.turn}") as stuck:
            assert stuck.status_code == 200
            reading = caller.read_in_thread(agent.turn)
            agent.say(*("x" * 20_000 for _ in range(250)))
            agent.complete()
            events = reading.end()
            assert_whole(events)
            assert len(events[-1].data["text"]) == 5_000_000
            rest = b"".join(stuck.iter_raw())
        assert rest.count(b"event: text.delta") == 250
        assert rest.count(b"event: message.completed") == 1

    def test_one_that_takes_nothing_is_cut_and_may_resume(self, own_stack: MakeStack) -> None:
        # It may stand still for 10 seconds, which a reader that takes what comes does not on a busy machine.
        stack = own_stack(processes=1, FOOTNOTE_STREAM_HEARTBEAT_S="0.5", FOOTNOTE_STREAM_LEASE_S="60")
        caller, agent, _ = stack.begun_turn()
        agent.say(*("x" * 5000 for _ in range(2000)))
        with caller.http() as http, http.stream("GET", f"/v1/streams/{agent.turn}") as stuck:
            assert stuck.status_code == 200
            eventually(lambda: stack.readers(caller), "the stuck reader reads", until=lambda n: n == 1)
            other = caller.read_in_thread(agent.turn)
            other.wait_for_text("x" * 10_000_000)
            eventually(lambda: stack.readers(caller), "the stuck reader is cut", until=lambda n: n == 1)
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
        assert events[-1].data["text"] == "So far [citation:1] and"
        assert events[-1].data["message_id"] == agent.message
        agent.complete()
        someone, another, _ = stack.begun_turn()
        another.complete()
        assert_whole(someone.read(another.turn))
        assert_whole(caller.read(agent.turn))
