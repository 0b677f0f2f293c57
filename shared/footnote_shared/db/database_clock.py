"""The clock of the database, by which every process goes (docs/adr/0099)."""

import math
import time
from collections.abc import Callable
from datetime import datetime

from sqlalchemy import Connection, Engine, text
from sqlmodel import Session

from footnote_shared.kernel.clock import APART, PROCESS_CLOCK, UTC, ProcessClock
from footnote_shared.telemetry.logs import logger

READ_EACH_S = 60.0
"""A process reads the clock of its database again after so many seconds, in case that one was set."""

_ON_SQLITE = text("SELECT strftime('%Y-%m-%dT%H:%M:%f', 'now')")
_ON_POSTGRESQL = text("SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS')")
_log = logger(__name__)


def database_now(session: Session) -> datetime:
    """The time of the database at this moment, whichever clock the process has. It costs a statement."""
    return _read(session.connection())


class ClockReader:
    """Keeps the clock of a process by that of a database.

    It reads each `READ_EACH_S` seconds, and at once when the clock of the machine was set: that clock and the
    seconds of `tick`, which nobody sets, then go apart.
    """

    def __init__(
        self,
        engine: Engine,
        clock: ProcessClock = PROCESS_CLOCK,
        tick: Callable[[], float] = time.monotonic,
    ) -> None:
        self._engine = engine
        self._clock = clock
        self._tick = tick
        self._read_at = -math.inf
        self._zero_then = 0.0

    def read_when_due(self) -> None:
        """Read the clock of the database if that is due. Threads that come at once may all read it."""
        is_late = self._tick() >= self._read_at + READ_EACH_S
        if not is_late and abs(self._zero() - self._zero_then) < APART.total_seconds():
            return
        with self._engine.connect() as connection:
            began, asked_at = self._tick(), self._clock.machine()
            told = _read(connection)
            took_s = self._tick() - began
        changed = self._clock.learn(told, asked_at, took_s)
        self._read_at, self._zero_then = began, asked_at.timestamp() - began
        if changed:
            _log.warning(
                "clock.corrected",
                machine_ahead_s=round(-self._clock.behind.total_seconds()),
                advice="Set the clocks of this machine and of the database. This process goes by the latter.",
            )

    def _zero(self) -> float:
        """When `tick` was zero, by the clock of the machine. It stays what it is until that clock is set."""
        return self._clock.machine().timestamp() - self._tick()


def _read(connection: Connection) -> datetime:
    asked = _ON_SQLITE if connection.dialect.name == "sqlite" else _ON_POSTGRESQL
    return datetime.fromisoformat(connection.execute(asked).scalar_one()).replace(tzinfo=UTC)
