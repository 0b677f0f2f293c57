"""The answer record (spec 5.9): one for each answer, its owner's alone, and without a word of its texts."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.integration.agent.client import AgentClient
from tests.integration.agent.conftest import Stage, built_stage

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_testing.fake_neighbours import make_passage
from footnote_testing.planners import obedient
from footnote_testing.scripted_model import Script, ScriptedModel
from footnote_testing.workspace import make_caller

ASKED, WRITTEN = "quartzlily", "amberfinch"
QUESTION = f"What is the code word of {ASKED}?"
PASSAGE = f"The code word of the {ASKED} project is {WRITTEN}."


@pytest.fixture(scope="module")
def shared_stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with built_stage(tmp_path_factory.mktemp("records")) as stage:
        stage.neighbours.passages = [make_passage(PASSAGE, "Code words")]
        yield stage


@pytest.fixture(scope="module")
def agent(shared_stage: Stage) -> Iterator[AgentClient]:
    """Its model searches and cites. A turn may do without it."""
    model = ScriptedModel(Script(planner=obedient)).start()
    yield shared_stage.agent(chat_base_url=model.url, chat_model="scripted", chat_tools=True)
    model.stop()


def asked(
    agent: AgentClient, engine: str = "extractive", **settings: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """A turn that has ended, and its record."""
    result: dict[str, Any] = agent.ask(
        agent.thread(), QUESTION, settings={"engine": engine, **settings}
    ).json()
    answer = agent.get(f"/v1/turns/{result['turn_id']}/record")
    assert answer.status_code == 200, answer.text
    return result, answer.json()


class TestTheRecord:
    def test_says_why_an_extractive_answer_is_what_it_is(self, agent: AgentClient) -> None:
        result, record = asked(agent)
        assert (record["engine"], record["intent"], record["status"]) == (
            "extractive",
            "knowledge",
            "completed",
        )
        assert record["retrieval_attempted"]
        assert record["retrieval_used"]
        assert len(record["retrieval_ids"]) == 1
        assert record["citations"]["given"] == [1]
        assert [tool["tool"] for tool in record["tools"]] == ["search_knowledge_base"]
        assert record["message_id"] == result["message"]["id"]
        assert len(record["trace_id"]) == 32
        assert record["runs"] == 1

    def test_counts_tools_and_tokens_of_an_agentic_answer(self, agent: AgentClient) -> None:
        _, record = asked(agent, "agentic")
        assert (record["engine"], record["model"], record["steps"]) == ("agentic", "scripted", 2)
        assert [(tool["tool"], tool["failed"]) for tool in record["tools"]] == [
            ("search_knowledge_base", False)
        ]
        assert record["usage"]["input_tokens"] > 0

    def test_names_what_the_turn_was_set_to(self, agent: AgentClient) -> None:
        settings = asked(agent, answer_sentences=2, top_k=3)[1]["settings"]
        assert (settings["answer_sentences"], settings["top_k"]) == (2, 3)

    def test_is_there_for_a_turn_that_failed(self, shared_stage: Stage, agent: AgentClient) -> None:
        shared_stage.neighbours.refuse_searches = True
        result, record = asked(agent)
        shared_stage.neighbours.refuse_searches = False
        assert (result["status"], record["status"]) == ("failed", "failed")
        assert record["error"] == result["error"]["code"]

    def test_stands_beside_a_message_that_says_whether_it_rests_on_passages(self, agent: AgentClient) -> None:
        assert asked(agent)[0]["message"]["retrieval_used"] is True
        settings = {"engine": "extractive"}
        greeted = agent.ask(agent.thread(), "Hello!", settings=settings).json()
        assert greeted["message"]["retrieval_used"] is False

    def test_is_nobody_elses(self, shared_stage: Stage, agent: AgentClient) -> None:
        turn_id = asked(agent)[0]["turn_id"]
        _, other = make_caller(shared_stage.database)
        path = f"/v1/turns/{turn_id}/record"
        headers = {"Authorization": f"Bearer {other}"}
        foreign = httpx.get(
            f"{agent.base_url}{path}", headers=headers, trust_env=False, verify=NO_CERTIFICATES
        )
        absent = agent.get(f"/v1/turns/{shared_stage.caller.avatar_id}/record")
        assert foreign.status_code == absent.status_code == 404
        assert foreign.json() | {"instance": ""} == absent.json() | {"instance": ""}

    def test_is_not_there_before_the_end(self, shared_stage: Stage, agent: AgentClient) -> None:
        shared_stage.neighbours.search_latch.shut()
        turn_id = agent.start_turn(agent.thread(), QUESTION, settings={"engine": "extractive"})
        assert agent.get(f"/v1/turns/{turn_id}/record").status_code == 404
        shared_stage.neighbours.search_latch.open()
        agent.wait_for_end(turn_id)


class TestTheTexts:
    @pytest.mark.parametrize("engine", ["extractive", "agentic"])
    def test_are_in_no_record_log_or_metric(
        self, engine: str, agent: AgentClient, capfd: pytest.CaptureFixture[str]
    ) -> None:
        result, record = asked(agent, engine)
        assert WRITTEN in result["message"]["text"]
        logged = capfd.readouterr()
        seen = [json.dumps(record), agent.get("/metrics").text, logged.out, logged.err]
        assert [place for place in seen if ASKED in place.lower() or WRITTEN in place.lower()] == []

    def test_are_kept_where_the_operator_wants_them(self, stage: Stage) -> None:
        stage.neighbours.passages = [make_passage(PASSAGE, "Code words")]
        agent = stage.agent(record_content=True)
        result, record = asked(agent)
        assert record["content"]["question"] == QUESTION
        assert WRITTEN in record["content"]["answer"]
        assert record["content"]["quotes"]["1"] == PASSAGE
        stage.neighbours.forbidden.add(1)
        path = f"/v1/turns/{result['turn_id']}"
        for shown in (agent.get(f"{path}/record").json(), agent.get(path).json()["record"]):
            assert shown["content"] == {**record["content"], "quotes": {}}, "its source was withdrawn"
