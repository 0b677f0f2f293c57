"""A workspace that adds an MCP server: an agent, a scripted model and a real server, for tests of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.integration.agent.client import AgentClient
from tests.integration.agent.conftest import Stage, built_stage, raw_events

from footnote_testing.eventually import LIMIT_S, eventually
from footnote_testing.planners import PlannedReply, Planner, call, results_in
from footnote_testing.scripted_model import Script, ScriptedModel
from footnote_testing.tool_server import LOOKUP, LoopbackToolServer

QUESTION = "When does the warehouse open?"
BYTES = 64 * 1024
HASTE_S = 6
READS = [{"name": "lookup", "reads_only": True}, {"name": "add_note"}]
SERVER = "/v1/tool-servers/depot"


@dataclass
class Desk:
    """`settings` are the agent's, for another one beside it. `hasty` waits for a server `HASTE_S` seconds."""

    stage: Stage
    agent: AgentClient
    model: ScriptedModel
    server: LoopbackToolServer
    settings: dict[str, Any]
    hasty: AgentClient

    def in_haste(self) -> "Desk":
        """The same for a server that is silent. Other servers are slow on a busy machine, and answer."""
        return replace(self, agent=self.hasty)

    @contextmanager
    def with_good_server(self) -> Iterator["Desk"]:
        """A good server that nobody has asked anything; the workspace has none before it, nor behind it."""
        self.server.behave()
        self.server.describe(LOOKUP)
        yield self
        self.server.behave()
        self.agent.delete(SERVER)

    def put(self, **body: Any) -> Any:
        return self.agent.put(SERVER, json={"url": self.server.url, **body})

    def allow(self, **body: Any) -> dict[str, Any]:
        answer = self.put(tools=READS, **body)
        assert answer.status_code in (200, 201), answer.text
        found: dict[str, Any] = answer.json()
        return found

    def look(self) -> dict[str, Any]:
        answer = self.agent.post(f"{SERVER}:test")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def ask(self, planner: Planner) -> dict[str, Any]:
        self.model.script = Script(planner=planner)
        answer = self.agent.ask(self.agent.thread(), QUESTION)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def asked(self, planner: Planner) -> tuple[str, dict[str, Any]]:
        """A turn that waits for a person, and what it asks."""
        self.model.script = Script(planner=planner)
        turn_id = self.agent.start_turn(self.agent.thread(), QUESTION)
        waiting = eventually(
            lambda: self.agent.turn(turn_id), "somebody is asked", until=lambda turn: turn.get("approvals")
        )
        return turn_id, waiting["approvals"][0]

    def approve(self, turn_id: str, approval: dict[str, Any], *, approve: bool = True) -> dict[str, Any]:
        body = {"call_id": approval["call_id"], "approve": approve}
        assert self.agent.post(f"/v1/turns/{turn_id}:approve", json=body).status_code == 200
        return self.agent.wait_for_end(turn_id)

    def events(self, result: dict[str, Any], kind: str) -> list[dict[str, Any]]:
        return [e["data"] for e in raw_events(self.stage, result["turn_id"]) if e["type"] == kind]

    def record(self, result: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = self.agent.get(f"/v1/turns/{result['turn_id']}").json()["record"]
        return found

    def audit(self) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = self.agent.get("/v1/audit").json()["items"]
        return [one for one in items if one["action"].startswith("tool_server.")]


def looking(request: Any) -> PlannedReply:
    """Looks something up at the server, and says what came of it."""
    results = results_in(request)
    return PlannedReply(f"So: {results[0]}") if results else call("depot__lookup", thing="warehouse")


def noting(request: Any) -> PlannedReply:
    """Has the server write a note, and says what came of it."""
    results = results_in(request)
    return PlannedReply(f"So: {results[0]}") if results else call("depot__add_note", title="Opening hours")


@contextmanager
def built_desk(folder: Path) -> Iterator[Desk]:
    """Everything running. The agent believes no listing of a server for longer than one call."""
    model, server = ScriptedModel().start(), LoopbackToolServer().start()
    settings: dict[str, Any] = {
        "chat_base_url": model.url,
        "chat_model": "scripted",
        "chat_tools": True,
        "tool_servers": f"{server.origin}, tools.example.org",
        "tool_server_timeout_s": LIMIT_S,
        "tool_server_bytes": BYTES,
    }
    with (
        built_stage(folder) as stage,
        stage.agent(**settings, tool_server_fresh_s=0) as agent,
        stage.agent(**{**settings, "tool_server_timeout_s": HASTE_S}, tool_server_fresh_s=0) as hasty,
    ):
        yield Desk(stage, agent, model, server, settings, hasty)
    server.stop()
    model.stop()
