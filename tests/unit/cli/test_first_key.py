"""The first start makes a key and keeps it; the next ones find it."""

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlmodel import select

from footnote_cli.embedded.first_key import ensure_first_key, ensure_link_key
from footnote_cli.migrations import upgrade
from footnote_shared.db.engine import Database
from footnote_shared.db.tables import ApiKeyRow, WorkspaceRow
from footnote_shared.security.api_keys import hash_of, principal_of, revoke_key
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


def test_the_key_of_the_link_stays_until_it_was_used(database: Database, tmp_path: Path) -> None:
    first, link = tmp_path / "api_key", tmp_path / "link_key"
    ensure_first_key(database, first)
    ensure_link_key(database, first, link)
    made = link.read_text().strip()
    assert stat.S_IMODE(link.stat().st_mode) == 0o600
    ensure_link_key(database, first, link)
    assert link.read_text().strip() == made
    with database.write() as session:
        key, own = (principal_of(session, one) for one in (made, first.read_text().strip()))
        assert key == own
        row = session.exec(select(ApiKeyRow).where(ApiKeyRow.hash == hash_of(made))).one()
        row.hash = "renewed by a browser"
        session.add(row)
    ensure_link_key(database, first, link)
    assert link.read_text().strip() != made
    # Whoever has the first key revoked wants nobody to sign in for it.
    left = link.read_text().strip()
    with database.write() as session:
        query = select(ApiKeyRow.id).where(ApiKeyRow.hash == hash_of(first.read_text().strip()))
        revoke_key(session, session.exec(query).one())
    ensure_link_key(database, first, link)
    assert not link.exists()
    with database.read() as session:
        assert principal_of(session, left) is None
