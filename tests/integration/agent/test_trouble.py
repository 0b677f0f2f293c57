"""Clients that go away, wishes to stop, processes that die, stores that lose everything."""

import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta

import pytest
from redis import Redis
from sqlmodel import col, select, update
from tests.integration.agent.client import AgentClient, Heard
from tests.integration.agent.conftest import SECRET, Stage, raw_events

from footnote_agent.store.tables import TurnRow
from footnote_agent.store.turns import LeasedTurn, leased_turn
from footnote_agent.turns.journal import Journal
from footnote_cli.embedded.ports import accepts_connections
from footnote_shared.contracts.events import TERMINAL, Progress, TextDelta
from footnote_shared.db.engine import Database
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.stream_servers import StreamServers
from footnote_shared.redis.connection import connect_async
from footnote_testing.child_process import ChildProcess
from footnote_testing.eventually import LIMIT_S, eventually
from footnote_testing.ports import free_port
from footnote_testing.scripted_model import Script, ScriptedModel

QUESTION = "When is the launch?"


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    running = ScriptedModel(Script(tokens=["one ", "two ", "three "], endless=True)).start()
    yield running
    running.stop()


@contextmanager
def agent_process(
    stage: Stage, *, model: ScriptedModel | None = None, **more: str
) -> Iterator[tuple[AgentClient, ChildProcess]]:
    """An agent in a process of its own, over the same stores."""
    port = free_port()
    environment = {
        "FOOTNOTE_DATA": str(stage.folder),
        "FOOTNOTE_DATABASE_URL": stage.database.url,
        "FOOTNOTE_REDIS_URL": stage.redis.url,
        "FOOTNOTE_SERVICE_SECRET": SECRET,
        "FOOTNOTE_RETRIEVER_URL": stage.neighbours.url,
        "FOOTNOTE_RESOLVER_URL": stage.neighbours.url,
        "FOOTNOTE_TURN_GRACE_S": "0.2",
        "FOOTNOTE_CHAT_TOOLS": "false",
        **(
            {
                "FOOTNOTE_CHAT_BASE_URL": model.url,
                "FOOTNOTE_CHAT_MODEL": "scripted",
                "FOOTNOTE_CHAT_TOOLS": "false",
            }
            if model
            else {}
        ),
        **more,
    }
    command = [
        "uvicorn",
        "--factory",
        "tests.integration.agent.serve:app",
        "--port",
        str(port),
        "--timeout-graceful-shutdown",
        "1",
    ]
    process = ChildProcess(
        [sys.executable, "-m", *command], stage.folder / f"agent{port}.log", environment=environment
    )
    process.wait_until(lambda: accepts_connections(port), "agent")
    try:
        with AgentClient(f"http://127.0.0.1:{port}", stage.key) as client:
            yield client, process
    finally:
        process.stop()


def raw_types(stage: Stage, turn_id: str) -> list[str]:
    return [event["type"] for event in raw_events(stage, turn_id)]


def completed(raw: list[str]) -> bool:
    return raw[-1:] == ["message.completed"]


class TestAClientThatGoesAway:
    def test_leaves_the_turn_to_its_end(self, stage: Stage, agent: AgentClient) -> None:
        stage.neighbours.search_latch.shut()
        thread = agent.thread()
        turn_id = agent.start_turn(thread, QUESTION)
        stage.neighbours.search_latch.open()
        assert agent.wait_for_end(turn_id)["status"] == "completed"
        assert "March 10" in agent.messages(thread)[-1]["text"]


