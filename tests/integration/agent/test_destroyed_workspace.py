"""Automations of a workspace whose key was destroyed stop, and those of others go on (spec 7.3)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlmodel import col, select, update
from tests.integration.agent.test_automations import DUE, HOUR, World

from footnote_agent.store.automation_tables import AutomationRunRow
from footnote_agent.store.tables import TurnRow
from footnote_shared.security.keyring import Keyring, destroy
from footnote_shared.security.master_key import GivenMasterKey, make_key_text
from footnote_testing.workspace import make_caller, make_database

MASTER = make_key_text()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    database = make_database(f"sqlite:///{tmp_path / 'test.db'}")
    yield World(database)
    database.close()


def statuses_of(world: World, automation_id: str) -> list[str]:
    """Without the automation, which nobody can read any more."""
    with world.database.read() as session:
        mine = select(AutomationRunRow.status).where(col(AutomationRunRow.automation_id) == automation_id)
        return list(session.exec(mine))


async def test_a_destroyed_workspace_does_not_keep_others_from_their_runs(world: World) -> None:
    world.database.sealer = Keyring(GivenMasterKey(MASTER), seals=True)
    gone = make_caller(world.database, "gone")[0]
    first, begun = world.automation(gone), world.automation(gone)
    ours = world.automation()
    await world.look_at(DUE)
    assert [run.status for run in world.runs(begun, gone)] == ["running"]
    with world.database.write() as session:
        destroy(session.connection(), gone.workspace_id)
        ended = update(TurnRow).where(col(TurnRow.workspace_id) == gone.workspace_id)
        session.exec(ended.values(status="failed", ended_at=world.moment))
        mine = update(TurnRow).where(col(TurnRow.workspace_id) != gone.workspace_id)
        session.exec(mine.values(status="completed", ended_at=world.moment))
    world.database.sealer = Keyring(GivenMasterKey(MASTER), seals=True)
    for hours in (1, 2):
        await world.look_at(DUE + hours * HOUR)
    assert [run.status for run in world.runs(ours)][:2] == ["completed", "running"]
    for automation_id in (first, begun):
        assert statuses_of(world, automation_id) == ["failed"]
