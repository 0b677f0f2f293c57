"""Real resolver processes over a real Redis and database, callers, and readers of their streams."""

import json
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from footnote_cli.embedded.ports import NO_CERTIFICATES, is_ready
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.redis import keys
from footnote_shared.redis.connection import connect
from footnote_shared.security.service_identity import sign
from footnote_testing.child_process import ChildProcess
from footnote_testing.eventually import LIMIT_S, eventually
from footnote_testing.ports import free_port
from footnote_testing.redis_process import RedisProcess, start_redis
from footnote_testing.workspace import make_caller, make_database
from tests.integration.resolver.scripted_agent import ScriptedAgent

TERMINAL = {"message.completed", "turn.failed", "turn.cancelled"}


@dataclass(frozen=True)
class Got:
    """A server-sent event as a reader got it; `raw` is its data line."""

    id: str
    raw: str

    @property
    def event(self) -> dict[str, Any]:
        return dict(json.loads(self.raw))

    @property
    def type(self) -> str:
        return str(self.event["type"])

    @property
    def data(self) -> dict[str, Any]:
        return dict(self.event["data"])


class Caller:
    """A workspace's member with a key, talking to any of the processes."""

    def __init__(self, stack: "ResolverStack", principal: Principal, key: str) -> None:
        self.stack = stack
        self.principal = principal
        self.key = key

    def http(self, process: int = 0, timeout: float = LIMIT_S) -> httpx.Client:
        headers = {"Authorization": f"Bearer {self.key}"}
        return httpx.Client(
            base_url=self.stack.urls[process],
            headers=headers,
            timeout=timeout,
            trust_env=False,
            verify=NO_CERTIFICATES,
        )

    def neighbour(self, process: int = 0) -> httpx.Client:
        """The agent, which asks for this caller."""
        secret = (self.stack.folder / "data" / "service_secret").read_text()
        headers = {"Authorization": f"Bearer {sign(self.principal, 'resolver', secret)}"}
        return httpx.Client(
            base_url=self.stack.urls[process],
            headers=headers,
            timeout=LIMIT_S,
            trust_env=False,
            verify=NO_CERTIFICATES,
        )

    def conversation(self) -> str:
        with self.http() as http:
            answer = http.post("/v1/conversations", json={})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def register(
        self, conversation: str, texts: list[str], *, turn: str | None = None, process: int = 0
    ) -> list[int]:
        """Show texts, each the passage of a page of its own that is named for it."""
        items = [web_item(text) for text in texts]
        with self.http(process) as http:
            answer = http.post(
                f"/v1/conversations/{conversation}/citations", json={"items": items, "turn_id": turn}
            )
        assert answer.status_code == 200, answer.text
        return [int(n) for n in answer.json()["numbers"]]

    def read(
        self, turn: str, *, last: str | None = None, process: int = 0, timeout: float = LIMIT_S
    ) -> list[Got]:
        """Every event from behind `last` until the stream closes."""
        return list(self.events(turn, last=last, process=process, timeout=timeout))

    def events(
        self, turn: str, *, last: str | None = None, process: int = 0, timeout: float = LIMIT_S
    ) -> Iterator[Got]:
        headers = {"Last-Event-ID": last} if last else {}
        with (
            self.http(process, timeout) as http,
            http.stream("GET", f"/v1/streams/{turn}", headers=headers) as response,
        ):
            if response.status_code != 200:
                raise AssertionError((response.status_code, response.read()))
            yield from events_in(response)

    def read_in_thread(self, turn: str, *, process: int = 0, last: str | None = None) -> "Reading":
        return Reading(self, turn, process, last)


class Reading:
    """A reader in a thread; `got` grows while it reads."""

    def __init__(self, caller: Caller, turn: str, process: int, last: str | None) -> None:
        self.got: list[Got] = []
        self.error: Exception | None = None
        self._thread = threading.Thread(target=self._run, args=(caller, turn, process, last), daemon=True)
        self._thread.start()

    def _run(self, caller: Caller, turn: str, process: int, last: str | None) -> None:
        try:
            for got in caller.events(turn, last=last, process=process):
                self.got.append(got)
        except (httpx.HTTPError, AssertionError) as error:
            self.error = error

    def wait_for_text(self, text: str) -> None:
        """Wait until the reader has the whole text, however many deltas it came in."""
        eventually(lambda: text_of(self.got), "the reader has it", until=lambda seen: seen.strip() == text)

    def end(self) -> list[Got]:
        """Wait until the stream has closed."""
        self._thread.join(LIMIT_S)
        assert not self._thread.is_alive(), (
            f"the stream did not close; got {len(self.got)} events, last {self.got[-1:]}"
        )
        return self.got


def events_in(response: httpx.Response) -> Iterator[Got]:
    """The events of an open stream as they come."""
    event_id = ""
    for line in response.iter_lines():
        if line.startswith("id: "):
            event_id = line[4:]
        elif line.startswith("data: "):
            yield Got(event_id, line[6:])


