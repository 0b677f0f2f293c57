"""Automations over HTTP, with turns that are really asked (spec 5.10)."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from tests.integration.agent.client import AgentClient
from tests.integration.agent.conftest import Stage, built_stage

from footnote_agent.store.automation_tables import AutomationRow
from footnote_shared.kernel.clock import now, rfc3339
from footnote_testing.eventually import eventually
from footnote_testing.wrong_clock import outdated_clock

NEWS = {"name": "News", "text": "When is the launch?", "schedule": "0 9 * * mon-fri"}


@pytest.fixture(scope="module")
def shared_stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Stage, AgentClient]]:
    folder = tmp_path_factory.mktemp("automations")
    with built_stage(folder) as stage, stage.agent(automation_look_s=0.1) as agent:
        yield stage, agent


def made(agent: AgentClient, **more: Any) -> dict[str, Any]:
    answer = agent.post("/v1/automations", json={**NEWS, **more})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def ended_run(agent: AgentClient, automation_id: str) -> dict[str, Any]:
    def runs() -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = agent.get(f"/v1/automations/{automation_id}/runs").json()["items"]
        return items

    (run,) = eventually(runs, "the run ends", until=lambda items: items and "ended_at" in items[0])
    return run


def test_a_due_moment_is_answered_in_a_thread_of_its_own(shared_stage: tuple[Stage, AgentClient]) -> None:
    stage, agent = shared_stage
    was_due = (now() - timedelta(minutes=1)).replace(second=0, microsecond=0)
    automation = made(agent, schedule=f"{was_due.minute} {was_due.hour} * * *")
    assert automation["next_due_at"] > automation["created_at"]
    with stage.database.write() as session:
        row = session.get(AutomationRow, automation["id"])
        assert row is not None
        row.next_due_at = was_due
        session.add(row)
    run = ended_run(agent, automation["id"])
    assert (run["status"], run["due_at"]) == ("completed", rfc3339(was_due))
    question, answer = agent.messages(run["thread_id"])[:2]
    assert (question["text"], answer["role"]) == (NEWS["text"], "assistant")
    assert answer["turn_id"] == run["turn_id"]
    assert answer["citations"]


def test_one_is_run_now_in_a_given_thread_and_once_for_one_key(
    shared_stage: tuple[Stage, AgentClient],
) -> None:
    _, agent = shared_stage
    thread = agent.thread()
    automation = made(agent, thread_id=thread, paused=True)
    path, headers = f"/v1/automations/{automation['id']}:run", {"Idempotency-Key": "now"}
    first, second = (agent.post(path, headers=headers) for _ in range(2))
    assert (first.status_code, second.json()) == (202, first.json())
    run = ended_run(agent, automation["id"])
    assert (run["trigger"], run["status"], run["thread_id"]) == ("call", "completed", thread)
    shown = agent.get(f"/v1/automations/{automation['id']}").json()
    assert (shown["last_run"]["id"], shown["paused"]) == (run["id"], True)


def test_moments_are_those_of_the_database(shared_stage: tuple[Stage, AgentClient]) -> None:
    """Also while a process has not noticed yet that its clock is wrong."""
    _, agent = shared_stage
    with outdated_clock(timedelta(days=1)):
        automation = made(agent, schedule="0 * * * *")
        path = f"/v1/automations/{automation['id']}"
        changed = agent.patch(path, json={"schedule": "30 * * * *"}).json()
        asked = agent.post(f"{path}:run").json()
    soon = rfc3339(now() + timedelta(hours=1))
    assert max(automation["next_due_at"], changed["next_due_at"], asked["due_at"]) <= soon
    assert ended_run(agent, automation["id"])["status"] == "completed"


def test_one_is_changed_listed_and_deleted(shared_stage: tuple[Stage, AgentClient]) -> None:
    _, agent = shared_stage
    automation = made(agent, settings={"top_k": 3})
    path = f"/v1/automations/{automation['id']}"
    changed = agent.patch(path, json={"text": "What is refunded?", "if_version": 1}).json()
    assert (changed["version"], changed["text"], changed["settings"]) == (
        2,
        "What is refunded?",
        {"top_k": 3},
    )
    late = agent.patch(path, json={"text": "Hm?", "if_version": 1})
    assert (late.status_code, late.json()["code"]) == (409, "automation_changed")
    assert automation["id"] in [one["id"] for one in agent.get("/v1/automations").json()["items"]]
    assert agent.delete(path).status_code == 204
    assert agent.get(path).status_code == 404


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"schedule": "every day"}, "schedule"),
        ({"schedule": "* * * * *"}, "schedule"),
        ({"time_zone": "Mars/Base"}, "time_zone"),
        ({"text": " "}, "text"),
        ({"thread_id": "0190a2b4-0000-7000-8000-000000000000"}, "thread_id"),
        ({"settings": {"colour": "red"}}, "settings.colour"),
        ({"mentions": [{"type": "chat", "id": "x"}]}, "mentions.0.type"),
    ],
)
def test_what_cannot_be_asked_is_refused_when_it_is_made(
    shared_stage: tuple[Stage, AgentClient], more: dict[str, Any], field: str
) -> None:
    _, agent = shared_stage
    answer = agent.post("/v1/automations", json={**NEWS, **more})
    assert answer.status_code == 422
    assert field in [error["field"] for error in answer.json()["errors"]]
