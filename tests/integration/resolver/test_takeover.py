"""A resolver dies, freezes or hands its turns over: another one goes on, to the byte (spec 6)."""

import signal
from typing import Any

from footnote_shared.redis import keys
from footnote_testing.eventually import eventually
from footnote_testing.workspace import is_writable
from tests.integration.resolver.processes import Got, MakeStack, assert_whole, text_of


def without_ids(events: list[Got], kind: str) -> list[dict[str, Any]]:
    """The data of the events of a kind, without what is new in every turn."""
    return [{**g.data, "message_id": ""} for g in events if g.type == kind]


def assert_continues(before: list[Got], whole: list[Got]) -> None:
    assert [(g.id, g.raw) for g in whole[: len(before)]] == [(g.id, g.raw) for g in before]
    assert_whole(whole)


class TestTakeover:
    def test_another_resolver_goes_on_to_the_byte(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=1)
        caller, agent, conversation = stack.begun_turn()
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
        caller, agent, conversation = stack.begun_turn()
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
        caller, agent, _ = stack.begun_turn()
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
        caller, agent, _ = stack.begun_turn()
        agent.say("One ")
        stack.wait_relayed(agent.turn, "One")
        second = stack.start()
        frozen = stack.processes[0]
        with frozen.frozen(lambda: is_writable(stack.database)):
            agent.say("two ")
            stack.wait_relayed(agent.turn, "One two")
        agent.say("three.")
        frozen.wait_until(lambda: "relay.lease_lost" in frozen.log.read_text(), "it notices its loss")
        agent.complete()
        events = caller.read(agent.turn, process=second)
        assert_whole(events)
        assert text_of(events) == "One two three."
        assert_whole(caller.read(agent.turn, process=0))

    def test_a_resolver_that_is_told_to_stop_hands_its_turns_back(self, own_stack: MakeStack) -> None:
        stack = own_stack(processes=1, FOOTNOTE_STREAM_LEASE_S="20")
        caller, agent, _ = stack.begun_turn()
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
