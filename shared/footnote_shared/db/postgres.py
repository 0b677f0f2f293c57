"""A connection to PostgreSQL on which no statement waits for ever.

The server's own limit (`statement_timeout`) ends a statement that is slow. A server that is frozen, or whose
machine has gone, cannot count; the client then stops waiting and closes the connection. Keep-alives of TCP do
not help there: the kernel of a frozen server goes on answering them.
"""

from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen
from sqlalchemy import Connection, Engine, event

CONNECT_S = 2
"""The time to connect, in whole seconds, as libpq counts it."""

_GRACE_S = 0.5
"""How much later the client gives up than the server, whose answer says more."""

Answer = TypeVar("Answer")


class ImpatientConnection(psycopg.Connection[Any]):
    """Waits `answer_s` seconds for the server, and closes itself if nothing has come. None waits for ever."""

    answer_s: float | None = None

    def wait(self, gen: PQGen[Answer], interval: float = 0.1, timeout: float | None = None) -> Answer:
        limits = [limit for limit in (timeout, self.answer_s) if limit is not None]
        try:
            return super().wait(gen, interval=interval, timeout=min(limits) if limits else None)
        except psycopg.OperationalError as error:
            # The library's own error for a wait that ran out has no public name, and no state of SQL either.
            if self.answer_s is not None and error.sqlstate is None:
                self.pgconn.finish()
            raise


def bound_statements(engine: Engine, answer_s: float) -> None:
    """Give each connection of the engine its limits: `answer_s` seconds for a statement."""

    @event.listens_for(engine, "do_connect")
    def connect(dialect: object, record: object, given: list[Any], named: dict[str, Any]) -> Any:
        connection = ImpatientConnection.connect(*given, **{"connect_timeout": CONNECT_S, **named})
        connection.answer_s = answer_s + _GRACE_S
        return connection

    @event.listens_for(engine, "connect")
    def on_connect(connection: ImpatientConnection, record: object) -> None:
        _set_limit(connection, answer_s)


def lift_limits(connection: Connection) -> None:
    """Let the statements of this connection take as long as they need; it does not go back to the pool."""
    driver = connection.connection.driver_connection
    connection.detach()
    if isinstance(driver, ImpatientConnection):
        _set_limit(driver, 0)
        driver.answer_s = None


def _set_limit(connection: ImpatientConnection, seconds: float) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET statement_timeout = {round(seconds * 1000)}")
    connection.commit()