class TestAWishToStop:
    def test_ends_the_turn_and_keeps_its_text(self, stage: Stage, model: ScriptedModel) -> None:
        with stage.agent(chat_base_url=model.url, chat_model="scripted") as agent:
            stream = agent.stream_turn(agent.thread(), QUESTION)
            turn_id = str(next(stream))
            while not (isinstance(event := next(stream), Heard) and event.type == "text.delta"):
                pass
            assert agent.post(f"/v1/turns/{turn_id}:cancel").status_code == 200
            last = [e for e in stream if isinstance(e, Heard)][-1]
            assert last.type == "turn.cancelled"
            ended = agent.turn(turn_id)
            assert ended["status"] == "cancelled"
            assert ended["message"]["text"].startswith("one ")
            assert raw_types(stage, turn_id)[-1] == "turn.cancelled"

    def test_is_heard_by_the_replica_that_runs_the_turn(self, stage: Stage, model: ScriptedModel) -> None:
        with stage.agent(chat_base_url=model.url, chat_model="scripted") as one, stage.agent() as other:
            turn_id = one.start_turn(one.thread(), QUESTION)
            other.post(f"/v1/turns/{turn_id}:cancel")
            assert other.wait_for_end(turn_id)["status"] == "cancelled"

    def test_is_heard_by_a_replica_that_could_not_run_the_turn(
        self, stage: Stage, model: ScriptedModel
    ) -> None:
        with stage.agent(chat_base_url=model.url, chat_model="scripted") as one:
            turn_id = one.start_turn(one.thread(), QUESTION)
        stage.served.pop().stop()
        with stage.agent() as other:
            other.post(f"/v1/turns/{turn_id}:cancel")
            assert other.wait_for_end(turn_id)["status"] in ("cancelled", "failed")

    def test_comes_too_late_for_a_turn_that_has_ended(self, agent: AgentClient) -> None:
        turn_id = agent.ask(agent.thread(), QUESTION).json()["turn_id"]
        assert agent.post(f"/v1/turns/{turn_id}:cancel").json()["status"] == "completed"
        assert agent.turn(turn_id)["status"] == "completed"


@pytest.mark.system
class TestAnAgentThatIsKilled:
    def test_before_any_text_leaves_a_turn_that_another_answers(self, stage: Stage) -> None:
        with agent_process(stage) as (first, process):
            stage.neighbours.search_latch.shut()
            thread = first.thread()
            turn_id = first.start_turn(thread, QUESTION)
            eventually(lambda: stage.neighbours.searches, "the turn searches")
            process.kill()
        stall(stage.database, turn_id)
        stage.neighbours.search_latch.open()
        with stage.agent() as second:
            ended = second.wait_for_end(turn_id)
            assert ended["status"] == "completed"
            assert "March 10" in ended["message"]["text"]
        types = raw_types(stage, turn_id)
        assert sum(kind in TERMINAL for kind in types) == 1
        assert types.count("turn.started") == 1

    def test_in_the_middle_of_a_models_answer_leaves_the_part_marked_as_failed(
        self, stage: Stage, model: ScriptedModel
    ) -> None:
        with agent_process(stage, model=model) as (first, process):
            thread = first.thread()
            turn_id = first.start_turn(thread, QUESTION)
            eventually(
                lambda: raw_types(stage, turn_id).count("text.delta"), "3 deltas", until=lambda n: n >= 3
            )
            process.kill()
        stall(stage.database, turn_id)
        with stage.agent(chat_base_url=model.url, chat_model="scripted") as second:
            ended = second.wait_for_end(turn_id)
        assert (ended["status"], ended["error"]["code"]) == ("failed", "interrupted")
        assert ended["message"]["text"].startswith("one two three")
        assert sum(kind in TERMINAL for kind in raw_types(stage, turn_id)) == 1

    def test_after_its_last_word_leaves_an_answer_that_another_stores(self, stage: Stage) -> None:
        with agent_process(stage) as (first, process):
            stage.neighbours.relay_latch.shut()
            turn_id = first.start_turn(first.thread(), QUESTION)
            eventually(lambda: raw_types(stage, turn_id), "the agent has said its last word", until=completed)
            process.kill()
        stall(stage.database, turn_id)
        stage.neighbours.relay_latch.open()
        with stage.agent() as second:
            ended = second.wait_for_end(turn_id)
        assert ended["status"] == "completed"
        assert ended["message"]["text"].startswith("The launch was moved to March 10")

    def test_asked_to_stop_it_hands_the_turn_over_at_once(self, stage: Stage) -> None:
        with agent_process(stage) as (first, process):
            stage.neighbours.search_latch.shut()
            turn_id = first.start_turn(first.thread(), QUESTION)
            eventually(lambda: stage.neighbours.searches, "the turn searches")
            process.process.send_signal(signal.SIGTERM)
            process.process.wait(LIMIT_S)
        stage.neighbours.search_latch.open()
        with stage.agent() as second:
            assert second.wait_for_end(turn_id)["status"] == "completed"


