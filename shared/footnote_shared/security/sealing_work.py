"""The work in the background that brings what is stored into the form of today (spec 7.3).

Where encryption was switched on it encrypts what is there, after a new data key it encrypts anew, and where
it was switched off it decrypts. A table goes row by row in the order of its key: the rows of a portion and
how far it came are one transaction, so that a process may be killed at any point. A pass that changed
something is followed by another one, until one finds nothing.
"""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol

from anyio import to_thread
from sqlalchemy import func, select, tuple_, update
from sqlmodel import SQLModel

from footnote_shared.db.awaited_moments import LONGEST_LEASE, is_over
from footnote_shared.db.engine import Database, WriteSession
from footnote_shared.db.key_tables import SealingRow, WorkspaceKeyRow
from footnote_shared.db.sealed_rows import SEALED, SealedColumns
from footnote_shared.kernel.asyncio_tasks import end_tasks
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import FootnoteError, OurFault
from footnote_shared.kernel.text import text_hash
from footnote_shared.security.keyring import KeyDestroyed, Keyring, key_id_of
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)

ROWS = 200
"""Rows of a portion: a transaction over them takes milliseconds."""

_PAUSE_S = 0.05
_IDLE_S = 30.0
_ENDS_WITHIN_S = 5.0
_HELD = timedelta(seconds=60)
_KEYS = SQLModel.metadata.tables[str(WorkspaceKeyRow.__tablename__)]


@dataclass(frozen=True, slots=True)
class DonePortion:
    """What a step has done: where it goes on, None at the end, and how much it changed."""

    after: str | None
    changed: int


class Step(Protocol):
    """Something stored that is no table, such as blobs. A portion may be done twice."""

    name: str

    def portion(self, after: str | None) -> DonePortion:
        """Bring some of it into the form of today, from the place where the last portion ended. Blocks."""
        ...


@asynccontextmanager
async def sealing(
    database: Database, steps: Sequence[Step] = (), *, tables: Sequence[SealedColumns] = ()
) -> AsyncIterator[None]:
    """Do the work beside the block, where anything is or was encrypted."""
    keyring = database.sealer
    if not isinstance(keyring, Keyring) or not keyring.has_master:
        yield
        return
    task = asyncio.create_task(SealingWork(database, keyring, tables, steps).run())
    try:
        yield
    finally:
        await end_tasks({task}, _ENDS_WITHIN_S)


