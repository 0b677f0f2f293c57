"""An agent that is killed while an MCP server does what was asked of it: the call is made once.

Two agents are processes. The tests share all but the one that is killed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.integration.agent.client import AgentClient
from tests.integration.agent.conftest import Stage, built_stage, raw_events
from tests.integration.agent.noting_server import noting_app
from tests.integration.agent.test_trouble import agent_process, stall

from footnote_testing.eventually import eventually
from footnote_testing.planners import PlannedReply, call, results_in
from footnote_testing.postgres_process import PostgresProcess
from footnote_testing.scripted_model import Script, ScriptedModel
from footnote_testing.served_app import ServedApp
from footnote_testing.workspace import make_caller, migrated_database

pytestmark = pytest.mark.system

CALL_ID = "s0c0"


def noting(request: Mapping[str, object]) -> PlannedReply:
    """Adds a note, and says what came of it."""
    results = results_in(request)
    return PlannedReply(f"So: {results[0]}") if results else call("notes__add_note", title="Gutter")


class Notes:
    """The server of tools, and the folder in which it writes."""

    def __init__(self, folder: Path, *, writes_first: bool) -> None:
        folder.mkdir()
        self.folder = folder
        self.served = ServedApp(noting_app(folder, writes_first=writes_first)).start()

    @property
    def url(self) -> str:
        return self.served.url


@dataclass
class Whole:
    """What the tests share. `servers` are told apart by whether they write a note before they wait."""

    stage: Stage
    model: ScriptedModel
    servers: Mapping[bool, Notes]
    agents: Mapping[str, str]
    second_url: str


@pytest.fixture(scope="module")
def whole(postgres: PostgresProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    folder = tmp_path_factory.mktemp("killed")
    model = ScriptedModel().start()
    servers = {first: Notes(folder / f"notes-{first}", writes_first=first) for first in (True, False)}
    agents = {
        "FOOTNOTE_CHAT_TOOLS": "true",
        "FOOTNOTE_TOOL_SERVERS": ",".join(notes.url for notes in servers.values()),
        "FOOTNOTE_TURN_LEASE_S": "12",
    }
    with (
        built_stage(folder, migrated_database(postgres)) as stage,
        agent_process(stage, model=model, **agents) as (second, _),
    ):
        yield Whole(stage, model, servers, agents, str(second.base_url))
    for notes in servers.values():
        notes.served.stop()
    model.stop()


@pytest.fixture
def system(whole: Whole) -> Whole:
    """A workspace in which no test before has left a server, and a model that nobody has asked."""
    whole.stage.caller, whole.stage.key = make_caller(whole.stage.database)
    whole.model.script = Script(planner=noting, cut_seed=3)
    return whole


def begun(agent: AgentClient, notes: Notes) -> str:
    """A turn whose call the server holds, after a person has said yes; its id."""
    body = {"url": f"{notes.url}/mcp", "tools": [{"name": "add_note"}]}
    made = agent.put("/v1/tool-servers/notes", json=body)
    assert made.status_code == 201, made.text
    turn_id = agent.start_turn(agent.thread(), "Note the gutter.")
    eventually(lambda: agent.turn(turn_id).get("approvals"), "somebody is asked")
    approved = agent.post(f"/v1/turns/{turn_id}:approve", json={"call_id": CALL_ID, "approve": True})
    assert approved.status_code == 200, approved.text
    eventually((notes.folder / "held").exists, "the server is asked")
    return turn_id


@pytest.mark.parametrize("writes_first", [True, False], ids=["after it was done", "before it was done"])
def test_a_call_that_its_agent_dies_in_is_not_made_again(system: Whole, writes_first: bool) -> None:
    stage, notes = system.stage, system.servers[writes_first]
    with AgentClient(system.second_url, stage.key) as second:
        with agent_process(stage, model=system.model, **system.agents) as (first, process):
            turn_id = begun(first, notes)
            process.kill()
        stall(stage.database, turn_id)
        ended = second.wait_for_end(turn_id)
        (notes.folder / "released").touch()
    assert ended["status"] == "completed", ended
    assert "not known whether it was made" in ended["message"]["text"]
    assert (notes.folder / "held").read_text() == "x"
    assert not writes_first or (notes.folder / "notes").read_text() == "Gutter\n"
    kinds = [event["type"] for event in raw_events(stage, turn_id)]
    assert kinds.count("approval.needed") == 1
    asked = [one for one in system.model.script.requests if results_in(one)]
    assert len(asked) == 1
