"""Redis restarts, forgets a turn or loses everything: each turn still has one end (spec 6, 7.5)."""

from footnote_shared.redis import keys
from footnote_testing.eventually import eventually
from footnote_testing.redis_process import start_redis
from tests.integration.resolver.processes import MakeStack, ResolverStack, assert_whole, read_so_far, text_of


class TestRedisLost:
    def test_a_running_stream_ends_as_failed_with_its_text(self, own_stack: MakeStack) -> None:
        # The process that knows the text has as long as a lease to notice. Then any other ends the turn.
        stack = own_stack(processes=2, FOOTNOTE_STREAM_LEASE_S="15")
        caller, agent, _ = stack.begun_turn()
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

    def test_also_when_the_agent_opens_the_stream_again_to_say_so(self, stack: ResolverStack) -> None:
        caller, agent, _ = stack.begun_turn()
        readings = [caller.read_in_thread(agent.turn, process=i) for i in (0, 1)]
        agent.say("Some text ", "came")
        for reading in readings:
            reading.wait_for_text("Some text came")
        stack.client.flushall()
        agent.start()
        agent.fail("the stream is gone")
        for reading in readings:
            events = reading.end()
            # Which resolver comes first decides whether the end follows what was seen or another stream.
            shown = [g.type for g in events if g.type != "text.replaced"]
            assert shown == ["turn.started", "text.delta", "text.delta", "turn.failed"]
            assert_whole(events)
        late = caller.read(agent.turn)
        resumed = caller.read(agent.turn, last=readings[0].got[2].id)
        assert resumed[0].event["seq"] == 4
        assert [g.type for g in resumed if g.type != "text.replaced"] == ["turn.failed"]
        ends = [events[-1].data for events in (readings[0].got, readings[1].got, late, resumed)]
        assert all(end == ends[0] for end in ends)

    def test_also_when_its_resolver_died_before(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=1)
        caller, agent, _ = stack.begun_turn()
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
        caller, agent, _ = stack.begun_turn()
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

    def test_an_ended_turn_still_has_its_end(self, stack: ResolverStack) -> None:
        caller, agent, _ = stack.begun_turn()
        agent.say("All of it.")
        agent.complete()
        events = caller.read(agent.turn)
        stack.client.flushall()
        after = caller.read(agent.turn)
        assert [g.raw for g in after] == [events[-1].raw]
        assert caller.read(agent.turn, last=events[-1].id) == []
        # Who had seen the beginning gets the whole text first: the deltas between are lost.
        resumed = caller.read(agent.turn, last=events[0].id)
        assert [(g.type, g.event["seq"]) for g in resumed] == [("text.replaced", 2), ("message.completed", 3)]
        assert resumed[-1].raw == events[-1].raw

    def test_a_stream_that_lacks_only_its_end_is_read_before_the_end(self, stack: ResolverStack) -> None:
        caller, agent, _ = stack.begun_turn()
        agent.say("All of it.")
        agent.complete()
        events = caller.read(agent.turn)
        # The end is written to SQL first. In that moment the stream does not have it.
        stack.client.xdel(keys.turn_events(agent.turn), events[-1].id)
        assert [g.raw for g in caller.read(agent.turn)] == [g.raw for g in events]

    def test_a_reader_in_the_middle_ends_up_with_the_whole_text_and_its_citations(
        self, stack: ResolverStack
    ) -> None:
        caller, agent, conversation = stack.begun_turn()
        assert caller.register(conversation, ["one"], turn=agent.turn) == [1]
        agent.say("Some text. ")
        reading = caller.read_in_thread(agent.turn)
        reading.wait_for_text("Some text.")
        seen = list(reading.got)
        agent.say("It is [1].")
        agent.complete()
        whole = "Some text. It is [citation:1]."
        assert read_so_far(reading.end()) == (whole, [1])
        stack.client.flushall()
        # This client was cut off in mid-text. Its Redis is empty when it asks again.
        resumed = caller.read(agent.turn, last=seen[-1].id)
        assert read_so_far(seen + resumed[:-1]) == (whole, [1])
        assert read_so_far(seen + resumed) == (whole, [1])
        numbers = [g.event["seq"] for g in seen + resumed]
        assert numbers == sorted(set(numbers))

    def test_new_turns_run_after_the_loss(self, stack: ResolverStack) -> None:
        stack.begun_turn()
        stack.client.flushall()
        stack.client.script_flush()
        caller, agent, conversation = stack.begun_turn()
        assert caller.register(conversation, ["one"], turn=agent.turn) == [1]
        agent.say("It is [1].")
        agent.complete()
        events = caller.read(agent.turn)
        assert_whole(events)
        assert events[-1].data["text"] == "It is [citation:1]."

    def test_a_restart_that_keeps_the_data_loses_nothing(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=1)
        caller, agent, _ = stack.begun_turn()
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
        eventually(lambda: stack.readers(caller), "both readers are there", until=lambda n: n == 2)
        stack.redis = start_redis(stack.folder / "redis", port)
        agent.say("After.")
        agent.complete()
        events = reading.end()
        assert_whole(events)
        assert events[-1].type == "message.completed"
        assert text_of(events) == events[-1].data["text"] == "Before. After."
        assert [g.raw for g in waiting.end()] == [g.raw for g in events]


def test_after_the_retention_the_end_is_what_is_left(own_stack: MakeStack) -> None:
    stack = own_stack(processes=1, FOOTNOTE_STREAM_RETENTION_S="8")
    caller, agent, _ = stack.begun_turn()
    reading = caller.read_in_thread(agent.turn)
    agent.say("All of it.")
    # A reader who came after the end might find the retention over.
    reading.wait_for_text("All of it.")
    agent.complete()
    events = reading.end()
    assert_whole(events)
    names = [keys.turn_events(agent.turn), keys.turn_raw(agent.turn), keys.turn_state(agent.turn)]
    eventually(lambda: stack.client.exists(*names), "Redis forgets it", until=lambda left: left == 0)
    assert [g.raw for g in caller.read(agent.turn)] == [events[-1].raw]
