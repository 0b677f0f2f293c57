"""Keys that were revoked, renewed or destroyed since a backup: a restore in its place brings none back.

A restore that was cut off has removed the rows that say so. A note among the blobs tells the next one.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, func, inspect, select, update
from sqlmodel import SQLModel

from footnote_shared.blobs.protocol import BlobStore
from footnote_shared.db.engine import Database
from footnote_shared.db.key_tables import WorkspaceKeyRow
from footnote_shared.db.tables import ApiKeyRow, AuditRow
from footnote_shared.kernel.clock import now

_API_KEYS = SQLModel.metadata.tables[str(ApiKeyRow.__tablename__)]
_AUDIT = SQLModel.metadata.tables[str(AuditRow.__tablename__)]
_DATA_KEYS = SQLModel.metadata.tables[str(WorkspaceKeyRow.__tablename__)]

NOTE = "restore/ended-rights"
"""The blob that says what had ended in a system that a restore is replacing. No backup holds it."""

_IS_RENEWAL = _AUDIT.c.action == "key.renewed"
_LAST = (
    select(_AUDIT.c.subject, func.max(_AUDIT.c.at).label("at")).where(_IS_RENEWAL).group_by(_AUDIT.c.subject)
).subquery()
_RENEWED = select(_API_KEYS.c.id, _API_KEYS.c.hash, _API_KEYS.c.hint, _LAST.c.at).join(
    _LAST, _LAST.c.subject == _API_KEYS.c.id
)


@dataclass(frozen=True, slots=True)
class RenewedKey:
    """A key that has another secret since `at`: the hash and the beginning of it."""

    id: str
    hash: str
    hint: str
    at: datetime


@dataclass(frozen=True, slots=True)
class EndedRights:
    """When each API key was revoked, by its id, those that were renewed, and the workspaces whose data keys
    were destroyed."""

    revoked: tuple[tuple[str, datetime], ...] = ()
    renewed: tuple[RenewedKey, ...] = ()
    destroyed: tuple[str, ...] = ()

    def and_of(self, other: "EndedRights") -> "EndedRights":
        """What has ended here or there. Of a key that was renewed twice the later secret comes last."""
        revoked, renewed = {*self.revoked, *other.revoked}, {*self.renewed, *other.renewed}
        return EndedRights(
            tuple(sorted(revoked)),
            tuple(sorted(renewed, key=lambda key: key.at)),
            tuple(sorted({*self.destroyed, *other.destroyed})),
        )


_NOTED = TypeAdapter(EndedRights)


def noted_rights(blobs: BlobStore) -> EndedRights:
    """What a restore that was cut off has noted; nothing if none was."""
    return _NOTED.validate_json(blobs.get(NOTE)) if blobs.exists(NOTE) else EndedRights()


def note_rights(blobs: BlobStore, ended: EndedRights) -> None:
    """Keep it until the rows are back, also if this process ends before."""
    blobs.put(NOTE, _NOTED.dump_json(ended))


def ended_rights(database: Database) -> EndedRights:
    """What has ended in the system as it is."""
    there = set(inspect(database.engine).get_table_names())
    with database.read() as session:
        connection = session.connection()
        revoked: list[tuple[str, datetime]] = []
        if _API_KEYS.name in there:
            ended = select(_API_KEYS.c.id, _API_KEYS.c.revoked_at).where(_API_KEYS.c.revoked_at.is_not(None))
            revoked = [(key_id, moment) for key_id, moment in connection.execute(ended)]
        renewed: list[RenewedKey] = []
        if {_API_KEYS.name, _AUDIT.name} <= there:
            renewed = [RenewedKey(*row) for row in connection.execute(_RENEWED)]
        destroyed: list[str] = []
        if _DATA_KEYS.name in there:
            gone = select(_DATA_KEYS.c.workspace_id).where(_DATA_KEYS.c.destroyed_at.is_not(None))
            destroyed = sorted(set(connection.execute(gone).scalars()))
    return EndedRights(tuple(revoked), tuple(renewed), tuple(destroyed))


def end_again(connection: Connection, ended: EndedRights) -> int:
    """End in what was restored what had ended before it; return how many keys that are."""
    count = 0
    for key_id, moment in ended.revoked:
        mine = _API_KEYS.c.id == key_id, _API_KEYS.c.revoked_at.is_(None)
        count += connection.execute(update(_API_KEYS).where(*mine).values(revoked_at=moment)).rowcount
    audited = inspect(connection).has_table(_AUDIT.name)
    for key in ended.renewed:
        former = _API_KEYS.c.id == key.id, _API_KEYS.c.hash != key.hash, _API_KEYS.c.revoked_at.is_(None)
        known = _IS_RENEWAL & (_AUDIT.c.subject == key.id) & (_AUDIT.c.at >= key.at)
        if audited and connection.execute(select(_AUDIT.c.id).where(known)).first() is not None:
            continue  # The backup is of later, and what it holds is the newer secret.
        newer = update(_API_KEYS).where(*former).values(hash=key.hash, hint=key.hint)
        count += connection.execute(newer).rowcount
    there = inspect(connection).has_table(_DATA_KEYS.name)
    gone: dict[str, Any] = {"wrapped": b"", "destroyed_at": now()}
    for workspace_id in ended.destroyed if there else ():
        mine = _DATA_KEYS.c.workspace_id == workspace_id, _DATA_KEYS.c.destroyed_at.is_(None)
        count += connection.execute(update(_DATA_KEYS).where(*mine).values(gone)).rowcount
    return count
