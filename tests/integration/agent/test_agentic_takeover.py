"""Agents that are killed in the middle of an agentic turn, and turns that are stopped: what a reader gets."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select, update
from tests.integration.agent.client import AgentClient
from tests.integration.agent.conftest import Stage, built_stage, raw_events
from tests.integration.agent.test_trouble import agent_process, completed, raw_types, stall

from footnote_ingest.app import create_app as create_ingest
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.contracts.events import TERMINAL
from footnote_testing.eventually import eventually
from footnote_testing.planners import PlannedReply, Planner, call, results_in, search_for
from footnote_testing.scripted_model import Script, ScriptedModel
from footnote_testing.served_app import ServedApp

pytestmark = pytest.mark.system

QUESTION = "When is the launch, and what of refunds?"
ANSWER = "It was moved to March 10 [1], and refunds are paid within fourteen days [2]. That is all there is."


def two_searches(request: Mapping[str, Any]) -> PlannedReply:
    """Searches twice, one after the other, then answers; goes on where its answer broke off."""
    messages = request["messages"]
    if "interrupted" in str(messages[-1]["content"]):
        # A slow machine may have broken it off more than once.
        begun = [
            one["content"] for one in messages if one["role"] == "assistant" and not one.get("tool_calls")
        ]
        return PlannedReply(ANSWER.removeprefix("".join(begun)))
    queries = ("launch", "refunds")
    done = len(results_in(request))
    return search_for(queries[done]) if done < len(queries) else PlannedReply(ANSWER)


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    running = ScriptedModel().start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def shared_stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with built_stage(tmp_path_factory.mktemp("takeover")) as built:
        yield built


@pytest.fixture(scope="module")
def successor(shared_stage: Stage, model: ScriptedModel) -> Iterator[AgentClient]:
    """The replica that goes on. It looks for turns that nobody works on every second."""
    with shared_stage.agent(
        chat_base_url=model.url, chat_model="scripted", chat_tools=True, turn_lease_s=3
    ) as agent:
        yield agent


@pytest.fixture
def stage(shared_stage: Stage, model: ScriptedModel) -> Iterator[Stage]:
    shared_stage.neighbours.searches.clear()
    yield shared_stage
    model.latch.open()
    shared_stage.neighbours.relay_latch.open()


def killed(stage: Stage, model: ScriptedModel, hold_reply: int | None, sign: str, times: int) -> str:
    """Start a turn in a process and kill it when its raw stream shows a sign so often. The turn's id."""
    if hold_reply is not None:
        model.latch.shut()
    model.script = Script(planner=two_searches, hold_reply=hold_reply, cut_seed=3)
    more = {"FOOTNOTE_CHAT_TOOLS": "true", "FOOTNOTE_INGEST_URL": stage.neighbours.url}
    with agent_process(stage, model=model, **more) as (first, process):
        turn_id = first.start_turn(first.thread(), QUESTION)
        eventually(
            lambda: raw_types(stage, turn_id).count(sign), f"{times} {sign}", until=lambda n: n >= times
        )
        held = 0 if hold_reply is None else hold_reply + 1
        eventually(lambda: model.script.planned, "the model is asked", until=lambda n: n >= held)
        process.kill()
    stall(stage.database, turn_id)
    model.latch.open()
    return turn_id


def text_of(stage: Stage, turn_id: str) -> str:
    return "".join(
        event["data"]["text"] for event in raw_events(stage, turn_id) if event["type"] == "text.delta"
    )


def assert_told_whole(record: Mapping[str, Any]) -> None:
    """The record tells of both runs: two searches, three calls of the model."""
    assert [tool["tool"] for tool in record["tools"]] == ["search_knowledge_base"] * 2
    assert all(tool["ms"] > 0 for tool in record["tools"])
    assert record["retrieval_attempted"]
    assert record["retrieval_used"]
    assert len(record["retrieval_ids"]) == 2
    assert record["passages"] == 2
    assert record["usage"]["output_tokens"] > 0


class TestAnAgentThatIsKilled:
    @pytest.mark.parametrize(
        ("hold_reply", "sign", "times"),
        [
            pytest.param(0, "progress", 1, id="before the model has said anything"),
            pytest.param(1, "tool.finished", 1, id="between two calls of tools"),
            pytest.param(2, "text.delta", 1, id="in the middle of its answer"),
        ],
    )
    def test_leaves_a_turn_that_another_ends_without_gap_or_repetition(
        self,
        stage: Stage,
        model: ScriptedModel,
        successor: AgentClient,
        hold_reply: int,
        sign: str,
        times: int,
    ) -> None:
        turn_id = killed(stage, model, hold_reply, sign, times)
        ended = successor.wait_for_end(turn_id)
        assert ended["status"] == "completed", ended
        assert text_of(stage, turn_id) == ANSWER
        assert [entry["n"] for entry in ended["message"]["citations"]] == [1, 2]
        assert [search.query for search in stage.neighbours.searches] == ["launch", "refunds"]
        assert_told_whole(ended["record"])
        assert ended["record"]["usage"]["partial"], "nobody knows what the reply took that was cut off"
        assert sum(kind in TERMINAL for kind in raw_types(stage, turn_id)) == 1

    def test_after_its_answer_leaves_one_that_another_stores(
        self, stage: Stage, model: ScriptedModel, successor: AgentClient
    ) -> None:
        stage.neighbours.relay_latch.shut()
        turn_id = killed(stage, model, None, "message.completed", 1)
        assert completed(raw_types(stage, turn_id))
        stage.neighbours.relay_latch.open()
        ended = successor.wait_for_end(turn_id)
        assert ended["status"] == "completed"
        assert text_of(stage, turn_id) == ANSWER
        assert_told_whole(ended["record"])
        assert ended["message"]["retrieval_used"]


