"""Holding one row while a worker works on it, as documents are held (docs/adr/0001).

What a worker has done counts only if the row still carries its token at the commit. So whoever was paused for
longer than a lease, or whose work was cancelled meanwhile, changes nothing.
"""

from collections.abc import Collection, Mapping
from datetime import timedelta
from types import TracebackType
from typing import ClassVar, Generic, Self, TypeVar

from sqlalchemy import ColumnElement, and_, or_, update
from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from footnote_ingest.store.leased_row import LeasedRow, key_of
from footnote_ingest.work.policy import WorkPolicy
from footnote_ingest.work.resources import WorkResources
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)

Row = TypeVar("Row", bound=LeasedRow)


class WorkLost(Exception):
    """The row is no longer ours: it was taken over, cancelled or removed. Our work on it is dropped."""


class RowLease(Generic[Row]):
    """One row in the hands of one worker. A heartbeat holds it while the `with` block runs.

    `taken` is the row as it was when it was taken.
    """

    named: ClassVar[str]
    """What the row is called in the log, which says `subject` of it."""

    def __init__(self, work: WorkResources, taken: Row, row_id: str) -> None:
        assert taken.lease_token is not None, "a row that was taken has a token"
        self.taken = taken
        self.table = type(taken)
        self.token = taken.lease_token
        self.lost = False
        """Whether the row is no longer ours, as far as is known."""
        self._work = work
        self._id = row_id

    def __enter__(self) -> Self:
        self._work.renewer.add(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._work.renewer.remove(self)

    @property
    def subject(self) -> Mapping[str, object]:
        """Which row it is, as the log says it."""
        return {self.named: self._id}

    def held_ids(self) -> set[str]:
        """The row, unless it is lost."""
        return set() if self.lost else {self._id}

    def lose(self, ids: Collection[str]) -> None:
        """The row is lost if it is among `ids`. Whoever works finds out at the next commit."""
        self.lost = self.lost or self._id in ids

    def missed(self, reason: str) -> None:
        """A heartbeat did not come through. The next one may."""
        _log.warning(f"{self.named}.heartbeat_missed", reason=reason, **self.subject)

    def keep(self) -> None:
        """Hold it for as long again. Raises WorkLost if it is no longer ours."""
        with self._work.database.write() as session:
            self.hold_on(session, self.own(session))

    def own(self, session: WriteSession) -> Row:
        """The row, locked. Raises WorkLost if it is no longer ours."""
        ours = and_(key_of(self.table) == self._id, col(self.table.lease_token) == self.token)
        row = session.exec(select(self.table).where(ours).with_for_update()).first()
        if row is None:
            self.lost = True
            raise WorkLost
        return row

    def hold_on(self, session: WriteSession, row: Row) -> None:
        """Hold the row for as long again, unless we have just let go of it."""
        if row.lease_token is not None:
            row.lease_until = now() + self._work.policy.lease
        session.add(row)


def take_row(work: WorkResources, session: WriteSession, wanted: SelectOfScalar[Row]) -> Row | None:
    """Take the first row that is wanted, and count the try. None if there is none that nobody else takes."""
    row = session.exec(wanted.with_for_update(skip_locked=True)).first()
    if row is None:
        return None
    row.attempts += 1
    row.lease_token, row.lease_until = f"{work.worker}:{new_id()}", now() + work.policy.lease
    session.add(row)
    return row


def lost_hint(table: type[LeasedRow], policy: WorkPolicy, *, idle: bool) -> ColumnElement[bool]:
    """Rows whose hint or worker is lost, or seems to be. With `idle` their queue is empty.

    A hint too many does no harm.
    """
    sent = col(table.dispatched_at)
    late = now() - (timedelta(seconds=policy.sweep_s) if idle else policy.lease)
    return or_(
        col(table.lease_until).is_not(None),
        sent.is_(None),
        sent < col(table.available_at),
        sent <= late,
        sent > now() + table.longest_ahead,
    )


def release_rows_of(database: Database, table: type[LeasedRow], worker: str) -> int:
    """Let go of the rows that this worker holds, and return how many. A worker calls this as it starts and
    as it stops."""
    with database.write() as session:
        mine = col(table.lease_token).startswith(f"{worker}:", autoescape=True)
        return session.exec(update(table).where(mine).values(lease_token=None, lease_until=now())).rowcount
