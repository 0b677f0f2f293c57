"""One look at what is being deleted: what it works with, what it has found, and when its slice is over.

A whole workspace is erased so, and a single avatar.
"""

from collections.abc import Callable
from dataclasses import dataclass

from redis import Redis

from footnote_ingest.pipeline.lane_index import LaneIndex
from footnote_ingest.work.resources import WorkResources
from footnote_shared.blobs.protocol import BlobStore
from footnote_shared.db.engine import WriteSession
from footnote_shared.db.tables import DeletionRow
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.stream_servers import StreamServers


class SliceOver(Exception):
    """Others wait for the worker: the next slice goes on."""


class StillAtWork(Exception):
    """Other workers remove some of it at this moment: the next look is soon."""


@dataclass(frozen=True, slots=True)
class EraseResources:
    """What erasing needs beside SQL."""

    blobs: BlobStore
    lane: LaneIndex
    facts: LaneIndex
    redis: Redis
    streams: StreamServers[Redis]


class Erasure:
    """One look at the subject of a deletion, which has its receipt in the table `kind`.

    `looks` is the number of those before it, and `over` whether its slice is over.
    """

    def __init__(
        self,
        work: WorkResources,
        resources: EraseResources,
        kind: type[DeletionRow],
        subject_id: str,
        looks: int,
        over: Callable[[], bool],
    ) -> None:
        self.work = work
        self.resources = resources
        self.subject_id = subject_id
        self.found = False
        self._kind = kind
        self._looks = looks
        self._over = over

    def check_slice(self) -> None:
        """Raises SliceOver when it is time to let others work."""
        if self._over():
            raise SliceOver

    def scrub(self, session: WriteSession) -> None:
        """Have SQLite overwrite what it deletes. PostgreSQL does so when it cleans up."""
        if self.work.database.is_sqlite:
            session.connection().exec_driver_sql("PRAGMA secure_delete=ON")

    def note_rows(self, session: WriteSession, table: str, count: int) -> None:
        """Add to the receipt the rows that this transaction removes."""
        row = self._row(session)
        if count:
            by_table = row.removed.get("rows", {})
            row.removed = row.removed | {"rows": {**by_table, table: by_table.get(table, 0) + count}}
            self.found = True
        session.add(row)

    def note(self, session: WriteSession, **counts: int) -> None:
        """Add to the receipt what this transaction removes, or what was just removed elsewhere."""
        row = self._row(session)
        row.removed = row.removed | {name: row.removed.get(name, 0) + count for name, count in counts.items()}
        self.found = self.found or any(counts.values())
        session.add(row)

    def note_found(self, **counts: int) -> None:
        """Note what is about to be removed from a store that has no transactions.

        A look that was killed finds less the next time, so the larger count stays. Later looks add to it.
        """
        if not any(counts.values()):
            return
        self.found = True
        with self.work.database.write() as session:
            row = self._row(session)
            first = self._looks == 0
            row.removed = row.removed | {
                name: max(row.removed.get(name, 0), count) if first else row.removed.get(name, 0) + count
                for name, count in counts.items()
            }
            session.add(row)

    def note_gone(self, **counts: int) -> None:
        """Add to the receipt what has just been removed."""
        if any(counts.values()):
            with self.work.database.write() as session:
                self.note(session, **counts)

    def running_turns(self) -> list[str]:
        """The turns that ran when their rows went."""
        with self.work.database.read() as session:
            row = session.get(self._kind, self.subject_id)
        return [] if row is None else list(row.turns)

    def note_turns(self, session: WriteSession, turns: list[str]) -> None:
        """Remember turns that still run, and whose streams may be written to once more."""
        row = self._row(session)
        row.turns = sorted({*row.turns, *turns})
        session.add(row)

    def _row(self, session: WriteSession) -> DeletionRow:
        row = session.get(self._kind, self.subject_id, with_for_update=True)
        assert row is not None, "a receipt stays"
        row.lease_until = now() + self.work.policy.lease
        return row
