"""A sample of what people search for, by which versions of a lane are compared (spec 3.8).

Nothing is kept of a workspace that has not set the flag `record_queries`. Of others a few queries are kept,
for some days, and nobody is shown them: the comparison gives numbers alone. Who asked is not kept.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

from sqlmodel import col, delete, func, select

from footnote_ingest.parsing.elements import storable
from footnote_ingest.store.lane_tables import RecordedQueryRow
from footnote_shared.db.engine import Database, ReadSession, WriteSession, lock_for_transaction
from footnote_shared.db.flag_overrides import overrides_of
from footnote_shared.db.key_tables import WorkspaceKeyRow
from footnote_shared.kernel.clock import now
from footnote_shared.security.keyring import KeyDestroyed
from footnote_shared.settings.base import Settings

MOST_OF_WORKSPACE = 200
"""Queries that are kept of a workspace. One more takes the place of one by chance: the newest of some days
are there beside older ones."""

_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class RecordedQueries:
    """`by_default` holds for a workspace that has not set the flag. A query is kept for `keep`."""

    by_default: bool = False
    keep: timedelta = timedelta(days=14)

    @classmethod
    def from_settings(cls, settings: Settings) -> "RecordedQueries":
        """As the operator has set it."""
        return cls(settings.record_queries, timedelta(days=settings.recorded_queries_days))

    def record(self, session: WriteSession, workspace_id: str, query: str) -> bool:
        """Keep a query; return False where the workspace does not allow it."""
        if not self._allowed(session, workspace_id):
            return False
        lock_for_transaction(session, "recorded_queries", workspace_id)
        row = RecordedQueryRow(workspace_id=workspace_id, query=storable(query))
        session.add(row)
        session.flush()
        mine = col(RecordedQueryRow.workspace_id) == workspace_id
        count = session.exec(select(func.count()).select_from(RecordedQueryRow).where(mine)).one()
        if count > MOST_OF_WORKSPACE:
            others = select(RecordedQueryRow.id).where(mine, col(RecordedQueryRow.id) != row.id)
            chosen = others.order_by(func.random()).limit(count - MOST_OF_WORKSPACE)
            _drop(session, list(session.exec(chosen)))
        return True

    def some(self, database: Database, most: int) -> list[tuple[str, str]]:
        """At most this many queries that are kept, each once, with their workspaces, which have equal shares.

        What cannot be read any more, because the key of its workspace was destroyed, is left out.
        """
        with database.read() as session:
            kept = select(RecordedQueryRow.workspace_id).distinct().order_by(RecordedQueryRow.workspace_id)
            workspaces = [one for one in session.exec(kept) if self._allowed(session, one)][:most]
        found: dict[tuple[str, str], None] = {}
        for workspace_id in workspaces:
            statement = select(RecordedQueryRow).where(
                col(RecordedQueryRow.workspace_id) == workspace_id,
                col(RecordedQueryRow.asked_at) > now() - self.keep,
            )
            try:
                with database.read() as session:
                    chosen = statement.order_by(func.random()).limit(most // len(workspaces))
                    rows = list(session.exec(chosen))
            except KeyDestroyed:
                continue
            found.update(dict.fromkeys((row.query, workspace_id) for row in rows))
        return list(found)

    def forget(self, database: Database) -> int:
        """Drop what is older, and all of workspaces that allow it no more; return how many."""
        with database.read() as session:
            kept = list(session.exec(select(RecordedQueryRow.workspace_id).distinct()))
            destroyed = select(WorkspaceKeyRow.workspace_id).where(
                col(WorkspaceKeyRow.destroyed_at).is_not(None)
            )
            gone = set(session.exec(destroyed))
            refused = [one for one in kept if one in gone or not self._allowed(session, one)]
        dropped = 0
        while count := self._forget_some(database, refused):
            dropped += count
        return dropped

    def _forget_some(self, database: Database, refused: Collection[str]) -> int:
        with database.write() as session:
            old = col(RecordedQueryRow.asked_at) <= now() - self.keep
            unwanted = old | col(RecordedQueryRow.workspace_id).in_(refused)
            return _drop(
                session, list(session.exec(select(RecordedQueryRow.id).where(unwanted).limit(_AT_ONCE)))
            )

    def _allowed(self, session: ReadSession | WriteSession, workspace_id: str) -> bool:
        return bool(overrides_of(session, workspace_id).values.get("record_queries", self.by_default))


NONE_RECORDED = RecordedQueries()
"""As where the operator has set nothing."""


def _drop(session: WriteSession, ids: Collection[str]) -> int:
    gone = delete(RecordedQueryRow).where(col(RecordedQueryRow.id).in_(ids))
    session.exec(gone.execution_options(synchronize_session=False))
    return len(ids)