def row_of(database: Database, turn_id: str) -> TurnRow:
    with database.read() as session:
        row = session.get(TurnRow, turn_id)
    assert row is not None
    return row


def running_turn(database: Database) -> str:
    """The id of the one turn that runs."""
    with database.read() as session:
        return session.exec(select(col(TurnRow.id)).where(col(TurnRow.status) == "running")).one()


def stall(database: Database, turn_id: str) -> None:
    """Make the lease look as though its holder had died."""
    with database.write() as session:
        session.exec(
            update(TurnRow)
            .where(col(TurnRow.id) == turn_id)
            .values(lease_owner="the dead", lease_until=now() - timedelta(seconds=5))
        )


async def write_half(stage: Stage, turn_id: str, text: str) -> None:
    """What a run leaves behind that died in the middle of its answer."""
    with stage.database.read() as session:
        row = session.get(TurnRow, turn_id)
        assert row is not None
        leased: LeasedTurn = leased_turn(row)
    redis = connect_async(stage.redis.url)
    journal = Journal(StreamServers({"one": redis}))
    await journal.append(leased, "progress", Progress(stage="writing", label="Writing the answer"))
    await journal.append(leased, "text.delta", TextDelta(text=text))
    await redis.aclose()


class TestAnExtractiveAnswerThatWasInterrupted:
    async def interrupted(self, stage: Stage, text: str) -> tuple[str, str]:
        """A turn with half an answer in its stream and nobody at work."""
        with stage.agent() as agent:
            stage.neighbours.search_latch.shut()
            thread = agent.thread()
            turn_id = agent.start_turn(thread, QUESTION)
            eventually(lambda: stage.neighbours.searches, "the turn searches")
        stage.served.pop().stop()
        await write_half(stage, turn_id, text)
        stall(stage.database, turn_id)
        stage.neighbours.search_latch.open()
        return thread, turn_id

    async def test_is_continued_where_it_stopped(self, stage: Stage) -> None:
        _, turn_id = await self.interrupted(stage, "The launch was moved to ")
        with stage.agent() as agent:
            ended = agent.wait_for_end(turn_id)
        assert ended["status"] == "completed"
        assert ended["message"]["text"].startswith(
            "The launch was moved to March 10 after the vendor slipped [citation:1]."
        )

    async def test_is_kept_in_part_when_the_documents_have_changed(self, stage: Stage) -> None:
        _, turn_id = await self.interrupted(stage, "Something else altogether ")
        with stage.agent() as agent:
            ended = agent.wait_for_end(turn_id)
        assert (ended["status"], ended["message"]["text"].strip()) == ("failed", "Something else altogether")


