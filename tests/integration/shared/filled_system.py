"""A system with something to lose, for tests of backups and restores."""

from sqlalchemy import text
from sqlmodel import select

from footnote_shared.blobs import keys as blob_keys
from footnote_shared.blobs.folder import FolderBlobs
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.audit_log import add_entry
from footnote_shared.db.engine import Database
from footnote_shared.db.tables import AuditRow
from footnote_shared.kernel.ids import new_id
from footnote_shared.security.api_keys import make_key
from footnote_testing.workspace import make_caller
from tests.integration.ingest import rows

ODD = {"text": 'Ünïcode "quoted"\nline\u2028', "none": None, "float": 0.1, "big": 2**60, "list": [1, None]}


def fill(database: Database, blobs: FolderBlobs) -> tuple[Principal, str]:
    """Something in most kinds of columns, and a folder whose parent has a later id."""
    caller, key = make_caller(database, "näme")
    ids = rows.live_documents(database, caller, 3, reader_groups=["legal"], attributes=ODD)
    rows.documents(database, caller, 2)
    with database.write() as session:
        add_entry(session, caller, "flag.set", "alpha", before=None, after=ODD)
        make_key(session, caller, "group", ["read"], ["legal"])
        first, second = "0" * 8 + new_id()[8:], "f" * 8 + new_id()[8:]
        for one, parent, path in ((second, None, "/a"), (first, second, "/a/b")):
            session.execute(
                text(
                    "INSERT INTO folders (id, workspace_id, parent_id, path, created_at)"
                    " VALUES (:id, :ws, :parent, :path, '2026-01-02 03:04:05.678901')"
                ),
                {"id": one, "ws": caller.workspace_id, "parent": parent, "path": path},
            )
    for number, document in enumerate(ids):
        blobs.put(blob_keys.text(caller.workspace_id, document, 1), b"x" * number)
    blobs.put(blob_keys.original(caller.workspace_id, "a" * 64), bytes(range(256)) * 100)
    return caller, key


def quiet(said: str) -> None:
    """Nobody reads it here."""


def restores(database: Database) -> list[AuditRow]:
    """What the audit logs of all workspaces tell of restores."""
    with database.read() as session:
        return list(session.exec(select(AuditRow).where(AuditRow.action == "workspace.restored")))
