"""A restore into a system that holds something: what it removes, what stays ended, and what it notes."""

from pathlib import Path

import pytest
from sqlalchemy import text
from sqlmodel import select

from footnote_agent.store.workspace_keys import renew_in_workspace
from footnote_cli.backup.make_backup import make_backup
from footnote_cli.backup.restore_backup import restore_backup
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.blobs.folder import FolderBlobs
from footnote_shared.blobs.protocol import StoredBlob
from footnote_shared.db.engine import Database
from footnote_shared.db.idempotency import KeyedRequest, keep_answer
from footnote_shared.db.key_tables import WorkspaceKeyRow
from footnote_shared.kernel.errors import InvalidRequest, Unavailable
from footnote_shared.security.api_keys import hash_of, list_keys, principal_of, revoke_key
from footnote_shared.security.keyring import Keyring, destroy
from footnote_shared.security.master_key import GivenMasterKey, make_key_text
from footnote_testing.workspace import make_caller
from tests.integration.shared.filled_system import fill, quiet, restores


@pytest.fixture
def blobs(tmp_path: Path) -> FolderBlobs:
    return FolderBlobs(tmp_path / "blobs")


def test_a_system_that_holds_something_is_replaced_on_demand_alone(
    own_database: Database, blobs: FolderBlobs, tmp_path: Path
) -> None:
    caller, key = fill(own_database, blobs)
    make_backup(own_database, blobs, tmp_path / "backup", quiet)
    _, later = make_caller(own_database, "later")
    stray = blob_keys.original(caller.workspace_id, "b" * 64)
    blobs.put(stray, b"later")
    with pytest.raises(InvalidRequest):
        restore_backup(own_database, blobs, tmp_path / "backup", quiet)
    with own_database.read() as session:
        assert principal_of(session, later) is not None
    restore_backup(own_database, blobs, tmp_path / "backup", quiet, replace=True)
    with own_database.read() as session:
        assert principal_of(session, later) is None
        assert principal_of(session, key) == caller
    assert not blobs.exists(stray)


def test_what_was_revoked_or_destroyed_since_stays_so_where_it_is_replaced(
    own_database: Database, blobs: FolderBlobs, tmp_path: Path
) -> None:
    keyring = own_database.sealer = Keyring(GivenMasterKey(make_key_text()), seals=True)
    caller, key = fill(own_database, blobs)
    other, kept = make_caller(own_database, "other")
    renewing, seen = make_caller(own_database, "renewing")
    with own_database.write() as session:
        for one in (caller, other):
            keyring.sealing_key(session.connection(), one.workspace_id)
            # A migration back would refuse what is encrypted.
            keep_answer(session, KeyedRequest.of(one, "upload", "test"), one)
    make_backup(own_database, blobs, tmp_path / "backup", quiet)
    with own_database.read() as session:
        leaked, link = [
            row.id for one in (key, seen) for row in list_keys(session) if row.hash == hash_of(one)
        ]
    with own_database.write() as session:
        revoke_key(session, leaked)
        renewed = renew_in_workspace(session, renewing, link, hash_of(seen)).key
        destroy(session.connection(), caller.workspace_id)
    restore_backup(own_database, blobs, tmp_path / "backup", quiet, replace=True)
    own_database.sealer = None
    with own_database.read() as session:
        assert principal_of(session, key) is None
        assert principal_of(session, kept) == other
        assert principal_of(session, seen) is None
        assert principal_of(session, renewed) == renewing
        rows = session.exec(select(WorkspaceKeyRow)).all()
    assert {row.workspace_id: bool(row.wrapped) for row in rows} == {
        caller.workspace_id: False,
        other.workspace_id: True,
    }


def test_what_was_revoked_stays_so_if_the_first_try_is_cut_off(
    own_database: Database, blobs: FolderBlobs, tmp_path: Path
) -> None:
    _, key = fill(own_database, blobs)
    make_backup(own_database, blobs, tmp_path / "backup", quiet)
    with own_database.read() as found:
        leaked = next(row.id for row in list_keys(found) if row.hash == hash_of(key))
    with own_database.write() as changing:
        revoke_key(changing, leaked)

    class Ending(FolderBlobs):
        async def put_stream(self, *_: object) -> StoredBlob:
            raise Unavailable("blobs", "The disk is away.")

    with pytest.raises(Unavailable):
        restore_backup(own_database, Ending(tmp_path / "blobs"), tmp_path / "backup", quiet, replace=True)
    restore_backup(own_database, blobs, tmp_path / "backup", quiet)
    with own_database.read() as after:
        assert principal_of(after, key) is None
        assert after.execute(text("SELECT count(*) FROM documents")).scalar() == 5
    assert [(row.after or {})["replaced"] for row in restores(own_database)] == [True]
    made = make_backup(own_database, blobs, tmp_path / "second", quiet)
    assert made.blobs == 4, "The note of the restore is no blob of the system."


def test_the_audit_log_of_each_workspace_tells_of_a_restore(
    own_database: Database, blobs: FolderBlobs, tmp_path: Path
) -> None:
    caller, _ = fill(own_database, blobs)
    other, _ = make_caller(own_database, "other")
    manifest = make_backup(own_database, blobs, tmp_path / "backup", quiet)
    restore_backup(own_database, blobs, tmp_path / "backup", quiet, replace=True)
    told = restores(own_database)
    assert sorted((row.workspace_id, row.subject, row.avatar_id) for row in told) == sorted(
        (one.workspace_id, one.workspace_id, "operator") for one in (caller, other)
    )
    assert [row.after for row in told] == [{"backup_of": manifest.made_at, "replaced": True}] * 2
