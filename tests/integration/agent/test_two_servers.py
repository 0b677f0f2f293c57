"""Agents and a real resolver whose turns are on two Redises."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from tests.integration.agent.client import AgentClient
from tests.integration.agent.conftest import Stage

from footnote_agent.store.tables import TurnRow
from footnote_resolver.app import create_app as create_resolver
from footnote_shared.kernel.stream_servers import StreamServers, server_name
from footnote_shared.redis import keys
from footnote_shared.redis.connection import connect
from footnote_testing.eventually import eventually
from footnote_testing.redis_process import RedisProcess, start_redis
from footnote_testing.scripted_model import Script, ScriptedModel
from footnote_testing.served_app import ServedApp

QUESTION = "When is the launch?"
_TRIES = 40
"""The chance that so many turns are all on one of two is one in a million millions."""


@dataclass
class Divided:
    """Two Redises for streams beside that of the stage, a model that does not end, and a resolver."""

    stage: Stage
    processes: list[RedisProcess]
    clients: StreamServers[Redis]
    model: ScriptedModel
    resolvers: list[ServedApp] = field(default_factory=list)

    def settings(self, *numbers: int) -> dict[str, Any]:
        return {
            "stream_redis_urls": [self.processes[number].url for number in numbers],
            "verification": "off",
            "injection": "off",
            "stream_lease_s": 1.0,
            "turn_lease_s": 9.0,
            "chat_base_url": self.model.url,
            "chat_model": "scripted",
        }

    def resolve(self, *numbers: int) -> ServedApp:
        """Start a resolver that reads these servers."""
        served = ServedApp(create_resolver(self.stage.settings(**self.settings(*numbers))))
        served.start()
        self.resolvers.append(served)
        return served

    def agent(self, *numbers: int) -> AgentClient:
        return self.stage.agent(resolver_url=self.resolvers[-1].url, **self.settings(*numbers))

    def turn_on(self, agent: AgentClient, number: int) -> str:
        """A turn that runs and belongs to one of the servers; what was begun before it is stopped."""
        name = server_name(self.processes[number].url)
        for _ in range(_TRIES):
            turn_id = agent.start_turn(agent.thread(), QUESTION)
            if self.clients.name_of(turn_id) == name:
                return turn_id
            agent.post(f"/v1/turns/{turn_id}:cancel")
        raise AssertionError(f"no turn is on {name}")

    def is_noted(self, turn_id: str) -> bool:
        """Whether SQL knows that the stream of the turn was open."""
        with self.stage.database.read() as session:
            row = session.get(TurnRow, turn_id)
            return row is not None and bool(row.state.get("announced"))

    def events_of(self, turn_id: str) -> int:
        """How many events a resolver has written."""
        return int(self.clients.of(turn_id).xlen(keys.turn_events(turn_id)))


@pytest.fixture
def divided(stage: Stage, tmp_path: Path) -> Iterator[Divided]:
    stage.neighbours.relays = False
    with model() as scripted:
        processes = [start_redis(tmp_path / name) for name in ("one", "two")]
        clients = StreamServers({server_name(one.url): connect(one.url) for one in processes})
        made = Divided(stage, processes, clients, scripted)
        made.resolve(0, 1)
        yield made
        for served in [*stage.served, *made.resolvers]:
            served.stop()
        stage.served.clear()
        for client in made.clients:
            client.close()
        for server in made.processes:
            server.stop()


@contextmanager
def model() -> Iterator[ScriptedModel]:
    running = ScriptedModel(Script(tokens=["on and "], endless=True)).start()
    yield running
    running.stop()


def test_turns_of_both_are_answered_and_nothing_of_them_is_in_the_one_redis(divided: Divided) -> None:
    divided.model.script = Script(tokens=["On March 10 [", "1", "]."])
    with divided.agent(0, 1) as agent:
        answered = set()
        for _ in range(_TRIES):
            answer = agent.ask(agent.thread(), QUESTION).json()
            assert answer["message"]["text"] == "On March 10 [citation:1]."
            turn_id = answer["turn_id"]
            where = divided.clients.name_of(turn_id)
            raw = {name: one.exists(keys.turn_raw(turn_id)) for name, one in divided.clients.items()}
            assert [name for name, there in raw.items() if there] == [where]
            answered.add(where)
            if len(answered) == 2:
                break
        assert len(answered) == 2
    with connect(divided.stage.redis.url) as one:
        assert not list(one.scan_iter("footnote:turn*"))


@pytest.mark.parametrize("number", [0, 1])
def test_a_wish_to_stop_reaches_the_agent_that_runs_the_turn(divided: Divided, number: int) -> None:
    with divided.agent(0, 1) as runs, divided.agent(0, 1) as asked:
        turn_id = divided.turn_on(runs, number)
        asked.post(f"/v1/turns/{turn_id}:cancel")
        assert runs.wait_for_end(turn_id)["status"] == "cancelled"


def test_one_that_is_away_stops_no_turn_of_the_other(divided: Divided) -> None:
    with divided.agent(0, 1) as agent, divided.agent(0, 1) as asked:
        lost, kept = divided.turn_on(agent, 1), divided.turn_on(agent, 0)
        divided.processes[1].stop()
        checks = agent.get("/readyz").json()["checks"]
        assert [name for name, told in checks.items() if told != "ok" and "redis" in name] == ["redis-2"]
        before = divided.events_of(kept)
        eventually(lambda: divided.events_of(kept), "it goes on", until=lambda seen: seen > before)
        asked.post(f"/v1/turns/{kept}:cancel")
        assert agent.wait_for_end(kept)["status"] == "cancelled"
        # A new turn is answered, or refused at once and then nothing of it is left, as with one Redis.
        thread, statuses = agent.thread(), []
        divided.model.script = Script(tokens=["Done."])
        for _ in range(_TRIES):
            answer = agent.ask(thread, QUESTION)
            statuses.append(answer.status_code)
            if {200, 503} <= set(statuses):
                break
        assert {200, 503} == set(statuses)
        said = [one["text"] for one in agent.messages(thread)]
        assert said == [QUESTION, "Done."] * statuses.count(200)
        # One that comes back empty has lost its turns, and says so.
        divided.processes[1] = start_redis(divided.stage.folder / "emptied", divided.processes[1].port)
        ended = agent.wait_for_end(lost)
        assert (ended["status"], ended["error"]["code"]) == ("failed", "stream_lost")


def test_one_that_is_silent_holds_up_no_turn_of_the_other(divided: Divided) -> None:
    with divided.agent(0, 1) as runs, divided.agent(0, 1) as asked:
        waits, goes_on = divided.turn_on(runs, 1), divided.turn_on(runs, 0)
        eventually(lambda: all(map(divided.events_of, (waits, goes_on))), "both are carried")
        with divided.processes[1].frozen(lambda: True):
            before = divided.events_of(goes_on)
            eventually(lambda: divided.events_of(goes_on), "it goes on", until=lambda seen: seen > before)
            asked.post(f"/v1/turns/{goes_on}:cancel")
            assert runs.wait_for_end(goes_on)["status"] == "cancelled"
        asked.post(f"/v1/turns/{waits}:cancel")
        assert runs.wait_for_end(waits)["status"] in ("cancelled", "failed")


def test_turns_of_one_that_is_away_keep_no_others_from_being_taken_over(divided: Divided) -> None:
    with divided.agent(0, 1) as agent:
        turns = [divided.turn_on(agent, 1), divided.turn_on(agent, 0)]
    divided.stage.served.pop().stop()
    divided.processes[1].stop()
    divided.model.script = Script(tokens=["Done."])
    with divided.agent(0, 1) as other:
        assert other.wait_for_end(turns[1])["status"] in ("completed", "failed")
        assert other.turn(turns[0])["status"] == "running"


def test_a_turn_that_belongs_elsewhere_after_a_change_of_the_list_ends_as_lost(divided: Divided) -> None:
    with divided.agent(0, 1) as agent:
        turns = [divided.turn_on(agent, number) for number in (0, 1)]
        eventually(lambda: all(map(divided.events_of, turns)), "both are carried")
        eventually(lambda: all(map(divided.is_noted, turns)), "that their streams were open is noted")
    divided.stage.served.pop().stop()
    divided.resolvers.pop().stop()
    divided.model.script = Script(tokens=["Done."])
    divided.resolve(0)
    with divided.agent(0) as agent:
        stays, moves = map(agent.wait_for_end, turns)
    assert (moves["status"], moves["error"]["code"]) == ("failed", "stream_lost")
    assert (stays["status"], stays["error"]["code"]) == ("failed", "interrupted"), "as after any restart"
