"""Keys that were revoked or destroyed since a backup: a restore over the same system brings none back."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, inspect, select, update
from sqlmodel import SQLModel

from footnote_shared.db.engine import Database
from footnote_shared.db.key_tables import WorkspaceKeyRow
from footnote_shared.db.tables import ApiKeyRow
from footnote_shared.kernel.clock import now

_API_KEYS = SQLModel.metadata.tables[str(ApiKeyRow.__tablename__)]
_DATA_KEYS = SQLModel.metadata.tables[str(WorkspaceKeyRow.__tablename__)]


@dataclass(frozen=True, slots=True)
class EndedRights:
    """When each API key was revoked, by its id, and the workspaces whose data keys were destroyed."""

    revoked: tuple[tuple[str, datetime], ...] = ()
    destroyed: tuple[str, ...] = ()


def ended_rights(database: Database) -> EndedRights:
    """What has ended in the system as it is."""
    there = set(inspect(database.engine).get_table_names())
    with database.read() as session:
        connection = session.connection()
        revoked: list[tuple[str, datetime]] = []
        if _API_KEYS.name in there:
            ended = select(_API_KEYS.c.id, _API_KEYS.c.revoked_at).where(_API_KEYS.c.revoked_at.is_not(None))
            revoked = [(key_id, moment) for key_id, moment in connection.execute(ended)]
        destroyed: list[str] = []
        if _DATA_KEYS.name in there:
            gone = select(_DATA_KEYS.c.workspace_id).where(_DATA_KEYS.c.destroyed_at.is_not(None))
            destroyed = sorted(set(connection.execute(gone).scalars()))
    return EndedRights(tuple(revoked), tuple(destroyed))


def end_again(connection: Connection, ended: EndedRights) -> int:
    """End in what was restored what had ended before it; return how many keys that are."""
    count = 0
    for key_id, moment in ended.revoked:
        mine = _API_KEYS.c.id == key_id, _API_KEYS.c.revoked_at.is_(None)
        count += connection.execute(update(_API_KEYS).where(*mine).values(revoked_at=moment)).rowcount
    there = inspect(connection).has_table(_DATA_KEYS.name)
    gone: dict[str, Any] = {"wrapped": b"", "destroyed_at": now()}
    for workspace_id in ended.destroyed if there else ():
        mine = _DATA_KEYS.c.workspace_id == workspace_id, _DATA_KEYS.c.destroyed_at.is_(None)
        count += connection.execute(update(_DATA_KEYS).where(*mine).values(gone)).rowcount
    return count
