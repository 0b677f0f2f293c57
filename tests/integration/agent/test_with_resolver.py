"""The agent with the real resolver: numbers, normalised text, and one end that both tell alike."""

from collections.abc import Iterator

import pytest
from tests.integration.agent.client import AgentClient, Heard
from tests.integration.agent.conftest import Stage

from footnote_resolver.app import create_app as create_resolver
from footnote_testing.fake_neighbours import make_passage
from footnote_testing.scripted_model import Script, ScriptedModel
from footnote_testing.served_app import ServedApp

QUESTION = "When is the launch?"


@pytest.fixture
def resolver(stage: Stage) -> Iterator[AgentClient]:
    stage.neighbours.relays = False
    served = ServedApp(create_resolver(stage.settings(verification="off", injection="off")))
    served.start()
    with AgentClient(served.url, stage.key) as client:
        yield client
    served.stop()


def test_an_extractive_answer_carries_numbers_that_resolve(stage: Stage, resolver: AgentClient) -> None:
    with stage.agent(resolver_url=str(resolver.base_url)) as agent:
        thread = agent.thread()
        events = [e for e in agent.stream_turn(thread, QUESTION) if isinstance(e, Heard)]
        assert events[0].type == "turn.started"
        closed = events[-1]
        assert closed.type == "message.completed"
        assert "March 10" in closed.data["text"]
        assert "[citation:1]" in closed.data["text"]
        assert closed.data["compliance"]["report"]["dropped"] == []
        stored = agent.messages(thread)[-1]
        assert (stored["text"], [c["n"] for c in stored["citations"]]) == (closed.data["text"], [1])
        pill = resolver.get(f"/v1/conversations/{thread}/citations").json()["items"][0]
        assert (pill["n"], pill["display"]["title"]) == (1, "Q3 Launch Notes")


def test_text_of_a_document_that_looks_like_a_citation_is_none(stage: Stage, resolver: AgentClient) -> None:
    stage.neighbours.passages = [
        make_passage(
            "The launch was moved to March 10 [1] by `the board [2] as 【3】 says [citation:1].", "Notes"
        )
    ]
    with stage.agent(resolver_url=str(resolver.base_url)) as agent:
        message = agent.ask(agent.thread(), QUESTION).json()["message"]
    assert message["text"].count("[citation:") == 1
    assert message["compliance"]["report"]["dropped"] == []


def test_a_price_does_not_hide_the_number(stage: Stage, resolver: AgentClient) -> None:
    stage.neighbours.passages = [
        make_passage("The launch costs $5 million at most. The launch may cost $7 million <later>.", "Notes")
    ]
    with stage.agent(resolver_url=str(resolver.base_url)) as agent:
        message = agent.ask(agent.thread(), "What does the launch cost?").json()["message"]
    assert message["text"].count("[citation:1]") == 2


def test_a_number_that_a_model_made_up_is_dropped(stage: Stage, resolver: AgentClient) -> None:
    model = ScriptedModel(Script(tokens=["On March 10 [", "1", "], or", " later [9", "]."])).start()
    with stage.agent(
        resolver_url=str(resolver.base_url), chat_base_url=model.url, chat_model="scripted"
    ) as agent:
        message = agent.ask(agent.thread(), QUESTION).json()["message"]
    model.stop()
    assert message["text"] == "On March 10 [citation:1], or later."
    assert message["compliance"]["report"]["dropped"] == [9]


def test_a_turn_that_was_stopped_tells_the_same_to_everybody(stage: Stage, resolver: AgentClient) -> None:
    model = ScriptedModel(Script(tokens=["on and "], endless=True)).start()
    with stage.agent(
        resolver_url=str(resolver.base_url), chat_base_url=model.url, chat_model="scripted"
    ) as agent:
        stream = agent.stream_turn(agent.thread(), QUESTION)
        turn_id = str(next(stream))
        while not (isinstance(event := next(stream), Heard) and event.type == "text.delta"):
            pass
        agent.post(f"/v1/turns/{turn_id}:cancel")
        last = [e for e in stream if isinstance(e, Heard)][-1]
        ended = agent.wait_for_end(turn_id)
    model.stop()
    assert last.type == "turn.cancelled"
    assert ended["status"] == "cancelled"
    assert ended["message"]["text"] == last.data["text"]


def test_streams_are_closed_to_strangers(stage: Stage, resolver: AgentClient) -> None:
    with stage.agent(resolver_url=str(resolver.base_url)) as agent:
        turn_id = agent.ask(agent.thread(), QUESTION).json()["turn_id"]
        assert resolver.get(f"/v1/streams/{turn_id}").text.count("event: message.completed") == 1
