"""A backup holds one moment of SQL and the blobs of it, and comes back on either database."""

import gzip
import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from footnote_cli.backup import restore_backup as restoring
from footnote_cli.backup.blob_copies import write_list
from footnote_cli.backup.make_backup import make_backup
from footnote_cli.backup.manifest import BLOB_LIST, MANIFEST, new_manifest, sha256_of, write_manifest
from footnote_cli.backup.restore_backup import restore_backup
from footnote_cli.backup.sql_rows import dump
from footnote_cli.migrations import missing_revisions, upgrade
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.blobs.folder import FolderBlobs
from footnote_shared.db.audit_log import add_entry
from footnote_shared.db.engine import Database
from footnote_shared.db.idempotency import KeyedRequest, keep_answer
from footnote_shared.db.tables import WorkspaceRow
from footnote_shared.kernel.clock import rfc3339
from footnote_shared.kernel.errors import InvalidRequest, Misconfigured
from footnote_shared.kernel.ids import new_id
from footnote_shared.security.api_keys import principal_of
from footnote_testing.postgres_process import PostgresProcess
from footnote_testing.workspace import make_caller, make_database, migrated_database
from tests.integration.shared.filled_system import fill, quiet, restores


@pytest.fixture
def other(own_database: Database, tmp_path: Path, postgres: PostgresProcess) -> Iterator[Database]:
    """An empty database of the other kind, without a schema."""
    url = postgres.new_database() if own_database.is_sqlite else f"sqlite:///{tmp_path / 'other.db'}"
    opened = Database(url)
    yield opened
    opened.close()


@pytest.fixture
def blobs(tmp_path: Path) -> FolderBlobs:
    return FolderBlobs(tmp_path / "blobs")


def lines_of(folder: Path) -> dict[str, list[str]]:
    return {
        file.name: sorted(gzip.decompress(file.read_bytes()).decode().splitlines())
        for file in (folder / "sql").iterdir()
    }


def test_everything_comes_back_on_the_other_database(
    own_database: Database, other: Database, blobs: FolderBlobs, tmp_path: Path
) -> None:
    caller, key = fill(own_database, blobs)
    manifest = make_backup(own_database, blobs, tmp_path / "first", quiet)
    assert (manifest.blobs, manifest.lost) == (4, 0)
    target = FolderBlobs(tmp_path / "elsewhere")
    restore_backup(other, target, tmp_path / "first", quiet)
    assert missing_revisions(other) == set()
    with other.read() as session:
        found = principal_of(session, key)
    assert found == caller
    assert target.get(blob_keys.original(caller.workspace_id, "a" * 64)) == bytes(range(256)) * 100
    make_backup(other, target, tmp_path / "second", quiet)
    first, second = lines_of(tmp_path / "first"), lines_of(tmp_path / "second")
    (told,) = (line for line in second["audit_log.jsonl.gz"] if '"workspace.restored"' in line)
    second["audit_log.jsonl.gz"].remove(told)
    assert first == second


def test_a_backup_shows_one_moment_while_others_write(
    own_database: Database, blobs: FolderBlobs, tmp_path: Path
) -> None:
    """Each transaction writes into a table that is copied early and one that is copied late."""
    caller, _ = make_caller(own_database)
    stop, wrote = threading.Event(), threading.Event()

    def write() -> None:
        while not stop.is_set():
            with own_database.write() as session:
                mark = new_id()
                request = KeyedRequest.of(caller, mark, "test")
                keep_answer(session, request, caller)
                add_entry(session, caller, "flag.set", mark, before=None, after=None)
            wrote.set()

    writer = threading.Thread(target=write)
    writer.start()
    wrote.wait()
    try:
        for number in range(3):
            make_backup(own_database, blobs, tmp_path / str(number), quiet)
            lines = lines_of(tmp_path / str(number))
            noted = sum('"flag.set"' in line for line in lines["audit_log.jsonl.gz"])
            # The first line of each file names the columns.
            assert noted == len(lines["idempotency.jsonl.gz"]) - 1 > 0
    finally:
        stop.set()
        writer.join()