def one_note(request: Mapping[str, Any]) -> PlannedReply:
    """Writes a document, then says what came of it."""
    results = results_in(request)
    note = {"title": "Gull notes", "markdown": "Gulls steal bread.", "folder": "/notes"}
    return PlannedReply(f"Noted. {results[0]}") if results else call("create_document", **note)


def one_note_of_a_subagent(request: Mapping[str, Any]) -> PlannedReply:
    """Has a subagent write a file, which then says what came of it."""
    results = results_in(request)
    if "one part of somebody else's work" not in str(request["messages"][0]["content"]):
        wish = {"subagent": "knowledge_base", "prompt": "Note what gulls do."}
        return PlannedReply(results[0]) if results else call("task", **wish)
    note = {"path": "/notes/gulls.md", "text": "Gulls steal bread."}
    return PlannedReply(f"Noted. {results[0]}") if results else call("write_file", **note)


class TestAToolThatChangesSomething:
    """Ingest is the real one; nothing works on its documents, so the tool waits until it is killed."""

    def documents(self, stage: Stage) -> list[str]:
        with stage.database.read() as session:
            rows = session.exec(select(DocumentRow).where(col(DocumentRow.source_type) == "generated"))
            return [row.id for row in rows.all()]

    @pytest.mark.parametrize("asks", [False, True])
    @pytest.mark.parametrize(
        ("planner", "tool", "call_id", "said"),
        [
            pytest.param(one_note, "create_document", "s0c0", "Noted. D1: Gull notes (in /notes)", id="own"),
            pytest.param(
                one_note_of_a_subagent,
                "write_file",
                "s0c0-s0c0",
                "Noted. Written: D1: /notes/gulls.md",
                id="of a subagent",
            ),
        ],
    )
    def test_is_done_once_though_its_agent_is_killed_within_it(
        self,
        planner: Planner,
        tool: str,
        call_id: str,
        said: str,
        asks: bool,
        tmp_path: Path,
        model: ScriptedModel,
    ) -> None:
        """With `asks` the first agent is killed while a person is asked, and the second gets the answer."""
        model.script = Script(planner=planner, cut_seed=3)
        body = {"settings": {"approval": [tool]}} if asks else {}
        with built_stage(tmp_path) as stage:
            ingest = ServedApp(create_ingest(stage.settings())).start()
            more = {"FOOTNOTE_CHAT_TOOLS": "true", "FOOTNOTE_INGEST_URL": ingest.url}
            with agent_process(stage, model=model, **more) as (first, process):
                turn_id = first.start_turn(first.thread(), QUESTION, **body)
                if asks:
                    eventually(lambda: first.turn(turn_id).get("approvals"), "somebody is asked")
                else:
                    eventually(lambda: self.documents(stage), "the document is handed in")
                process.kill()
            before = raw_types(stage, turn_id)
            assert "tool.finished" not in before
            with stage.database.write() as session:
                session.exec(update(DocumentRow).values(status="indexed"))
            stall(stage.database, turn_id)
            settings: dict[str, Any] = {
                "chat_base_url": model.url,
                "chat_model": "scripted",
                "chat_tools": True,
                "turn_lease_s": 3,
                "ingest_url": ingest.url,
            }
            with stage.agent(**settings) as second:
                if asks:
                    approve = {"call_id": call_id, "approve": True}
                    assert second.post(f"/v1/turns/{turn_id}:approve", json=approve).status_code == 200
                    eventually(lambda: self.documents(stage), "the document is handed in")
                    with stage.database.write() as session:
                        session.exec(update(DocumentRow).values(status="indexed"))
                ended = second.wait_for_end(turn_id)
            ingest.stop()
            assert ended["status"] == "completed", ended
            assert ended["message"]["text"].startswith(said)
            assert text_of(stage, turn_id) == ended["message"]["text"]
            assert len(self.documents(stage)) == 1
            after = raw_types(stage, turn_id)
            assert after[: len(before)] == before
            assert sum(kind in TERMINAL for kind in after) == 1
            assert after.count("tool.finished") == call_id.count("s")


class TestAModelThatBreaksOff:
    def test_goes_on_where_it_stopped(
        self, stage: Stage, model: ScriptedModel, successor: AgentClient
    ) -> None:
        # Long enough for both searches; the answer breaks off.
        model.script = Script(planner=two_searches, dies_at_byte=2000, cut_seed=3)
        result = successor.ask(successor.thread(), QUESTION).json()
        assert result["status"] == "completed"
        assert text_of(stage, result["turn_id"]) == ANSWER


class TestAWishToStop:
    def test_ends_the_call_of_the_model(
        self, stage: Stage, model: ScriptedModel, successor: AgentClient
    ) -> None:
        model.latch.shut()
        model.script = script = Script(planner=two_searches, hold_reply=2, cut_seed=3)
        turn_id = successor.start_turn(successor.thread(), QUESTION)
        begun = "It was moved"
        eventually(lambda: text_of(stage, turn_id), "text", until=lambda text: text.startswith(begun))
        successor.post(f"/v1/turns/{turn_id}:cancel")
        ended = successor.wait_for_end(turn_id)
        assert ended["status"] == "cancelled"
        assert ended["message"]["text"].startswith(begun)
        eventually(lambda: script.left, "the provider's call ends", until=lambda n: n == script.planned)
