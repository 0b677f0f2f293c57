"""An agent that is killed while an MCP server does what was asked of it: the call is made once.

Two agents and the server are processes.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.integration.agent.client import AgentClient
from tests.integration.agent.conftest import Stage, built_stage, raw_events
from tests.integration.agent.test_trouble import agent_process

from footnote_cli.embedded.ports import accepts_connections
from footnote_testing.child_process import ChildProcess
from footnote_testing.eventually import eventually
from footnote_testing.planners import PlannedReply, call, results_in
from footnote_testing.ports import free_port
from footnote_testing.postgres_process import PostgresProcess
from footnote_testing.scripted_model import Script, ScriptedModel
from footnote_testing.workspace import migrated_database

pytestmark = pytest.mark.system

CALL_ID = "s0c0"


def noting(request: Mapping[str, object]) -> PlannedReply:
    """Adds a note, and says what came of it."""
    results = results_in(request)
    return PlannedReply(f"So: {results[0]}") if results else call("notes__add_note", title="Gutter")


@contextmanager
def notes_server(folder: Path, port: int, *, writes_first: bool) -> Iterator[None]:
    when = "first" if writes_first else "last"
    command = ["tests.integration.agent.noting_server", str(folder), str(port), when]
    process = ChildProcess([sys.executable, "-m", *command], folder / "server.log")
    try:
        process.wait_until(lambda: accepts_connections(port), "the server of tools")
        yield
    finally:
        process.kill()


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    running = ScriptedModel(Script(planner=noting, cut_seed=3)).start()
    yield running
    running.stop()


@pytest.fixture
def stage(postgres: PostgresProcess, tmp_path: Path) -> Iterator[Stage]:
    with built_stage(tmp_path, migrated_database(postgres)) as built:
        yield built


def begun(agent: AgentClient, folder: Path, port: int) -> str:
    """A turn whose call the server holds, after a person has said yes; its id."""
    body = {"url": f"http://127.0.0.1:{port}/mcp", "tools": [{"name": "add_note"}]}
    made = agent.put("/v1/tool-servers/notes", json=body)
    assert made.status_code == 201, made.text
    turn_id = agent.start_turn(agent.thread(), "Note the gutter.")
    eventually(lambda: agent.turn(turn_id).get("approvals"), "somebody is asked")
    approved = agent.post(f"/v1/turns/{turn_id}:approve", json={"call_id": CALL_ID, "approve": True})
    assert approved.status_code == 200, approved.text
    eventually((folder / "held").exists, "the server is asked")
    return turn_id


@pytest.mark.parametrize("writes_first", [True, False], ids=["after it was done", "before it was done"])
def test_a_call_that_its_agent_dies_in_is_not_made_again(
    stage: Stage, model: ScriptedModel, tmp_path: Path, writes_first: bool
) -> None:
    folder, port = tmp_path / "notes", free_port()
    folder.mkdir()
    agents = {
        "FOOTNOTE_CHAT_TOOLS": "true",
        "FOOTNOTE_TOOL_SERVERS": f"http://127.0.0.1:{port}",
        "FOOTNOTE_TURN_LEASE_S": "3",
    }
    with (
        notes_server(folder, port, writes_first=writes_first),
        agent_process(stage, model=model, **agents) as (second, _),
    ):
        with agent_process(stage, model=model, **agents) as (first, process):
            turn_id = begun(first, folder, port)
            process.kill()
        ended = second.wait_for_end(turn_id)
        (folder / "released").touch()
    assert ended["status"] == "completed", ended
    assert "not known whether it was made" in ended["message"]["text"]
    assert (folder / "held").read_text() == "x"
    assert not writes_first or (folder / "notes").read_text() == "Gutter\n"
    kinds = [event["type"] for event in raw_events(stage, turn_id)]
    assert kinds.count("approval.needed") == 1
    asked = [one for one in model.script.requests if results_in(one)]
    assert len(asked) == 1
