"""MCP servers of a workspace with encryption at rest, on both databases: what lies in SQL, changed keys."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from tests.integration.agent.conftest import Stage, built_stage

from footnote_shared.security.master_key import make_key_text
from footnote_testing.postgres_process import PostgresProcess
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
        assert (lost.status_code, "FOOTNOTE_CREDENTIALS_KEY" in lost.json()["detail"]) == (500, True)
        assert server.keys == []
        assert agent.put(SERVER, json={"url": server.url, "credential": "sesame"}).status_code == 200
        assert agent.post(f"{SERVER}:test").json()["problem"] is None