class TestARedisThatLosesEverything:
    def test_ends_the_turn_as_failed_for_everybody(self, stage: Stage) -> None:
        stage.neighbours.search_latch.shut()
        with stage.agent() as agent:
            thread = agent.thread()
            turn_id = agent.start_turn(thread, QUESTION)
            eventually(lambda: stage.neighbours.searches, "the turn searches")
            with Redis.from_url(stage.redis.url) as redis:
                redis.flushall()
            stage.neighbours.search_latch.open()
            ended = agent.wait_for_end(turn_id)
            assert (ended["status"], ended["error"]["code"]) == ("failed", "stream_lost")
            assert agent.ask(thread, QUESTION).status_code == 200

    def test_while_no_agent_runs_is_noticed_by_the_next(self, stage: Stage, model: ScriptedModel) -> None:
        # That its stream was open is noted with the first renewal of its lease, after a third of it.
        with stage.agent(chat_base_url=model.url, chat_model="scripted", turn_lease_s=3) as agent:
            turn_id = agent.start_turn(agent.thread(), QUESTION)
            eventually(lambda: row_of(stage.database, turn_id).state.get("announced"), "it is noted")
        stage.served.pop().stop()
        with Redis.from_url(stage.redis.url) as redis:
            redis.flushall()
        with stage.agent() as agent:
            assert agent.wait_for_end(turn_id)["error"]["code"] == "stream_lost"

    def test_a_redis_that_is_away_refuses_new_turns_and_keeps_nothing_of_them(self, stage: Stage) -> None:
        with stage.agent() as agent:
            thread = agent.thread()
            stage.redis.kill()
            refused = agent.ask(thread, QUESTION)
            assert refused.status_code == 503
            assert refused.headers["Retry-After"]
            assert agent.messages(thread) == []

    def test_a_redis_that_is_away_refuses_a_request_and_its_repetition_alike(self, stage: Stage) -> None:
        with stage.agent() as agent, ThreadPoolExecutor(2) as both:
            route, key = f"/v1/threads/{agent.thread()}/turns", {"Idempotency-Key": "same"}
            body = {"text": QUESTION, "stream": False}
            stage.redis.kill()
            asked = [both.submit(agent.post, route, json=body, headers=key) for _ in range(2)]
            answers = [one.result() for one in asked]
            assert [answer.status_code for answer in answers] == [503, 503], [one.text for one in answers]
            assert all(answer.headers["Retry-After"] for answer in answers)


class TestAResolverThatHangs:
    def test_delays_the_end_of_the_turn_and_loses_nothing(self, stage: Stage) -> None:
        with stage.agent() as agent:
            thread = agent.thread()
            stage.neighbours.relay_latch.shut()
            turn_id = agent.start_turn(thread, QUESTION)
            eventually(lambda: raw_types(stage, turn_id), "the agent has said its last word", until=completed)
            assert agent.turn(turn_id)["status"] == "running"
            stage.neighbours.relay_latch.open()
            assert agent.wait_for_end(turn_id)["status"] == "completed"


class TestTwoAgents:
    def test_leave_each_others_turns_alone(self, stage: Stage) -> None:
        stage.neighbours.search_latch.shut()
        with stage.agent(turn_lease_s=9) as one, stage.agent(turn_lease_s=9):
            turn_id = one.start_turn(one.thread(), QUESTION)
            first = row_of(stage.database, turn_id).lease_until
            eventually(
                lambda: row_of(stage.database, turn_id).lease_until,
                "the lease is renewed, after a third of it",
                until=lambda end: end > first,
            )
            stage.neighbours.search_latch.open()
            assert one.wait_for_end(turn_id)["status"] == "completed"
        assert len(stage.neighbours.searches) == 1

    def test_whoever_waits_at_the_one_that_lost_a_turn_gets_the_answer_of_the_other(
        self, stage: Stage
    ) -> None:
        stage.neighbours.search_latch.shut()
        with (
            stage.agent(turn_lease_s=3) as one,
            stage.agent(turn_lease_s=3) as other,
            ThreadPoolExecutor(1) as waiting,
        ):
            answer = waiting.submit(one.ask, one.thread(), QUESTION)
            eventually(lambda: stage.neighbours.searches, "the turn searches")
            stalled = running_turn(stage.database)
            stall(stage.database, stalled)
            eventually(
                lambda: len(stage.neighbours.searches), "the other has it", until=lambda count: count == 2
            )
            stage.neighbours.search_latch.open()
            assert answer.result().json()["status"] == "completed"
            assert other.turn(stalled)["status"] == "completed"


def test_the_first_event_comes_before_the_search_is_answered(stage: Stage, agent: AgentClient) -> None:
    stage.neighbours.search_latch.shut()
    stream = agent.stream_turn(agent.thread(), QUESTION)
    next(stream)
    event = next(stream)
    assert isinstance(event, Heard)
    assert event.type == "turn.started"
    stream.close()
