"""Agents that are killed while a subagent writes into another system, on PostgreSQL: it is done once.

Two agents and ingest are processes, GitHub is a local server that can be held, the resolver is the real one.
"""

import json
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlmodel import select
from tests.integration.agent.client import AgentClient
from tests.integration.agent.conftest import SECRET, Stage, built_stage, raw_events
from tests.integration.agent.test_trouble import agent_process, stall
from tests.unit.ingest.connectors.fake_github import FakeGithub
from tests.unit.ingest.connectors.local_site import Reply, SiteRequest, serving

from footnote_cli.embedded.ports import is_ready
from footnote_resolver.app import create_app as create_resolver
from footnote_shared.contracts.events import TERMINAL
from footnote_shared.db.tables import IdempotencyRow
from footnote_shared.kernel.clock import now, rfc3339
from footnote_testing.child_process import ChildProcess
from footnote_testing.eventually import LIMIT_S, eventually
from footnote_testing.planners import PlannedReply, call, results_in
from footnote_testing.ports import free_port
from footnote_testing.postgres_process import PostgresProcess
from footnote_testing.scripted_model import Script, ScriptedModel
from footnote_testing.served_app import ServedApp
from footnote_testing.workspace import make_caller, migrated_database

pytestmark = pytest.mark.system

QUESTION = "Open an issue about the gutter."
CALL_ID = "s0c0-s0c0"
DONE = "Done: #1 in Wiki at https://github.example/team/wiki/issues/1."


def opens_an_issue(request: Mapping[str, Any]) -> PlannedReply:
    """Has the subagent of GitHub open an issue, which then says what came of it."""
    results = results_in(request)
    if "one part of somebody else's work" not in str(request["messages"][0]["content"]):
        return (
            PlannedReply(results[0]) if results else call("task", subagent="github", prompt="Open the issue.")
        )
    issue = {"action": "create_issue", "title": "Gutter", "text": "It is full.", "connector": "C1"}
    return PlannedReply(results[0]) if results else call("act", **issue)


@dataclass
class HeldGithub:
    """GitHub whose answers to what is posted are held. `before` it does what is asked, or `after`."""

    github: FakeGithub
    does_it_first: bool
    held: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.github.before = self.hold

    def hold(self, request: SiteRequest) -> Reply | None:
        if not request.body or self.held.is_set():
            return None
        self.held.set()
        done = self.github.answer(request) if self.does_it_first else None
        assert self.released.wait(LIMIT_S), "nobody has let GitHub answer"
        return done


@pytest.fixture
def github() -> Iterator[FakeGithub]:
    with serving() as site:
        yield FakeGithub(site, token=None)


def ingest_process(stage: Stage, port: int) -> ChildProcess:
    environment = {
        "FOOTNOTE_DATA": str(stage.folder),
        "FOOTNOTE_DATABASE_URL": stage.database.url,
        "FOOTNOTE_REDIS_URL": stage.redis.url,
        "FOOTNOTE_SERVICE_SECRET": SECRET,
        "FOOTNOTE_EGRESS_ALLOW": "127.0.0.1/32",
    }
    command = [sys.executable, "-m", "footnote_cli", "serve", "ingest", "--port", str(port)]
    process = ChildProcess(command, stage.folder / f"ingest{port}.log", environment=environment)
    process.wait_until(lambda: is_ready(f"http://127.0.0.1:{port}"), "ingest")
    return process


@dataclass
class System:
    """What the tests share: the stores, the model, the resolver, ingest, and an agent that nobody kills."""

    stage: Stage
    model: ScriptedModel
    resolver: ServedApp
    port: int
    agents: Mapping[str, str]
    ingest: ChildProcess
    second_url: str

    @property
    def ingest_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def new_caller(self) -> None:
        """Go on in a workspace of its own, in which no test before has left anything."""
        self.stage.caller, self.stage.key = make_caller(self.stage.database)


