"""The first start makes a key and keeps it; the next ones find it."""

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlmodel import select

from footnote_cli.embedded.first_key import ensure_first_key
from footnote_cli.migrations import upgrade
from footnote_shared.db.engine import Database
from footnote_shared.db.tables import WorkspaceRow
from footnote_shared.settings.base import Settings


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    made = Database.from_settings(Settings(data=tmp_path, database_url=""))
    upgrade(made)
    yield made
    made.close()


def test_a_key_is_made_once_and_anew_where_its_file_is_lost(database: Database, tmp_path: Path) -> None:
    target = tmp_path / "api_key"
    key = ensure_first_key(database, target)
    assert key is not None
    assert target.read_text() == f"{key}\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert ensure_first_key(database, target) is None
    target.unlink()
    assert ensure_first_key(database, target) not in (None, key)
    with database.read() as session:
        assert len(session.exec(select(WorkspaceRow)).all()) == 1