def test_a_server_that_others_are_connected_to_is_left_alone(
    postgres: PostgresProcess, blobs: FolderBlobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On SQLite the data folder has a lock of its own."""
    database = Database(migrated_database(postgres))
    _, key = fill(database, blobs)
    make_backup(database, blobs, tmp_path / "backup", quiet)
    monkeypatch.setattr(restoring, "_LOOKS", 2)
    running = Database(database.url)
    with running.engine.connect(), pytest.raises(InvalidRequest, match="connected"):
        restore_backup(database, blobs, tmp_path / "backup", quiet, replace=True)
    running.close()
    with database.read() as session:
        assert principal_of(session, key) is not None
    database.close()


class TestOnSqlite:
    """What does not depend on the database."""

    @pytest.fixture
    def database(self, tmp_path: Path) -> Iterator[Database]:
        opened = make_database(f"sqlite:///{tmp_path / 'test.db'}")
        yield opened
        opened.close()

    @pytest.fixture(scope="class")
    def made(self, tmp_path_factory: pytest.TempPathFactory) -> Path:
        """A backup that stays as it was made."""
        place = tmp_path_factory.mktemp("made")
        database, blobs = make_database(f"sqlite:///{place / 'test.db'}"), FolderBlobs(place / "blobs")
        fill(database, blobs)
        make_backup(database, blobs, place / "backup", quiet)
        database.close()
        return place / "backup"

    @pytest.fixture
    def backup(self, made: Path, tmp_path: Path) -> Path:
        """A copy of it, which a test may damage."""
        return Path(shutil.copytree(made, tmp_path / "backup"))

    @pytest.fixture
    def empty(self, tmp_path: Path) -> Iterator[Database]:
        opened = Database(f"sqlite:///{tmp_path / 'empty.db'}")
        yield opened
        opened.close()

    @pytest.mark.parametrize(("revision", "notes"), [("shared_0003", 0), ("shared_0004", 1)])
    def test_an_older_one_is_brought_to_the_schema_of_this_release(
        self, blobs: FolderBlobs, empty: Database, tmp_path: Path, revision: str, notes: int
    ) -> None:
        """The earlier one has no audit log in which the restore could be noted."""
        old = Database(f"sqlite:///{tmp_path / 'old.db'}")
        upgrade(old, revision)
        with old.write() as session:
            session.execute(
                text(
                    "INSERT INTO workspaces (id, name, created_at) VALUES ('w', 'old', '2026-01-02 03:04:05')"
                )
            )
        found = dump(old, tmp_path / "sql")
        old.close()
        (tmp_path / "backup").mkdir()
        (tmp_path / "sql").rename(tmp_path / "backup/sql")
        manifest = new_manifest(
            made_at="2026-01-02T03:04:05Z",
            revisions=[revision],
            tables=found,
            blobs=0,
            blob_bytes=0,
            blob_list_sha256=write_list(tmp_path / "backup" / BLOB_LIST, []),
            lost=0,
        )
        write_manifest(tmp_path / "backup", manifest)
        restore_backup(empty, blobs, tmp_path / "backup", quiet)
        assert missing_revisions(empty) == set()
        with empty.read() as session:
            row = session.get(WorkspaceRow, "w")
            assert row is not None
            assert (row.name, rfc3339(row.created_at)) == ("old", "2026-01-02T03:04:05.000Z")
        told = {"backup_of": "2026-01-02T03:04:05Z", "replaced": False}
        assert [row.after for row in restores(empty)] == notes * [told]

    @pytest.mark.parametrize(
        ("file", "content"),
        [
            (MANIFEST, b"{"),
            (MANIFEST, b'{"format": 99}'),
            ("blobs.jsonl.gz", b""),
            ("sql/workspaces.jsonl.gz", gzip.compress(b"[]\n")),
            ("blobs", None),
            (MANIFEST, None),
        ],
    )
    def test_a_damaged_one_changes_nothing(
        self, backup: Path, empty: Database, tmp_path: Path, file: str, content: bytes | None
    ) -> None:
        if content is not None:
            (backup / file).write_bytes(content)
        else:
            (backup / file).rename(tmp_path / "taken away")
        with pytest.raises(Misconfigured):
            restore_backup(empty, FolderBlobs(tmp_path / "elsewhere"), backup, quiet)
        assert not any(FolderBlobs(tmp_path / "elsewhere").list(""))
        restored = missing_revisions(empty)
        assert restored

    def test_one_of_a_newer_release_is_refused(self, backup: Path, empty: Database, tmp_path: Path) -> None:
        manifest = backup / MANIFEST
        said = json.loads(manifest.read_text())
        manifest.write_text(json.dumps({**said, "revisions": [*said["revisions"], "shared_9999"]}))
        with pytest.raises(Misconfigured, match="newer"):
            restore_backup(empty, FolderBlobs(tmp_path / "elsewhere"), backup, quiet)

    def test_a_blob_outside_of_it_is_refused(self, backup: Path, empty: Database, tmp_path: Path) -> None:
        listed = backup / "blobs.jsonl.gz"
        with gzip.open(listed, "wt") as out:
            out.write(json.dumps(["../../etc/passwd", 1, "0" * 64]) + "\n")
        said = json.loads((backup / MANIFEST).read_text())
        said["blob_list_sha256"] = sha256_of(listed)
        (backup / MANIFEST).write_text(json.dumps(said))
        with pytest.raises(Misconfigured, match="outside"):
            restore_backup(empty, FolderBlobs(tmp_path / "elsewhere"), backup, quiet)

    @pytest.mark.parametrize("file", ["../../stolen.jsonl.gz", "/tmp/stolen.jsonl.gz", "api_keys.jsonl.gz"])
    def test_rows_of_another_file_are_refused(
        self, backup: Path, empty: Database, tmp_path: Path, file: str
    ) -> None:
        said = json.loads((backup / MANIFEST).read_text())
        table = next(one for one in said["tables"] if one["name"] == "workspaces")
        table["file"] = file
        (backup / MANIFEST).write_text(json.dumps(said))
        with pytest.raises(Misconfigured, match="names a file"):
            restore_backup(empty, FolderBlobs(tmp_path / "elsewhere"), backup, quiet)
        assert missing_revisions(empty)

    def test_a_blob_that_is_encrypted_anew_while_it_is_copied_is_copied_again(
        self, database: Database, tmp_path: Path
    ) -> None:
        caller, _ = make_caller(database)
        contents = [bytes([n]) * (9 << 20) for n in range(3)]

        class Changing(FolderBlobs):
            def get_range(self, key: str, start: int, end: int) -> bytes:
                if start and len(contents) > 1:
                    self.put(key, contents.pop(0))
                return super().get_range(key, start, end)

        store, key = Changing(tmp_path / "changing"), blob_keys.original(caller.workspace_id, "a" * 64)
        store.put(key, b"x" * (9 << 20))
        make_backup(database, store, tmp_path / "backup", quiet)
        copied = (tmp_path / "backup" / "blobs" / key).read_bytes()
        assert len(set(copied)) == 1
        assert copied == store.get(key)

    def test_a_restore_that_was_cut_off_is_begun_anew(
        self, backup: Path, empty: Database, tmp_path: Path
    ) -> None:
        target = FolderBlobs(tmp_path / "elsewhere")
        upgrade(empty)
        target.put(blob_keys.original(new_id(), "c" * 64), b"half")
        restore_backup(empty, target, backup, quiet)
        with empty.read() as session:
            assert session.execute(text("SELECT count(*) FROM documents")).scalar() == 5

    @pytest.mark.parametrize("place", ["a file", "/sys/backup"])
    def test_a_folder_that_cannot_be_written_is_named(
        self, database: Database, blobs: FolderBlobs, tmp_path: Path, place: str
    ) -> None:
        """Also by root, whom no mode of a folder stops."""
        (tmp_path / "a file").touch()
        folder = tmp_path / place
        with pytest.raises(InvalidRequest, match=f"cannot be written: {folder}"):
            make_backup(database, blobs, folder, quiet)

    def test_nobody_else_reads_it_and_it_is_never_mixed_with_another(
        self, made: Path, database: Database, blobs: FolderBlobs
    ) -> None:
        assert made.stat().st_mode & 0o077 == 0
        with pytest.raises(InvalidRequest):
            make_backup(database, blobs, made, quiet)

    def test_bytes_that_go_while_they_are_copied_are_counted(
        self, database: Database, tmp_path: Path
    ) -> None:
        caller, _ = make_caller(database)

        class Vanishing(FolderBlobs):
            def get_range(self, key: str, start: int, end: int) -> bytes:
                self.delete([key])
                return super().get_range(key, start, end)

        store = Vanishing(tmp_path / "going")
        store.put(blob_keys.original(caller.workspace_id, "a" * 64), b"bytes")
        assert make_backup(database, store, tmp_path / "backup", quiet).lost == 1
