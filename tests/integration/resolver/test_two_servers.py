"""Streams of turns on two Redises: each turn is on one of them, and one that is away stops no other turn."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis

from footnote_shared.kernel.ids import new_id
from footnote_shared.kernel.stream_servers import StreamServers, server_name
from footnote_shared.redis import keys
from footnote_shared.redis.connection import connect
from footnote_testing.eventually import eventually
from footnote_testing.redis_process import RedisProcess, start_redis
from tests.integration.resolver.processes import Caller, MakeStack, ResolverStack, assert_whole, text_of
from tests.integration.resolver.scripted_agent import ScriptedAgent


@dataclass
class Divided:
    """A stack whose turns are on two Redises, neither of which is the one for everything else."""

    stack: ResolverStack
    processes: list[RedisProcess]
    clients: StreamServers[redis.Redis]

    def begun(self, number: int) -> tuple[Caller, ScriptedAgent]:
        """A turn that belongs to one of the two, begun there."""
        caller = self.stack.caller(f"caller {new_id()}")
        name = server_name(self.processes[number].url)
        turn = next(turn for turn in iter(new_id, None) if self.clients.name_of(turn) == name)
        client, conversation = self.clients.of(turn), caller.conversation()
        agent = ScriptedAgent(client, caller.principal.workspace_id, conversation, turn)
        agent.start()
        return caller, agent

    def wait_relayed(self, agent: ScriptedAgent, text: str) -> None:
        eventually(
            lambda: self.relayed(agent.turn), "the text is relayed", until=lambda seen: seen.strip() == text
        )

    def relayed(self, turn: str) -> str:
        entries: Any = self.clients.of(turn).xrange(keys.turn_events(turn))
        events = [json.loads(fields["e"]) for _, fields in entries]
        return "".join(event["data"]["text"] for event in events if event["type"] == "text.delta")


@contextmanager
def divided(own_stack: MakeStack, folder: Path, processes: int = 1, **more: str) -> Iterator[Divided]:
    servers = [start_redis(folder / name) for name in ("one", "two")]
    urls = [server.url for server in servers]
    clients = StreamServers({server_name(url): connect(url) for url in urls})
    stack = own_stack(processes=processes, FOOTNOTE_STREAM_REDIS_URLS=json.dumps(urls), **more)
    made = Divided(stack, servers, clients)
    yield made
    for client in clients:
        client.close()
    for server in made.processes:
        server.stop()


def test_turns_of_both_go_through_and_readers_resume(own_stack: MakeStack, tmp_path: Path) -> None:
    with divided(own_stack, tmp_path, processes=2) as made:
        for number in (0, 1):
            caller, agent = made.begun(number)
            readings = [caller.read_in_thread(agent.turn, process=process) for process in (0, 1)]
            agent.say("Some text ", "came.")
            agent.complete()
            whole = readings[0].end()
            assert_whole(whole)
            assert text_of(whole) == "Some text came."
            assert [g.raw for g in readings[1].end()] == [g.raw for g in whole]
            resumed = caller.read(agent.turn, last=whole[0].id, process=1)
            assert [g.raw for g in resumed] == [g.raw for g in whole[1:]]
            there = [client.exists(keys.turn_events(agent.turn)) for client in made.clients]
            assert there == [1 - number, number]
        assert not list(made.stack.client.scan_iter("footnote:turn*")), "the one for everything else has none"


def test_another_resolver_takes_turns_of_both_over(own_stack: MakeStack, tmp_path: Path) -> None:
    with divided(own_stack, tmp_path) as made:
        turns = [made.begun(number) for number in (0, 1)]
        for _, agent in turns:
            agent.say("Before. ")
            made.wait_relayed(agent, "Before.")
        second = made.stack.start()
        made.stack.processes[0].kill()
        for caller, agent in turns:
            agent.say("After.")
            agent.complete()
            events = caller.read(agent.turn, process=second)
            assert_whole(events)
            assert events[-1].data["text"] == "Before. After."


def test_a_resolver_that_stops_frees_its_leases_on_both(own_stack: MakeStack, tmp_path: Path) -> None:
    with divided(own_stack, tmp_path, FOOTNOTE_STREAM_LEASE_S="20") as made:
        turns = [agent.turn for _, agent in map(made.begun, (0, 1))]
        eventually(lambda: held(made, turns), "both are carried", until=lambda found: found == [1, 1])
        made.stack.processes[0].stop()
        assert held(made, turns) == [0, 0]


def test_one_that_is_away_stops_no_turn_of_the_other(own_stack: MakeStack, tmp_path: Path) -> None:
    with divided(own_stack, tmp_path) as made:
        (caller, agent), (other, theirs) = made.begun(0), made.begun(1)
        for one in (agent, theirs):
            one.say("Before. ")
            made.wait_relayed(one, "Before.")
        waiting, port = other.read_in_thread(theirs.turn), made.processes[1].port
        waiting.wait_for_text("Before.")
        made.processes[1].stop()
        with caller.http() as http:
            ready, accepts = http.get("/readyz"), http.get("/acceptz")
            metrics = http.get("/metrics").text
        assert (ready.status_code, accepts.status_code) == (503, 200)
        assert [name for name, told in ready.json()["checks"].items() if told != "ok"] == ["redis-2"]
        assert 'footnote_dependency_up{dependency="redis-2",service="resolver"} 0.0' in metrics
        agent.say("After.")
        agent.complete()
        assert caller.read(agent.turn)[-1].data["text"] == "Before. After."
        fresh, begun_meanwhile = made.begun(0)
        begun_meanwhile.say("New.")
        begun_meanwhile.complete()
        assert fresh.read(begun_meanwhile.turn)[-1].data["text"] == "New."
        # It comes back with its data, as one that was restarted does.
        made.processes[1] = start_redis(tmp_path / "two", port)
        theirs.say("After.")
        theirs.complete()
        events = waiting.end()
        assert_whole(events)
        assert events[-1].data["text"] == "Before. After."


def test_turns_of_one_that_is_lost_end_as_failed(own_stack: MakeStack, tmp_path: Path) -> None:
    with divided(own_stack, tmp_path) as made:
        (caller, agent), (other, theirs) = made.begun(0), made.begun(1)
        theirs.say("Some text came.")
        reading = other.read_in_thread(theirs.turn)
        reading.wait_for_text("Some text came.")
        made.clients.of(theirs.turn).flushall()
        events = reading.end()
        assert_whole(events)
        assert (events[-1].type, events[-1].data["text"]) == ("turn.failed", "Some text came.")
        agent.complete()
        assert caller.read(agent.turn)[-1].type == "message.completed"


def test_a_turn_that_belongs_elsewhere_after_a_change_of_the_list_ends(
    own_stack: MakeStack, tmp_path: Path
) -> None:
    with divided(own_stack, tmp_path) as made:
        (caller, agent), (other, theirs) = made.begun(0), made.begun(1)
        for one in (agent, theirs):
            one.say("Before. ")
            made.wait_relayed(one, "Before.")
        seen = other.read_in_thread(theirs.turn)
        seen.wait_for_text("Before.")
        eventually(lambda: noted(made), "both are in SQL")
        made.stack.processes[0].stop()
        made.stack.environment["FOOTNOTE_STREAM_REDIS_URLS"] = json.dumps([made.processes[0].url])
        process = made.stack.start()
        agent.say("After.")
        agent.complete()
        assert caller.read(agent.turn, process=process)[-1].data["text"] == "Before. After."
        resumed = other.read(theirs.turn, last=seen.end()[-1].id, process=process)
        assert [got.type for got in resumed] == ["turn.failed"]
        assert resumed[0].data["problem"]["code"] == "stream_lost"


def held(made: Divided, turns: list[str]) -> list[Any]:
    """For each turn whether a resolver has its lease."""
    return [made.clients.of(turn).exists(keys.turn_lease(turn)) for turn in turns]


def noted(made: Divided) -> bool:
    """Whether no announcement waits to be written down."""
    return not any(client.xlen(keys.TURNS_STREAM) for client in made.clients)
