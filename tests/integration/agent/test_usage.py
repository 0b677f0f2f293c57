"""Turns and tokens by day and by avatar: counted once when a turn ends, told to administrators alone."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from tests.integration.agent.client import AgentClient, Heard
from tests.integration.agent.conftest import Stage, built_stage

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_shared.settings.models import TokenPrices
from footnote_testing.eventually import eventually
from footnote_testing.fake_neighbours import make_passage
from footnote_testing.planners import obedient
from footnote_testing.scripted_model import Script, ScriptedModel
from footnote_testing.workspace import make_caller

QUESTION = "What is the code word?"


@pytest.fixture(scope="module")
def shared_stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with built_stage(tmp_path_factory.mktemp("usage")) as stage:
        stage.neighbours.passages = [make_passage("The code word is amberfinch.", "Code words")]
        yield stage


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    running = ScriptedModel(Script(planner=obedient)).start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def agent(shared_stage: Stage, model: ScriptedModel) -> AgentClient:
    prices = TokenPrices(input=2, output=10)
    return shared_stage.agent(
        chat_base_url=model.url, chat_model="scripted", chat_tools=True, chat_prices=prices
    )


def usage(agent: AgentClient, **query: Any) -> dict[str, Any]:
    answer = agent.get("/v1/turns:usage", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def ask(agent: AgentClient, thread_id: str, engine: str) -> dict[str, Any]:
    result: dict[str, Any] = agent.ask(thread_id, QUESTION, settings={"engine": engine}).json()
    record: dict[str, Any] = agent.get(f"/v1/turns/{result['turn_id']}/record").json()
    return record


def test_each_turn_is_counted_once_with_its_tokens(shared_stage: Stage, agent: AgentClient) -> None:
    assert usage(agent)["total"]["turns"] == 0
    thread_id = agent.thread()
    ask(agent, thread_id, "extractive")
    record = ask(agent, thread_id, "agentic")
    shared_stage.neighbours.refuse_searches = True
    assert ask(agent, thread_id, "extractive")["status"] == "failed"
    shared_stage.neighbours.refuse_searches = False
    found = usage(agent, days=1)
    spent = {
        "turns": 3,
        "failed": 1,
        "input_tokens": record["usage"]["input_tokens"],
        "output_tokens": record["usage"]["output_tokens"],
        "cost": record["usage"]["cost"],
        "cost_unknown": 0,
        "partial": 0,
    }
    assert spent["input_tokens"] > 0
    cost = (2 * spent["input_tokens"] + 10 * spent["output_tokens"]) / 1_000_000
    assert spent["cost"] == pytest.approx(cost)
    assert found["total"] == spent
    (day,) = found["days"]
    assert {**day, "day": ""} == {**spent, "day": ""}
    (avatar,) = found["avatars"]
    assert avatar["avatar_id"] == shared_stage.caller.avatar_id
    assert agent.delete(f"/v1/threads/{thread_id}").status_code == 204
    assert usage(agent)["total"] == spent, "a deleted conversation was asked all the same"


class TestATurnThatIsStopped:
    """Its model was paid: what is known of that is told, in the stream, the record and the sums."""

    def stopped(self, agent: AgentClient, begun: Callable[[], object]) -> tuple[list[str], dict[str, Any]]:
        stream = agent.stream_turn(agent.thread(), QUESTION, settings={"engine": "agentic"})
        turn_id = next(stream)
        eventually(begun, "the turn is so far")
        assert agent.post(f"/v1/turns/{turn_id}:cancel").is_success
        events = [event for event in stream if isinstance(event, Heard)]
        record = agent.wait_for_end(str(turn_id))["record"]
        assert record["status"] == "cancelled"
        assert [event.data for event in events if event.type == "usage"] == [record["usage"]]
        return [event.type for event in events[-2:]], record["usage"]

    def test_within_a_tool_tells_all(
        self, shared_stage: Stage, agent: AgentClient, model: ScriptedModel
    ) -> None:
        before = usage(agent)["total"]
        shared_stage.neighbours.search_latch.shut()
        searches = len(shared_stage.neighbours.searches)
        last, used = self.stopped(agent, lambda: len(shared_stage.neighbours.searches) > searches)
        shared_stage.neighbours.search_latch.open()
        assert last == ["usage", "turn.cancelled"]
        assert used["input_tokens"] > 0
        assert used["cost"] == pytest.approx(
            (2 * used["input_tokens"] + 10 * used["output_tokens"]) / 1_000_000
        )
        after = usage(agent)["total"]
        assert after["cost"] == pytest.approx(before["cost"] + used["cost"])
        assert after["cost_unknown"] == before["cost_unknown"]

    def test_within_a_reply_tells_the_others_and_no_cost(
        self, shared_stage: Stage, agent: AgentClient, model: ScriptedModel
    ) -> None:
        before = usage(agent)["total"]
        model.latch.shut()
        model.script = script = Script(planner=obedient, hold_reply=1)
        last, used = self.stopped(agent, lambda: script.planned == 2)
        model.latch.open()
        assert last == ["usage", "turn.cancelled"]
        assert used["input_tokens"] > 0
        assert used["partial"]
        assert "cost" not in used
        after = usage(agent)["total"]
        assert after["input_tokens"] == before["input_tokens"] + used["input_tokens"]
        assert after["cost"] == before["cost"]
        assert after["cost_unknown"] == before["cost_unknown"] + 1, "the sum is known to be too low"
        assert after["partial"] == before["partial"] + 1

    def test_without_prices_is_of_unknown_cost_and_all_its_tokens_are_told(
        self, shared_stage: Stage, agent: AgentClient, model: ScriptedModel
    ) -> None:
        before = usage(agent)["total"]
        model.script = Script(planner=obedient)
        free = shared_stage.agent(chat_base_url=model.url, chat_model="scripted", chat_tools=True)
        assert "cost" not in ask(free, free.thread(), "agentic")["usage"]
        after = usage(free)["total"]
        assert after["cost_unknown"] == before["cost_unknown"] + 1
        assert after["partial"] == before["partial"]


@pytest.mark.parametrize("claimed", [10**400, 10**30, -5])
def test_a_turn_ends_whatever_count_of_tokens_its_model_claims(shared_stage: Stage, claimed: int) -> None:
    model = ScriptedModel(Script(planner=obedient, claims_tokens=claimed)).start()
    dear = TokenPrices(input=1e9, output=1e9)
    agent = shared_stage.agent(
        chat_base_url=model.url, chat_model="scripted", chat_tools=True, chat_prices=dear
    )
    record = ask(agent, agent.thread(), "agentic")
    assert record["status"] == "completed"
    assert 0 <= record["usage"]["output_tokens"] < 10**12
    assert usage(agent)["total"]["turns"] > 0
    model.stop()


def test_other_workspaces_and_keys_without_the_right_learn_nothing(
    shared_stage: Stage, agent: AgentClient
) -> None:
    ask(agent, agent.thread(), "extractive")
    _, other = make_caller(shared_stage.database)
    with AgentClient(str(agent.base_url), other) as stranger:
        assert usage(stranger)["total"]["turns"] == 0
        assert usage(stranger)["avatars"] == []
    made = agent.post("/v1/keys", json={"name": "reader", "scopes": ["read"]}).json()
    headers = {"Authorization": f"Bearer {made['key']}"}
    refused = httpx.get(
        f"{agent.base_url}/v1/turns:usage", headers=headers, trust_env=False, verify=NO_CERTIFICATES
    )
    assert refused.status_code == 403


@pytest.mark.parametrize("days", ["0", "91", "x"])
def test_only_so_many_days_are_told(agent: AgentClient, days: str) -> None:
    assert agent.get("/v1/turns:usage", params={"days": days}).status_code == 422
