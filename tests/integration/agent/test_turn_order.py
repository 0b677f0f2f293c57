"""One turn at a time in a thread: the second waits for the first, or is refused, as asked (spec 5.1)."""

from collections.abc import Iterator

import pytest
from tests.integration.agent.client import AgentClient
from tests.integration.agent.conftest import Stage, raw_events

from footnote_agent.store.turns import find_turn, leased_turn
from footnote_testing.eventually import eventually

WAITING = "Waiting for the turn before this one"


@pytest.fixture
def held(shared_stage: tuple[Stage, AgentClient]) -> Iterator[tuple[Stage, AgentClient]]:
    """Every search waits until the test opens the gate."""
    stage, agent = shared_stage
    stage.neighbours.searches.clear()
    stage.neighbours.search_latch.shut()
    yield stage, agent
    stage.neighbours.search_latch.open()


def begin_first(stage: Stage, agent: AgentClient, thread: str) -> str:
    first = agent.start_turn(thread, "When is the launch?")
    eventually(lambda: stage.neighbours.searches, "the first turn searches")
    return first


def says_that_it_waits(stage: Stage, turn_id: str) -> bool:
    return WAITING in [event["data"].get("label") for event in raw_events(stage, turn_id)]


class TestASecondTurn:
    def test_waits_for_the_end_of_the_first(self, held: tuple[Stage, AgentClient]) -> None:
        stage, agent = held
        thread = agent.thread()
        first = begin_first(stage, agent, thread)
        second = agent.start_turn(thread, "And how are refunds paid?")
        eventually(lambda: says_that_it_waits(stage, second), "the second turn says that it waits")
        assert len(stage.neighbours.searches) == 1
        stage.neighbours.search_latch.open()
        assert agent.wait_for_end(second)["status"] == "completed"
        assert agent.turn(first)["status"] == "completed"
        with stage.database.read() as session:
            waited = leased_turn(find_turn(session, stage.caller, second))
            earlier = find_turn(session, stage.caller, first)
        # Its own time begins with the end of its wait.
        assert earlier.ended_at is not None
        assert waited.time_began_at >= earlier.ended_at
        said = [message["turn_id"] for message in agent.messages(thread)]
        assert said == [first, first, second, second]

    def test_is_refused_if_it_is_not_to_wait(self, held: tuple[Stage, AgentClient]) -> None:
        stage, agent = held
        thread = agent.thread()
        first = begin_first(stage, agent, thread)
        answer = agent.ask(thread, "And how are refunds paid?", when_busy="refuse")
        assert (answer.status_code, answer.json()["code"]) == (409, "thread_busy")
        stage.neighbours.search_latch.open()
        agent.wait_for_end(first)
        assert len(agent.messages(thread)) == 2
        assert agent.ask(thread, "And how are refunds paid?", when_busy="refuse").status_code == 200

    def test_can_be_stopped_while_it_waits(self, held: tuple[Stage, AgentClient]) -> None:
        stage, agent = held
        thread = agent.thread()
        first = begin_first(stage, agent, thread)
        second = agent.start_turn(thread, "And how are refunds paid?")
        agent.post(f"/v1/turns/{second}:cancel")
        assert agent.wait_for_end(second)["status"] == "cancelled"
        assert agent.turn(first)["status"] == "running"

    def test_of_another_thread_does_not_wait(self, held: tuple[Stage, AgentClient]) -> None:
        stage, agent = held
        begin_first(stage, agent, agent.thread())
        agent.start_turn(agent.thread(), "And how are refunds paid?")
        eventually(lambda: len(stage.neighbours.searches) == 2, "both search")
