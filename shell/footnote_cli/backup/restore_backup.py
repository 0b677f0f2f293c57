"""Bringing a system back from a backup. The services are stopped meanwhile."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, insert, inspect, select, text
from sqlmodel import SQLModel

from footnote_cli.backup.blob_copies import check_copy, pieces, read_list
from footnote_cli.backup.ended_rights import NOTE, end_again, ended_rights, note_rights, noted_rights
from footnote_cli.backup.manifest import BLOB_LIST, Manifest, read_manifest, sha256_of
from footnote_cli.backup.sql_rows import file_of, has_rows, load, remove_rows
from footnote_cli.migrations import check_known, downgrade, stamped_revisions, upgrade
from footnote_shared.blobs.protocol import BlobStore
from footnote_shared.contracts.audit import OPERATOR, AuditAction
from footnote_shared.db.engine import Database
from footnote_shared.db.postgres import lift_limits
from footnote_shared.db.tables import AuditRow, WorkspaceRow
from footnote_shared.kernel.errors import InvalidRequest, Misconfigured

Say = Callable[[str], None]

_AUDIT = SQLModel.metadata.tables[str(AuditRow.__tablename__)]
_WORKSPACES = SQLModel.metadata.tables[str(WorkspaceRow.__tablename__)]
_RESTORED: AuditAction = "workspace.restored"

_LOOKS, _PAUSE_S = 50, 0.1
_OTHERS = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    " AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
)


def check_backup(database: Database, folder: Path) -> Manifest:
    """The manifest of a backup whose bytes are all there and unchanged, and whose schema is known here.

    Raises Misconfigured for any other. Nothing outside of the backup was touched.
    """
    manifest = read_manifest(folder)
    check_known(database, manifest.revisions)
    try:
        _check_bytes(folder, manifest)
    except OSError as error:
        said = f"{error.filename or folder}: {error.strerror}"
        raise Misconfigured(f"The backup cannot be read: {said}.") from error
    return manifest


def _check_bytes(folder: Path, manifest: Manifest) -> None:
    for table in manifest.tables:
        file = file_of(folder / "sql", table)
        if not file.is_file() or sha256_of(file) != table.sha256:
            raise Misconfigured(f"The backup is damaged: the rows of {table.name} are not what was copied.")
    listed = folder / BLOB_LIST
    if not listed.is_file() or sha256_of(listed) != manifest.blob_list_sha256:
        raise Misconfigured("The backup is damaged: its list of blobs is not what was written.")
    for copy in read_list(listed):
        check_copy(folder / "blobs", copy)


def restore_backup(
    database: Database, blobs: BlobStore, folder: Path, say: Say, *, replace: bool = False
) -> Manifest:
    """Put everything of a backup back, and bring its schema to that of this release.

    `replace`: what the system holds is removed first; else InvalidRequest is raised if it holds anything.
    Keys that are revoked, renewed or destroyed in a system that is replaced stay so, also if the first try
    is cut off. The audit log of each workspace that comes back tells of the restore.

    Blobs come first and the rows in one transaction: cut off, the system has no rows, and the next try
    begins anew.
    """
    manifest = check_backup(database, folder)
    say("The backup is whole.")
    _check_alone(database)
    with database.connected() as connection:
        if has_rows(connection) and not replace:
            raise InvalidRequest(
                "The system is not empty. With --replace everything in it is removed and replaced."
            )
    ended, replaces = noted_rights(blobs), replace or blobs.exists(NOTE)
    if replace:
        ended = ended.and_of(ended_rights(database))
        note_rights(blobs, ended)
        # A migration back refuses rows that the release before could not read, as encrypted ones.
        with _unlimited(database) as connection:
            remove_rows(connection)
            connection.commit()
    if stamped_revisions(database):
        downgrade(database)
    if replace:
        blobs.delete([entry.key for entry in blobs.list("") if entry.key != NOTE])
    for revision in manifest.revisions:
        upgrade(database, revision)
    for copy in read_list(folder / BLOB_LIST):
        asyncio.run(blobs.put_stream(copy.key, pieces(folder / "blobs" / copy.key), copy.size))
    say(f"{manifest.blobs} blobs are back.")
    with _unlimited(database) as connection:
        load(connection, folder / "sql", manifest.tables)
        again = end_again(connection, ended)
        _note(connection, manifest, replaces=replaces)
        connection.commit()
    blobs.delete([NOTE])
    say(f"{sum(table.rows for table in manifest.tables)} rows are back.")
    upgrade(database)
    if again:
        say(f"{again} keys stay revoked, renewed or destroyed, as they were before the restore.")
    return manifest


def _note(connection: Connection, manifest: Manifest, *, replaces: bool) -> None:
    """Add an entry by the operator to the audit log of each workspace.

    The schema is still that of the backup, and one of an early release has no log.
    """
    if not inspect(connection).has_table(_AUDIT.name):
        return
    after = {"backup_of": manifest.made_at, "replaced": replaces}
    for workspace_id in connection.execute(select(_WORKSPACES.c.id)).scalars().all():
        entry = AuditRow(
            workspace_id=workspace_id,
            avatar_id=OPERATOR,
            action=_RESTORED,
            subject=workspace_id,
            after=after,
        )
        connection.execute(insert(_AUDIT).values(entry.model_dump()))


@contextmanager
def _unlimited(database: Database) -> Iterator[Connection]:
    """A connection whose statements may take as long as the rows are many."""
    with database.connected() as connection:
        if not database.is_sqlite:
            lift_limits(connection)
        yield connection


def _check_alone(database: Database) -> None:
    """Raise InvalidRequest while anybody else is connected to PostgreSQL, who may write meanwhile."""
    if database.is_sqlite:
        return
    database.engine.dispose()
    for _ in range(_LOOKS):
        with database.connected() as connection:
            others = connection.execute(_OTHERS).scalar()
        if not others:
            return
        # Connections that were just closed are counted until their server process has ended.
        time.sleep(_PAUSE_S)
    raise InvalidRequest(
        f"{others} others are connected to the database: stop the services and workers first."
    )
