"""What a model is told anew for each call is stored nowhere, however long the conversation (spec 5.2)."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.integration.agent.client import AgentClient
from tests.integration.agent.conftest import Stage

from footnote_agent.store.moves import moves_of
from footnote_shared.kernel.ids import new_id
from footnote_testing.fake_neighbours import make_passage
from footnote_testing.planners import PlannedReply, call, passages_in, results_in, search_for
from footnote_testing.scripted_model import Script, ScriptedModel

TURNS = 20
CONTRACT_CHARS = 10
"""A shorter line, such as an empty one, says nothing that could be looked for."""


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    served = ScriptedModel().start()
    yield served
    served.stop()


def diligent(request: Any) -> PlannedReply:
    """Plans, searches, and answers with a number."""
    results = results_in(request)
    if not results:
        return call("write_todos", items=[{"text": "Find the date of the launch"}])
    if len(results) == 1:
        return search_for("launch")
    n, text = passages_in(results)[0]
    return PlannedReply(f"{text.partition('.')[0]} [{n}].")


def test_after_twenty_turns_no_line_of_it_stands_among_the_moves(stage: Stage, model: ScriptedModel) -> None:
    document, memory = new_id(), new_id()
    stage.neighbours.passages = [
        make_passage("The launch was moved to March 10. The vendor slipped.", "Launch notes", document),
        make_passage("They like short answers best.", "They like short answers best", memory),
    ]
    stage.neighbours.memory.add(memory)
    model.script = Script(planner=diligent)
    with stage.agent(chat_base_url=model.url, chat_model="scripted", chat_tools=True) as agent:
        earlier = agent.thread(title="Where the ferry leaves")
        thread = agent.thread()
        mentions = [{"type": "document", "id": document}, {"type": "chat", "id": earlier}]
        turns = [_asked(agent, thread, number, mentions) for number in range(TURNS)]
        answers = [message["text"] for message in agent.messages(thread)]
    requests = [one["messages"] for one in model.script.requests]
    assert len(requests) == 3 * TURNS
    systems = [str(messages[0]["content"]) for messages in requests]
    for told in ("the document Launch notes", "the chat ", "- They like short answers best", "pirate"):
        assert all(told in system for system in systems), told
    assert sum("(open) Find the date of the launch" in system for system in systems) >= 2 * TURNS
    with stage.database.read() as session:
        moves = moves_of(session, stage.caller, turns)
    assert sum(map(len, moves.values())) == 5 * TURNS
    lines = {line for system in systems for line in system.splitlines() if len(line) >= CONTRACT_CHARS}
    later = [messages[1:] for messages in requests]
    for kept in (json.dumps(one, ensure_ascii=False) for one in (moves, answers, later)):
        assert not [line for line in lines if json.dumps(line, ensure_ascii=False)[1:-1] in kept]


def _asked(agent: AgentClient, thread: str, number: int, mentions: list[dict[str, str]]) -> str:
    """The id of a turn that has ended well."""
    answer = agent.ask(thread, f"When is it, {number}?", mentions=mentions, guidance="Talk like a pirate.")
    assert (answer.status_code, answer.json()["status"]) == (200, "completed"), answer.text
    return str(answer.json()["turn_id"])