class SealingWork:
    """Goes over the tables and the further steps of one process. Several processes may do so at once."""

    def __init__(
        self,
        database: Database,
        keyring: Keyring,
        tables: Sequence[SealedColumns],
        steps: Sequence[Step] = (),
        *,
        rows: int = ROWS,
    ) -> None:
        """`rows`: how many of a table one transaction goes over."""
        self._rows = rows
        self._database = database
        self._keyring = keyring
        self._tables = tuple(tables)
        self._steps = tuple(steps)

    async def run(self) -> None:
        """Work until cancelled. What cannot be done now is tried again later."""
        while True:
            try:
                busy = await to_thread.run_sync(self.once)
            except FootnoteError as error:
                _log.warning("sealing.waits", reason=error.detail)
                busy = False
            await asyncio.sleep(_PAUSE_S if busy else _IDLE_S)

    def once(self) -> bool:
        """One portion of everything that is not done yet. False when all is done."""
        goal = self._goal()
        if goal is None:
            return False
        busy = False
        for table in self._tables:
            busy = self._table_portion(table, goal) or busy
        for step in self._steps:
            busy = self._step_portion(step, goal) or busy
        return busy

    def _goal(self) -> str | None:
        """What all is to become. It changes with the setting, and with each new data key of a workspace.

        None where nothing was ever encrypted, and nothing is to be.
        """
        with self._database.read() as session:
            count = select(func.count(), func.count(func.distinct(_KEYS.c.workspace_id))).select_from(_KEYS)
            keys, workspaces = session.connection().execute(count).one()
        if not self._keyring.seals:
            return "plain" if keys else None
        return f"sealed/{keys - workspaces}"

    def _table_portion(self, columns: SealedColumns, goal: str) -> bool:
        name = columns.table.name
        if self._is_done(name, goal):
            return False
        with self._database.write(gives_way=True) as session:
            if self._database.is_sqlite:
                # What a row held before is overwritten, and not only forgotten.
                session.connection().exec_driver_sql("PRAGMA secure_delete=ON")
            row = _begun(session, name, goal)
            found = _next_rows(session, columns, row.after, self._rows)
            changes = [change for one in found if (change := self._changed(session, columns, one))]
            for key, values in changes:
                mine = [
                    columns.table.c[column] == value for column, value in zip(columns.key, key, strict=True)
                ]
                session.connection().execute(update(columns.table).where(*mine).values(values))
            last = [found[-1][column] for column in columns.key] if len(found) == self._rows else None
            finished = _noted(
                session, row, DonePortion(None if last is None else json.dumps(last), len(changes))
            )
        if finished:
            overwrite_log(self._database)
        return True

    def _is_done(self, name: str, goal: str) -> bool:
        with self._database.read() as session:
            row = session.get(SealingRow, name)
            return row is not None and row.done_for == goal

    def _step_portion(self, step: Step, goal: str) -> bool:
        if self._is_done(step.name, goal):
            return False
        with self._database.write() as session:
            row = _begun(session, step.name, goal)
            if not is_over(row.lease_until, LONGEST_LEASE):
                return False
            row.lease_until = now() + _HELD
            after = row.after
        try:
            portion = step.portion(after)
        except FootnoteError:
            self._let_go(step.name)
            raise
        with self._database.write() as session:
            row = _begun(session, step.name, goal)
            row.lease_until = None
            _noted(session, row, portion)
        return True

    def _let_go(self, name: str) -> None:
        with self._database.write() as session:
            row = session.get(SealingRow, name)
            if row is not None:
                row.lease_until = None
                session.add(row)

    def _changed(
        self, session: WriteSession, columns: SealedColumns, row: dict[str, Any]
    ) -> tuple[list[Any], dict[str, Any]] | None:
        """The key of a row and what it has to become; None where it is as it should be."""
        owner, sealed = row["__owner"], row[SEALED]
        if owner is None:
            return None
        key = [row[name] for name in columns.key]
        connection = session.connection()
        try:
            if not self._keyring.seals:
                return None if sealed is None else (key, self._plain(session, columns, key, row))
            data_key = self._keyring.sealing_key(connection, owner)
            if sealed is not None and key_id_of(bytes(sealed)) == data_key.id:
                return None
            values = {**row}
            if sealed is None:
                values.update({name: data_key.keyed(row[name]) for name in columns.hashes if row[name]})
            else:
                values.update(columns.opened(session, key, sealed, owner))
        except KeyDestroyed:
            # What was encrypted stays as it is, unreadable. What was not goes the same way.
            emptied = None if sealed is not None else _emptied(columns, row)
            return None if emptied is None else (key, emptied)
        except OurFault as fault:
            # One that is damaged must not keep all others as they are.
            _log.warning("sealing.unreadable", table=columns.table.name, key=key, reason=fault.detail)
            return None
        stored = columns.sealed_row(data_key, values)
        return key, {name: stored[name] for name in (*columns.fields, *columns.hashes, SEALED)}

    def _plain(
        self, session: WriteSession, columns: SealedColumns, key: list[Any], row: dict[str, Any]
    ) -> dict[str, Any]:
        content = columns.opened(session, key, row[SEALED], row["__owner"])
        hashes = {
            name: text_hash(content[field])
            for name, field in columns.hashes.items()
            if content[field] is not None and name not in columns.key
        }
        return {**content, **hashes, SEALED: None}


def overwrite_log(database: Database) -> None:
    """Write the log of SQLite anew: until then it keeps pages of before. Nothing on PostgreSQL."""
    if database.is_sqlite:
        connection = database.engine.raw_connection()
        try:
            connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            connection.close()


def _begun(session: WriteSession, name: str, goal: str) -> SealingRow:
    """How far the work has come, from the start for another goal."""
    row = session.get(SealingRow, name, with_for_update=True) or SealingRow(name=name)
    if row.goal != goal:
        row.goal, row.after, row.changed, row.changed_in_pass = goal, None, 0, 0
    session.add(row)
    return row


def _noted(session: WriteSession, row: SealingRow, portion: DonePortion) -> bool:
    """Note a portion. True when a whole pass has found nothing to change."""
    row.changed += portion.changed
    row.updated_at = now()
    row.after = portion.after
    row.changed_in_pass += portion.changed
    finished = portion.after is None and row.changed_in_pass == 0
    if portion.after is None:
        row.changed_in_pass = 0
    if finished:
        row.done_for = row.goal
    session.add(row)
    return finished


def _next_rows(
    session: WriteSession, columns: SealedColumns, after: str | None, most: int
) -> list[dict[str, Any]]:
    table = columns.table
    key = [table.c[name] for name in columns.key]
    shown = [
        table.c[name] for name in dict.fromkeys((*columns.key, *columns.fields, *columns.hashes, SEALED))
    ]
    query = select(*shown, columns.owner.label("__owner")).order_by(*key).limit(most)
    if after is not None:
        query = query.where(tuple_(*key) > tuple_(*json.loads(after)))
    found = session.connection().execute(query.with_for_update(of=table)).mappings()
    return [dict(row) for row in found]


def _emptied(columns: SealedColumns, row: dict[str, Any]) -> dict[str, Any] | None:
    """Nothing in place of the content, and no hash of it that guesses fit; None where there is none."""
    texts = {name: type(row[name])() for name in columns.fields if row[name]}
    if not texts:
        return None
    return texts | {name: secrets.token_hex(16) for name in columns.hashes if row[name]}