@pytest.fixture(scope="module")
def whole(postgres: PostgresProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    folder, port = tmp_path_factory.mktemp("killed"), free_port()
    model = ScriptedModel(Script(planner=opens_an_issue, cut_seed=3)).start()
    with built_stage(folder, migrated_database(postgres)) as stage:
        stage.neighbours.relays = False
        settings = stage.settings(verification="off", injection="off")
        resolver = ServedApp(create_resolver(settings)).start()
        agents = {
            "FOOTNOTE_CHAT_TOOLS": "true",
            "FOOTNOTE_INGEST_URL": f"http://127.0.0.1:{port}",
            "FOOTNOTE_RESOLVER_URL": resolver.url,
            "FOOTNOTE_TURN_LEASE_S": "12",
        }
        with agent_process(stage, model=model, **agents) as (second, _):
            made = System(
                stage, model, resolver, port, agents, ingest_process(stage, port), str(second.base_url)
            )
            yield made
            made.ingest.stop()
        resolver.stop()
    model.stop()


@pytest.fixture
def system(whole: System) -> System:
    whole.new_caller()
    return whole


def connect(stage: Stage, ingest_url: str, github_url: str) -> None:
    """A connector of the workspace that may open issues."""
    config = {
        "repository": "team/wiki",
        "api_url": github_url,
        "parts": ["issues"],
        "actions": ["create_issue"],
    }
    with AgentClient(ingest_url, stage.key) as http:
        made = http.post("/v1/connectors", json={"kind": "github", "name": "Wiki", "config": config})
        assert made.status_code == 201, made.text


class Reader:
    """Reads the stream of a turn from the resolver, in a thread, whoever dies beside it."""

    def __init__(self, stage: Stage, url: str, turn_id: str) -> None:
        self.got: list[dict[str, Any]] = []
        self._client = AgentClient(url, stage.key)
        self._thread = threading.Thread(target=self._read, args=(turn_id,), daemon=True)
        self._thread.start()

    def _read(self, turn_id: str) -> None:
        with self._client as http, http.stream("GET", f"/v1/streams/{turn_id}", timeout=None) as answer:
            self.got += _events(answer)

    def end(self) -> list[dict[str, Any]]:
        self._thread.join(LIMIT_S)
        assert not self._thread.is_alive(), "the stream did not close"
        return self.got


def _events(answer: httpx.Response) -> Iterator[dict[str, Any]]:
    for line in answer.iter_lines():
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))


def begun(stage: Stage, agent: AgentClient, held: HeldGithub) -> str:
    """A turn whose act GitHub holds, after a person has said yes; its id."""
    turn_id = agent.start_turn(agent.thread(), QUESTION)
    eventually(lambda: agent.turn(turn_id).get("approvals"), "somebody is asked")
    approved = agent.post(f"/v1/turns/{turn_id}:approve", json={"call_id": CALL_ID, "approve": True})
    assert approved.status_code == 200, approved.text
    eventually(held.held.is_set, "GitHub is asked")
    return turn_id


def started_acts(stage: Stage, turn_id: str) -> int:
    """How often a run has begun the act."""
    events = raw_events(stage, turn_id)
    return sum(event["type"] == "tool.started" and event["data"]["tool"] == "act" for event in events)


def let_time_pass(stage: Stage) -> None:
    """Let the tries of acts be older than any of their requests can be."""
    with stage.database.write() as session:
        for row in session.exec(select(IdempotencyRow)):
            kept = json.loads(row.body)
            if "begun_at" in kept:
                row.body = json.dumps({**kept, "begun_at": rfc3339(now() - timedelta(minutes=2))})
                session.add(row)


@pytest.mark.parametrize(
    ("does_it_first", "ingest_dies", "answers_late"),
    [
        pytest.param(False, False, False, id="before the system has done it"),
        pytest.param(True, False, False, id="after the system has done it"),
        pytest.param(True, False, True, id="and the system answers while the next one asks"),
        pytest.param(True, True, False, id="and ingest with it"),
    ],
)
def test_an_agent_killed_within_an_act_leaves_one_that_is_done_once(
    system: System,
    github: FakeGithub,
    does_it_first: bool,
    ingest_dies: bool,
    answers_late: bool,
) -> None:
    held, stage = HeldGithub(github, does_it_first), system.stage
    connect(stage, system.ingest_url, github.site.url)
    with AgentClient(system.second_url, stage.key) as second:
        with agent_process(stage, model=system.model, **system.agents) as (first, process):
            turn_id = begun(stage, first, held)
            reader = Reader(stage, system.resolver.url, turn_id)
            process.kill()
        stall(stage.database, turn_id)
        if ingest_dies:
            system.ingest.kill()
        if not answers_late:
            held.released.set()
        if ingest_dies:
            let_time_pass(stage)
            system.ingest = ingest_process(stage, system.port)
        else:
            eventually(lambda: started_acts(stage, turn_id), "it is made again", until=lambda n: n >= 2)
            held.released.set()
        ended = second.wait_for_end(turn_id)
    assert ended["status"] == "completed", ended
    assert ended["message"]["text"].startswith(DONE), ended["message"]["text"]
    assert [one["title"] for one in github.threads.values()] == ["Gutter"]
    seen = reader.end()
    assert [event["seq"] for event in seen] == list(range(seen[0]["seq"], seen[0]["seq"] + len(seen)))
    assert [event["type"] for event in seen if event["type"] in TERMINAL] == ["message.completed"]
    text = "".join(event["data"]["text"] for event in seen if event["type"] == "text.delta")
    assert text == ended["message"]["text"]
    # Nobody is asked a second time, and each of the two calls has one end.
    kinds = [event["type"] for event in seen]
    assert kinds.count("approval.needed") == 1
    assert kinds.count("tool.finished") == 2