def web_item(text: str) -> dict[str, Any]:
    url = f"https://example.org/{text.split('.')[0].replace(' ', '-')}"
    return {
        "source_type": "web_result",
        "locator": {"url": url},
        "display": {"title": text[:20], "url": url},
        "text": text,
    }


@dataclass
class ResolverStack:
    """Redis, a database, and resolver processes that share them."""

    folder: Path
    database_url: str
    environment: dict[str, str] = field(default_factory=dict)
    processes: list[ChildProcess] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.redis: RedisProcess = start_redis(self.folder / "redis")
        self.client = connect(self.redis.url)
        self.database: Database = make_database(self.database_url)

    def start(self) -> int:
        """Start one more process; returns its position."""
        port, position = free_port(), len(self.processes)
        environment = {
            "FOOTNOTE_DATA": str(self.folder / "data"),
            "FOOTNOTE_DATABASE_URL": self.database_url,
            "FOOTNOTE_REDIS_URL": self.redis.url,
            "FOOTNOTE_STREAM_LEASE_S": "1",
            "FOOTNOTE_STREAM_HEARTBEAT_S": "1",
            # A scripted agent is silent while a busy machine starts another process.
            "FOOTNOTE_STREAM_IDLE_S": str(5 * LIMIT_S),
            "FOOTNOTE_INJECTION": "off",
            "FOOTNOTE_VERIFICATION": "off",
            "FOOTNOTE_LOG_FORMAT": "json",
            **self.environment,
        }
        command = [sys.executable, "-m", "footnote_cli", "serve", "resolver", "--port", str(port)]
        process = ChildProcess(command, self.folder / f"resolver{position}.log", environment=environment)
        url = f"http://127.0.0.1:{port}"
        process.wait_until(lambda: is_ready(url), "resolver")
        self.processes.append(process)
        self.urls.append(url)
        return position

    def carrier_of(self, turn: str) -> ChildProcess:
        """The process that holds the lease of the turn."""
        held = eventually(lambda: self.client.get(keys.turn_lease(turn)), "somebody holds the turn")
        return next(one for one in self.processes if str(one.process.pid) == str(held).split(":")[1])

    def relayed(self, turn: str) -> str:
        """The text of the turn's events stream in Redis."""
        entries: Any = self.client.xrange(keys.turn_events(turn))
        events = [json.loads(fields["e"]) for _, fields in entries]
        return "".join(event["data"]["text"] for event in events if event["type"] == "text.delta")

    def wait_relayed(self, turn: str, text: str) -> None:
        """Wait until the whole text stands in the events stream; however many deltas it came in."""
        eventually(lambda: self.relayed(turn), "the text is relayed", until=lambda seen: seen.strip() == text)

    def wait_noted(self) -> None:
        """Wait until every announcement is carried by somebody and noted in SQL."""
        eventually(
            lambda: self.client.xlen(keys.TURNS_STREAM), "all turns are noted", until=lambda left: left == 0
        )

    def caller(self, name: str = "one") -> Caller:
        return Caller(self, *make_caller(self.database, name))

    def agent(self, caller: Caller, conversation: str) -> ScriptedAgent:
        return ScriptedAgent(self.client, caller.principal.workspace_id, conversation)

    def begun_turn(self) -> tuple[Caller, ScriptedAgent, str]:
        """A caller, an agent that has begun a turn of theirs, and the conversation."""
        caller = self.caller()
        conversation = caller.conversation()
        agent = self.agent(caller, conversation)
        agent.start()
        return caller, agent, conversation

    def readers(self, caller: Caller) -> int:
        """How many readers the first process serves at this moment."""
        with caller.http() as http:
            lines = http.get("/metrics").text.splitlines()
        return int(
            float(next(line for line in lines if line.startswith("footnote_stream_readers ")).split()[1])
        )

    def stop(self) -> None:
        for process in self.processes:
            process.kill()
        self.client.close()
        self.redis.stop()
        self.database.close()


MakeStack = Callable[..., ResolverStack]
"""Makes a stack that the test may break: how many processes, and settings by environment names."""


def assert_whole(events: list[Got]) -> None:
    """Gapless, in order, with exactly one terminal event, which is the last."""
    assert [got.event["seq"] for got in events] == list(range(1, len(events) + 1))
    assert [got.type for got in events if got.type in TERMINAL] == [events[-1].type]


def read_so_far(events: list[Got]) -> tuple[str, list[int]]:
    """The text that a client shows after these events, and the numbers whose entries it has."""
    text, numbers = "", list[int]()
    for got in events:
        if got.type == "text.delta":
            text += got.data["text"]
        elif got.type == "citation":
            numbers.append(got.data["entry"]["n"])
        elif got.type == "text.replaced" or got.type in TERMINAL:
            text, numbers = got.data["text"], [entry["n"] for entry in got.data["citations"]]
    return text, numbers


def text_of(events: list[Got]) -> str:
    return "".join(got.data["text"] for got in events if got.type == "text.delta")
