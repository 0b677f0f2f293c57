"""`/v1/flags` and `/v1/audit`: who may do what, what a turn makes of them, and what is noted."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.integration.agent.client import AgentClient
from tests.integration.agent.conftest import Stage, built_stage, raw_events

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_shared.db.engine import Database
from footnote_shared.security.api_keys import make_key
from footnote_testing.eventually import LIMIT_S
from footnote_testing.workspace import make_caller


@pytest.fixture(scope="module")
def shared_stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with built_stage(tmp_path_factory.mktemp("flags")) as stage:
        yield stage


@pytest.fixture(scope="module")
def url(shared_stage: Stage) -> str:
    """An agent with a chat model that is never asked, and no tools as far as the operator goes."""
    with shared_stage.agent(chat_base_url="http://127.0.0.1:9/v1", chat_model="silent") as agent:
        return str(agent.base_url)


@pytest.fixture
def admin(shared_stage: Stage, url: str) -> Iterator[AgentClient]:
    """The admin of a workspace of its own."""
    with AgentClient(url, make_caller(shared_stage.database)[1]) as client:
        yield client


def flag(client: httpx.Client, name: str) -> tuple[Any, str]:
    (card,) = [card for card in client.get("/v1/flags").json()["items"] if card["name"] == name]
    return card["value"], card["source"]


def test_a_flag_is_set_and_cleared_and_both_are_noted(admin: AgentClient) -> None:
    assert flag(admin, "fusion") == ("weighted_blend", "default")
    made = admin.put("/v1/flags/fusion", json={"value": "rrf"})
    assert (made.status_code, made.json()["version"]) == (200, 1)
    assert flag(admin, "fusion") == ("rrf", "workspace")
    cleared = admin.delete("/v1/flags/fusion").json()
    assert cleared["version"] == admin.delete("/v1/flags/fusion").json()["version"] == 2
    assert flag(admin, "fusion") == ("weighted_blend", "default")
    first = admin.get("/v1/audit", params={"limit": 1}).json()
    assert [(one["action"], one["before"], one["after"]) for one in first["items"]] == [
        ("flag.cleared", "rrf", None)
    ]
    second = admin.get("/v1/audit", params={"limit": 1, "cursor": first["next_cursor"]}).json()
    assert [(one["action"], one["subject"], one["after"]) for one in second["items"]] == [
        ("flag.set", "fusion", "rrf")
    ]
    third = admin.get("/v1/audit", params={"cursor": second["next_cursor"]}).json()
    assert [(one["action"], one["avatar_id"]) for one in third["items"]] == [("key.made", "operator")]
    named = [page["items"][0].get("avatar") for page in (first, second, third)]
    assert named == ["admin", "admin", None]
    assert third["next_cursor"] is None


def test_what_cannot_be_is_refused_and_changes_nothing(admin: AgentClient) -> None:
    refused = admin.put("/v1/flags/alpha", json={"value": 3})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "value")
    assert "from 0 to 1" in refused.json()["detail"]
    for absent in ("cross_encoder", "http", "of_another_release"):
        assert admin.put("/v1/flags/reranker", json={"value": absent}).status_code == 422
    assert admin.put("/v1/flags/of_another_release", json={"value": True}).status_code == 404
    assert admin.delete("/v1/flags/of_another_release").status_code == 404
    admin.put("/v1/flags/alpha", json={"value": 0.3})
    late = admin.put("/v1/flags/alpha", json={"value": 0.4, "version": 0})
    assert late.status_code == 409
    assert admin.delete("/v1/flags/alpha", params={"version": 0}).status_code == 409
    assert flag(admin, "alpha") == (0.3, "workspace")


def test_who_may_read_and_who_may_change(shared_stage: Stage, url: str, admin: AgentClient) -> None:
    principal, _ = make_caller(shared_stage.database)
    with shared_stage.database.write() as session:
        keys = [make_key(session, principal, scope, [scope]) for scope in ("read", "write")]
    admin.put("/v1/flags/hybrid", json={"value": False})
    for key in keys:
        with AgentClient(url, key) as other:
            assert flag(other, "hybrid") == (True, "default")
            assert other.put("/v1/flags/hybrid", json={"value": False}).status_code == 403
            assert other.delete("/v1/flags/hybrid").status_code == 403
            assert other.get("/v1/audit").status_code == 403
    assert flag(admin, "hybrid") == (False, "workspace")


def test_a_switched_tool_is_noted_once(admin: AgentClient) -> None:
    for _ in range(2):
        assert admin.put("/v1/tools/write_todos", json={"allowed": False}).status_code == 200
    (entry,) = admin.get("/v1/audit", params={"action": "tool.switched"}).json()["items"]
    assert (entry["action"], entry["subject"]) == ("tool.switched", "write_todos")
    assert (entry["before"], entry["after"]) == (None, {"allowed": False, "ask_first": False})


def test_tools_are_switched_on_for_one_workspace(admin: AgentClient) -> None:
    def engines() -> list[str]:
        return [one["id"] for one in admin.get("/v1/models").json()["data"]]

    assert "footnote-agentic" not in engines()
    refused = admin.ask(admin.thread(), "Why?", settings={"engine": "agentic"})
    assert (refused.status_code, "chat_tools" in refused.json()["detail"]) == (422, True)
    admin.put("/v1/flags/chat_tools", json={"value": True})
    assert "footnote-agentic" in engines()


def test_a_turn_goes_by_the_flags_and_its_record_tells_them(shared_stage: Stage, admin: AgentClient) -> None:
    admin.put("/v1/flags/verification", json={"value": "mark"})
    admin.put("/v1/flags/injection", json={"value": "off"})
    turn = admin.ask(
        admin.thread(),
        "When is the launch?",
        settings={"engine": "extractive", "injection": "always", "alpha": 0.9},
    ).json()
    (started, *_) = raw_events(shared_stage, turn["turn_id"])
    assert (started["data"]["verification"], started["data"]["injection"]) == ("mark", "always")
    told = admin.get(f"/v1/turns/{turn['turn_id']}/record").json()["flags"]
    assert told["verification"] == {"value": "mark", "source": "workspace"}
    assert told["injection"] == {"value": "always", "source": "request"}
    assert told["alpha"] == {"value": 0.9, "source": "request"}
    assert told["fusion"] == {"value": "weighted_blend", "source": "default"}


def test_a_workspace_that_sets_nothing_leaves_it_to_the_resolver(
    shared_stage: Stage, admin: AgentClient
) -> None:
    turn = admin.ask(admin.thread(), "When is the launch?", settings={"engine": "extractive"}).json()
    (started, *_) = raw_events(shared_stage, turn["turn_id"])
    assert "verification" not in started["data"]
    assert "injection" not in started["data"]


def test_another_workspace_sees_none_of_it(shared_stage: Stage, url: str, admin: AgentClient) -> None:
    admin.put("/v1/flags/verification", json={"value": "drop"})
    database: Database = shared_stage.database
    with AgentClient(url, make_caller(database)[1]) as stranger:
        assert flag(stranger, "verification") == ("report", "default")
        assert [one["action"] for one in stranger.get("/v1/audit").json()["items"]] == ["key.made"]
    with httpx.Client(base_url=url, timeout=LIMIT_S, trust_env=False, verify=NO_CERTIFICATES) as nobody:
        assert nobody.get("/v1/flags").status_code == 401
