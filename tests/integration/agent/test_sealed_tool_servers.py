"""MCP servers of a workspace with encryption at rest, on both databases: what lies in SQL, changed keys."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from tests.integration.agent.conftest import Stage, built_stage, raw_events
from tests.integration.agent.tool_server_desk import QUESTION, looking

from footnote_shared.security.master_key import make_key_text
from footnote_testing.postgres_process import PostgresProcess
from footnote_testing.scripted_model import Script, ScriptedModel
from footnote_testing.tool_server import LOOKUP, LoopbackToolServer

FIRST, SECOND = "a" * 40, "b" * 40
SERVER = "/v1/tool-servers/depot"


@pytest.fixture(params=["sqlite", "postgres"])
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    postgres: PostgresProcess | None = (
        request.getfixturevalue("postgres") if request.param == "postgres" else None
    )
    with built_stage(tmp_path, *([postgres.new_database()] if postgres else [])) as built:
        yield built


@pytest.fixture
def server() -> Iterator[LoopbackToolServer]:
    running = LoopbackToolServer(wanted_key="sesame").start()
    yield running
    running.stop()


def test_a_turn_goes_on_without_a_server_whose_credential_cannot_be_read(
    stage: Stage, server: LoopbackToolServer
) -> None:
    model = ScriptedModel(Script(planner=looking)).start()
    settings: dict[str, Any] = {
        "tool_servers": server.origin,
        "chat_base_url": model.url,
        "chat_model": "scripted",
        "chat_tools": True,
    }
    with stage.agent(**settings, credentials_key=FIRST) as agent:
        tools = [{"name": "lookup", "reads_only": True}]
        agent.put(SERVER, json={"url": server.url, "credential": "sesame", "tools": tools}).raise_for_status()
    server.keys.clear()
    with stage.agent(**settings, credentials_key=SECOND) as agent:
        answer = agent.ask(agent.thread(), QUESTION).json()
        record = agent.get(f"/v1/turns/{answer['turn_id']}").json()["record"]
    model.stop()
    assert answer["status"] == "completed"
    assert record["degraded"] == ["tool_server:depot"]
    told = [e["data"]["label"] for e in raw_events(stage, answer["turn_id"]) if e["type"] == "progress"]
    assert "The credential of the tool server depot cannot be read" in told
    assert "FOOTNOTE_CREDENTIALS_KEY" in answer["message"]["text"]
    assert server.keys == []


def test_a_server_lies_encrypted_and_its_credential_outlives_a_change_of_keys(
    stage: Stage, server: LoopbackToolServer
) -> None:
    sealing: dict[str, Any] = {
        "encryption": True,
        "master_key": make_key_text(),
        "tool_servers": server.origin,
    }
    with stage.agent(**sealing, credentials_key=FIRST) as agent:
        body = {"url": server.url, "credential": "sesame", "tools": [{"name": "lookup"}]}
        made = agent.put(SERVER, json=body)
        assert made.status_code == 201, made.text
    with stage.database.read() as session:
        (row,) = session.connection().execute(text("SELECT credential, tools, sealed FROM tool_servers"))
    assert (row.credential, row.tools in ("[]", [])) == ("", True)
    assert b"sesame" not in bytes(row.sealed)
    assert LOOKUP.encode() not in bytes(row.sealed)
    with stage.agent(**sealing, credentials_key=f"{SECOND},{FIRST}") as agent:
        assert agent.post(f"{SERVER}:test").json()["problem"] is None
    server.keys.clear()
    with stage.agent(**sealing, credentials_key=SECOND) as agent:
        lost = agent.post(f"{SERVER}:test")
        assert (lost.status_code, lost.json()["who_acts"]) == (200, "operator")
        assert "FOOTNOTE_CREDENTIALS_KEY" in lost.json()["problem"]
        changed = agent.put(SERVER, json={"url": server.url, "tools": [{"name": "add_note"}]})
        assert (changed.status_code, changed.json()["code"]) == (500, "misconfigured")
        assert "FOOTNOTE_CREDENTIALS_KEY" in changed.json()["detail"]
        assert server.keys == []
        assert agent.put(SERVER, json={"url": server.url, "credential": "sesame"}).status_code == 200
        assert agent.post(f"{SERVER}:test").json()["problem"] is None
