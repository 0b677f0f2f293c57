"""The agentic engine with models of every temper: what a user gets, whatever the model does."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from prometheus_client import REGISTRY
from tests.integration.agent.client import AgentClient
from tests.integration.agent.conftest import Stage, built_stage, raw_events

from footnote_agent.engines.asking_first import NOBODY, REFUSED
from footnote_shared.settings.telemetry import TelemetrySettings
from footnote_shared.telemetry import tracing
from footnote_testing.eventually import eventually
from footnote_testing.planners import (
    SPAM,
    PlannedReply,
    Planner,
    call,
    handles_in,
    inventing,
    lazy,
    linking,
    malformed,
    mistaken,
    obedient,
    passages_in,
    ranging,
    restless,
    results_in,
    search_for,
    spamming,
    text_shaped,
)
from footnote_testing.scripted_model import Script, ScriptedModel
from footnote_testing.trace_collector import TraceCollector
from footnote_testing.workspace import make_caller

QUESTION = "When is the launch?"
ANSWER = "The launch was moved to March 10 after the vendor slipped"


@dataclass
class Desk:
    stage: Stage
    agent: AgentClient
    model: ScriptedModel

    def ask(
        self, planner: Planner, text: str = QUESTION, thread: str | None = None, **script: Any
    ) -> dict[str, Any]:
        self.model.script = Script(planner=planner, **script)
        answer = self.agent.ask(thread or self.agent.thread(), text)
        assert answer.status_code == 200, answer.text
        result: dict[str, Any] = answer.json()
        return result

    def events(self, result: dict[str, Any], kind: str) -> list[dict[str, Any]]:
        return [e["data"] for e in raw_events(self.stage, result["turn_id"]) if e["type"] == kind]

    def record(self, result: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = self.agent.get(f"/v1/turns/{result['turn_id']}").json()["record"]
        return found

    def shown(self, reply: int) -> list[dict[str, Any]]:
        """The messages before which the model wrote that reply of its turn."""
        messages: list[dict[str, Any]] = self.model.script.requests[reply]["messages"]
        return messages


@pytest.fixture(scope="module")
def shared_desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    model = ScriptedModel().start()
    settings: dict[str, Any] = {"chat_base_url": model.url, "chat_model": "scripted", "chat_tools": True}
    with (
        built_stage(tmp_path_factory.mktemp("agentic")) as stage,
        stage.agent(**settings, agent_steps=6) as agent,
    ):
        yield Desk(stage, agent, model)
    model.stop()


@pytest.fixture
def desk(shared_desk: Desk) -> Desk:
    """The desk as a test expects it: neighbours that do well, and that have been asked for nothing."""
    neighbours = shared_desk.stage.neighbours
    neighbours.refuse_searches = False
    neighbours.forbidden.clear()
    neighbours.searches.clear()
    return shared_desk


class TestAModelThatCallsTools:
    def test_answers_by_default_from_what_it_searched_for(self, desk: Desk) -> None:
        result = desk.ask(obedient)
        assert result["message"]["text"] == f"{ANSWER} [citation:1]."
        assert [e.get("summary") for e in desk.events(result, "tool.finished")] == [
            "2 passages from 2 documents"
        ]
        assert desk.events(result, "turn.started")[0]["engine"] == "agentic"
        assert desk.record(result)["steps"] == 2

    def test_is_counted_by_its_tools(self, desk: Desk) -> None:
        def counted(tool: str, outcome: str) -> float:
            labels = {"tool": tool, "outcome": outcome}
            return REGISTRY.get_sample_value("footnote_tool_calls_total", labels) or 0

        asked = ("search_knowledge_base", "ok"), ("unknown", "refused")
        before = [counted(*one) for one in asked]
        desk.ask(obedient)
        desk.ask(mistaken)
        assert [counted(*one) > count for one, count in zip(asked, before, strict=True)] == [True, True]

    def test_stands_in_one_trace_with_its_tools_and_every_call_of_the_model(self, desk: Desk) -> None:
        traces = TraceCollector().start()
        tracing.set_up_traces(TelemetrySettings(otlp_endpoint=traces.url), "agent")
        try:
            record = desk.record(desk.ask(obedient))
            eventually(
                lambda: "invoke_agent agentic" in traces.of(record["trace_id"]), "the turn's span has arrived"
            )
        finally:
            tracing.use_tracer(None)
            traces.stop()
        spans = [span for span in traces.spans if span.trace == record["trace_id"]]
        turn = next(span for span in spans if span.name == "invoke_agent agentic")
        calls = [span for span in spans if span.name == "chat scripted"]
        tool = next(span for span in spans if span.name == "execute_tool search_knowledge_base")
        search = next(span for span in spans if span.name == "POST retriever")
        assert [span.parent for span in (*calls, tool)] == [turn.id] * 3
        assert search.parent == tool.id
        assert all(int(span.attributes["gen_ai.usage.output_tokens"]) > 0 for span in calls)
        assert b"vendor slipped" not in b"".join(traces.bodies)

    def test_is_shown_nothing_before_it_asks(self, desk: Desk) -> None:
        desk.ask(obedient)
        assert "vendor slipped" not in str(desk.shown(0))
        assert "[1] The launch was moved" in str(desk.shown(1))

    def test_is_not_told_again_what_was_withdrawn_since(self, desk: Desk) -> None:
        thread = desk.agent.thread()
        desk.ask(obedient, thread=thread)
        desk.stage.neighbours.forbidden.add(1)
        desk.ask(lambda request: PlannedReply("I cannot say."), "Say it again.", thread=thread)
        (result,) = (message["content"] for message in desk.shown(0) if message["role"] == "tool")
        assert "vendor" not in result
        assert "Q3 Launch Notes" not in result
        assert "Refund Policy: [2]" in result

    def test_is_shown_handles_and_no_ids(self, desk: Desk) -> None:
        desk.ask(obedient)
        assert "Handles: D1 = Q3 Launch Notes; D2 = Refund Policy" in str(desk.shown(1)[-1])
        assert "'d1'" not in str(desk.shown(1)[-1])

    def test_searches_within_a_handle_it_was_given_and_the_next_time_everywhere(self, desk: Desk) -> None:
        def planner(request: Any) -> PlannedReply:
            results = results_in(request)
            if len(results) == 1:
                return search_for("refunds", scope=[handles_in(results)[1]])
            return search_for("launch") if len(results) < 3 else PlannedReply("Done.")

        desk.ask(planner)
        scopes = [search.scope for search in desk.stage.neighbours.searches]
        assert [scope.document_ids if scope else None for scope in scopes] == [None, ["d2"], None]

    def test_lists_documents_and_keeps_their_handles(self, desk: Desk) -> None:
        def planner(request: Any) -> PlannedReply:
            return PlannedReply("Two.") if results_in(request) else call("list_documents")

        thread = desk.agent.thread()
        desk.ask(planner, thread=thread)
        desk.ask(planner, thread=thread)
        listed = desk.shown(1)[-1]["content"]
        assert listed.startswith("D1: Q3 Launch Notes (text/plain")
        assert "D2: Refund Policy" in listed

    def test_reads_an_earlier_chat_of_its_user_by_a_mention(self, desk: Desk) -> None:
        earlier = desk.agent.thread()
        desk.ask(obedient, thread=earlier)

        def planner(request: Any) -> PlannedReply:
            results = results_in(request)
            return (
                PlannedReply(f"You asked about it [{passages_in(results)[0][0]}].")
                if results
                else call("read_chat", chat="T1")
            )

        desk.model.script = Script(planner=planner)
        answer = desk.agent.post(
            f"/v1/threads/{desk.agent.thread()}/turns",
            json={"text": "And?", "stream": False, "mentions": [{"type": "chat", "id": earlier}]},
        ).json()
        assert "T1: the chat" in desk.shown(0)[0]["content"]
        assert answer["message"]["citations"][0]["source_type"] == "chat_turn"
        assert answer["message"]["citations"][0]["quote"] == QUESTION

    def test_sees_what_it_did_before_with_the_same_numbers(self, desk: Desk) -> None:
        thread = desk.agent.thread()
        desk.ask(obedient, thread=thread)
        desk.ask(lambda _: PlannedReply("As I said [1]."), "Why?", thread)
        roles = [message["role"] for message in desk.shown(0)]
        assert roles == ["system", "user", "assistant", "tool", "assistant", "user"]
        assert desk.shown(0)[4]["content"] == f"{ANSWER} [1]."

    def test_is_told_of_no_tool_that_its_workspace_has_switched_off(self, desk: Desk) -> None:
        def told() -> set[str]:
            desk.ask(lambda _: PlannedReply("Well."))
            return {one["function"]["name"] for one in desk.model.script.requests[0]["tools"]}

        assert "create_document" in told()
        assert desk.agent.put("/v1/tools/create_document", json={"allowed": False}).status_code == 200
        assert "create_document" not in told()
        listed = {one["name"]: one["allowed"] for one in desk.agent.get("/v1/tools").json()["items"]}
        assert listed["create_document"] is False
        assert listed["recall"] is True
        assert "web_search" not in listed, "the operator has not opened the web"
        desk.agent.put("/v1/tools/create_document", json={"allowed": True})
        assert "create_document" in told()
        assert desk.agent.put("/v1/tools/launch_rockets", json={"allowed": True}).status_code == 404

    def test_streams_the_plan_it_makes(self, desk: Desk) -> None:
        def planner(request: Any) -> PlannedReply:
            items = [{"text": "Find the date", "done": True}, {"text": "Say it"}]
            return PlannedReply("Well.") if results_in(request) else call("write_todos", items=items)

        result = desk.ask(planner)
        assert desk.events(result, "tool.finished")[0]["summary"] == "1 of 2 done; next: Say it"
        assert "(open) Say it" in desk.shown(1)[0]["content"]
        assert "(open) Say it" not in str(desk.shown(1)[1:])


def planning(request: Any) -> PlannedReply:
    """Writes a plan, and says what came of it."""
    results = results_in(request)
    return PlannedReply(f"So: {results[0]}") if results else call("write_todos", items=[{"text": "Find it"}])


ASKING = {"settings": {"approval": ["write_todos"]}}


class TestAToolThatAsksFirst:
    def asked(self, desk: Desk, **body: Any) -> tuple[str, dict[str, Any]]:
        """A turn that waits, and what it waits for."""
        desk.model.script = Script(planner=planning)
        turn_id = desk.agent.start_turn(desk.agent.thread(), QUESTION, **body)
        waiting = eventually(
            lambda: desk.agent.turn(turn_id), "somebody is asked", until=lambda turn: turn.get("approvals")
        )
        (approval,) = waiting["approvals"]
        return turn_id, approval

    def answer(self, desk: Desk, turn_id: str, approval: dict[str, Any], *, approve: bool) -> Any:
        body = {"call_id": approval["call_id"], "approve": approve}
        return desk.agent.post(f"/v1/turns/{turn_id}:approve", json=body)

    @pytest.mark.parametrize(
        ("approve", "said"),
        [(True, "So: The plan is noted."), (False, f"So: {REFUSED}")],
    )
    def test_does_what_it_was_allowed_and_tells_the_model_of_a_refusal(
        self, desk: Desk, approve: bool, said: str
    ) -> None:
        turn_id, approval = self.asked(desk, **ASKING)
        assert (approval["tool"], "Find it" in approval["arguments"]["items"]) == ("write_todos", True)
        (needed,) = eventually(lambda: desk.events({"turn_id": turn_id}, "approval.needed"), "it is told")
        assert (needed["call_id"], needed["label"]) == (approval["call_id"], "Planning the next steps")
        assert desk.events({"turn_id": turn_id}, "tool.started") == []
        answered = self.answer(desk, turn_id, approval, approve=approve)
        assert (answered.status_code, answered.json().get("approvals")) == (200, [])
        assert self.answer(desk, turn_id, approval, approve=approve).status_code == 200
        ended = desk.agent.wait_for_end(turn_id)
        assert ended["message"]["text"] == said
        assert self.answer(desk, turn_id, approval, approve=not approve).status_code == 409

    def test_is_answered_by_nobody_else_and_only_for_what_it_asked(self, desk: Desk) -> None:
        turn_id, approval = self.asked(desk, **ASKING)
        _, strangers_key = make_caller(desk.stage.database, "stranger")
        with AgentClient(str(desk.agent.base_url), strangers_key) as stranger:
            body = {"call_id": approval["call_id"], "approve": True}
            assert stranger.post(f"/v1/turns/{turn_id}:approve", json=body).status_code == 404
        assert self.answer(desk, turn_id, {"call_id": "s9c9"}, approve=True).status_code == 404
        assert desk.agent.post(f"/v1/turns/{turn_id}:cancel").status_code == 200
        assert desk.agent.wait_for_end(turn_id)["status"] == "cancelled"
        assert self.answer(desk, turn_id, approval, approve=True).status_code == 409

    def test_asks_where_the_workspace_says_so_and_not_for_a_call_that_is_wrong(self, desk: Desk) -> None:
        switch = desk.agent.put("/v1/tools/write_todos", json={"allowed": True, "ask_first": True})
        assert switch.json()["ask_first"] is True
        try:
            turn_id, approval = self.asked(desk)
            self.answer(desk, turn_id, approval, approve=True)
            assert desk.agent.wait_for_end(turn_id)["status"] == "completed"
            wrong = desk.ask(
                lambda request: PlannedReply("No.") if results_in(request) else call("write_todos", wrong=1)
            )
            assert "Arguments of `write_todos` are wrong" in str(desk.events(wrong, "tool.finished"))
            assert desk.events(wrong, "approval.needed") == []
        finally:
            desk.agent.put("/v1/tools/write_todos", json={"allowed": True, "ask_first": False})
        assert desk.ask(planning)["message"]["text"] == "So: The plan is noted."

    def test_is_refused_at_once_where_nobody_can_be_asked(self, desk: Desk) -> None:
        desk.model.script = Script(planner=planning)
        body = {
            "model": "footnote",
            "messages": [{"role": "user", "content": QUESTION}],
            "footnote": ASKING,
        }
        answer = desk.agent.post("/v1/chat/completions", json=body).json()
        assert answer["choices"][0]["message"]["content"] == f"So: {NOBODY}"


def scheduling(request: Any) -> PlannedReply:
    """Has a question asked every morning, and says what came of it."""
    results = results_in(request)
    wanted = {"schedule": "0 9 * * *", "prompt": "What is new?", "time_zone": "Europe/Berlin"}
    return PlannedReply(f"So: {results[0]}") if results else call("create_automation", **wanted)


class TestAScheduledQuestion:
    def test_is_made_when_its_user_says_so_and_runs_in_their_name(self, desk: Desk) -> None:
        desk.model.script = Script(planner=scheduling)
        turn_id = desk.agent.start_turn(desk.agent.thread(), "Tell me every morning.")
        waiting = eventually(
            lambda: desk.agent.turn(turn_id), "somebody is asked", until=lambda turn: turn.get("approvals")
        )
        assert desk.agent.get("/v1/automations").json()["items"] == []
        body = {"call_id": waiting["approvals"][0]["call_id"], "approve": True}
        assert desk.agent.post(f"/v1/turns/{turn_id}:approve", json=body).status_code == 200
        assert "So: Scheduled." in desk.agent.wait_for_end(turn_id)["message"]["text"]
        (made,) = desk.agent.get("/v1/automations").json()["items"]
        assert (made["text"], made["time_zone"]) == ("What is new?", "Europe/Berlin")
        assert desk.agent.delete(f"/v1/automations/{made['id']}").status_code == 204


class TestAModelOfBadTemper:
    def test_lazy_ones_answer_all_the_same(self, desk: Desk) -> None:
        assert desk.ask(lazy)["message"]["text"] == f"{ANSWER}."

    def test_numbers_it_invents_reach_nobody(self, desk: Desk) -> None:
        result = desk.ask(inventing)
        assert [entry["n"] for entry in result["message"]["citations"]] == [1]
        assert "[41]" not in result["message"]["text"]

    @pytest.mark.parametrize("planner", [linking, ranging])
    def test_links_and_ranges_end_well(self, desk: Desk, planner: Planner) -> None:
        assert desk.ask(planner, cut_seed=7)["status"] == "completed"

    def test_a_thousand_calls_in_one_reply_are_a_few(self, desk: Desk) -> None:
        result = desk.ask(spamming)
        assert result["message"]["text"] == f"{ANSWER} [citation:1]."
        assert len(desk.stage.neighbours.searches) <= 16
        # The reply itself is cut at what was asked for, long before the thousandth call.
        assert 100 <= desk.record(result)["calls_left_out"] < SPAM - 16

    def test_calls_that_it_writes_as_text_are_calls_and_reach_no_reader(self, desk: Desk) -> None:
        result = desk.ask(text_shaped, cut_seed=7)
        assert result["message"]["text"] == f"{ANSWER} [citation:1]."
        assert [search.query for search in desk.stage.neighbours.searches] == [QUESTION]

    def test_wrong_arguments_are_told_to_it_and_it_goes_on(self, desk: Desk) -> None:
        result = desk.ask(malformed)
        assert result["message"]["text"] == f"{ANSWER} [citation:1]."
        errors = [e.get("error", "") for e in desk.events(result, "tool.finished")]
        assert errors[2] == ""
        assert "Arguments of `search_knowledge_base` are wrong" in errors[0]
        assert "It takes: query, scope" in errors[1]

    def test_unknown_tools_and_handles_are_answered_with_what_exists(self, desk: Desk) -> None:
        result = desk.ask(mistaken)
        assert result["message"]["text"] == f"{ANSWER} [citation:1]."
        unknown_tool, unknown_handle, _ = [e.get("error", "") for e in desk.events(result, "tool.finished")]
        assert "Tools: search_knowledge_base" in unknown_tool
        assert "There is no such handle" in unknown_handle

    def test_one_that_never_stops_ends_in_an_honest_answer(self, desk: Desk) -> None:
        result = desk.ask(restless)
        assert result["status"] == "completed"
        assert result["message"]["text"].startswith("I have used up all steps")
        assert [entry["n"] for entry in result["message"]["citations"]] == [1, 2]
        assert len(desk.model.script.requests) == 6
        assert desk.model.script.requests[-1]["tool_choice"] == "none"

    def test_a_neighbour_that_is_away_is_a_message_to_the_model(self, desk: Desk) -> None:
        desk.stage.neighbours.refuse_searches = True
        result = desk.ask(
            lambda request: PlannedReply("I could not search.") if results_in(request) else search_for("x")
        )
        assert result["message"]["text"] == "I could not search."
        assert "The vector store does not answer" in desk.events(result, "tool.finished")[0]["error"]

    def test_one_that_fails_before_a_word_leaves_the_documents_to_speak(self, desk: Desk) -> None:
        desk.model.script = Script(status=500)
        result = desk.agent.ask(desk.agent.thread(), QUESTION).json()
        assert "March 10" in result["message"]["text"]
        assert desk.record(result)["degraded"] == ["model:server_error"]
