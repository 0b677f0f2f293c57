"""`footnote encryption`: what it refuses before it does anything, and what it notes of what it did."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlmodel import col, select

from footnote_shared.db.engine import Database
from footnote_shared.db.tables import AuditRow
from footnote_shared.security.api_keys import principal_of
from footnote_shared.security.keyring import Keyring
from footnote_shared.security.master_key import GivenMasterKey, make_key_text
from footnote_testing.workspace import make_caller, make_database
from tests.unit.cli.conftest import Footnote

MASTER = make_key_text()


@pytest.fixture
def sealed(tmp_path: Path) -> Iterator[Database]:
    """A database whose content is encrypted under `MASTER`."""
    database = make_database(f"sqlite:///{tmp_path / 'test.db'}")
    database.sealer = Keyring(GivenMasterKey(MASTER), seals=True)
    yield database
    database.close()


def noted(database: Database, workspace_id: str) -> list[tuple[str, str]]:
    """Who did what in the workspace, behind the making of its key."""
    with database.read() as session:
        rows = select(AuditRow).where(AuditRow.workspace_id == workspace_id, AuditRow.action != "key.made")
        return [(row.avatar_id, row.action) for row in session.exec(rows.order_by(col(AuditRow.id)))]


def test_nothing_is_destroyed_while_it_is_off(footnote: Footnote) -> None:
    """Content lies there as plain text: a destroyed key would make nobody's unreadable."""
    refused = footnote("encryption", "destroy", "01a2", "--yes", encryption="false")
    assert refused.status == 2
    assert "Encryption is off" in refused.err


def test_what_is_done_to_the_keys_of_a_workspace_stands_in_its_audit_log_alone(
    sealed: Database, footnote: Footnote
) -> None:
    caller, key = make_caller(sealed)
    other, kept = make_caller(sealed, "other")
    assert isinstance(sealed.sealer, Keyring)
    with sealed.write() as session:
        for one in (caller, other):
            sealed.sealer.sealing_key(session.connection(), one.workspace_id)
    settings = {"database_url": sealed.url, "encryption": "true", "master_key": MASTER}
    for words in (["rotate", caller.workspace_id], ["destroy", caller.workspace_id, "--yes"]):
        done = footnote("encryption", *words, **settings)
        assert done.status == 0, done.err
    assert noted(sealed, caller.workspace_id) == [
        ("operator", "encryption.rotated"),
        ("operator", "key.revoked"),
        ("operator", "encryption.destroyed"),
    ]
    assert noted(sealed, other.workspace_id) == []
    with sealed.read() as session:
        assert (principal_of(session, key), principal_of(session, kept)) == (None, other)
