"""Tidying up what connectors leave behind: events that cannot come again, old reports, deleted connectors."""

from datetime import timedelta

from sqlalchemy import tuple_
from sqlmodel import col, delete, select

from footnote_ingest.store.connector_tables import ConnectorEventRow, ConnectorRow, ConnectorRunRow
from footnote_shared.db.engine import Database
from footnote_shared.kernel.clock import now

EVENTS_KEPT = timedelta(days=7)
"""How long an event of a web hook is known. Most senders sign a moment, which is good for minutes. GitHub
signs none, and repeats a delivery only within days."""

REPORTS_KEPT = timedelta(days=90)
DELETED_CONNECTORS_KEPT = timedelta(days=30)
_AT_ONCE = 500


def tidy_connectors(database: Database) -> None:
    """Tidy up once, in portions, since a statement has a limit of time."""
    while _forget_events(database) == _AT_ONCE:
        continue
    while _forget_reports(database) == _AT_ONCE:
        continue
    while _forget_connectors(database) == _AT_ONCE:
        continue


def _forget_events(database: Database) -> int:
    key = (col(ConnectorEventRow.connector_id), col(ConnectorEventRow.event_id))
    with database.write() as session:
        old = select(*key).where(col(ConnectorEventRow.received_at) < now() - EVENTS_KEPT).limit(_AT_ONCE)
        return session.exec(delete(ConnectorEventRow).where(tuple_(*key).in_(old))).rowcount


def _forget_reports(database: Database) -> int:
    """Drop old reports; which items are there does not depend on them."""
    with database.write() as session:
        old = (
            select(ConnectorRunRow.id)
            .where(col(ConnectorRunRow.ended_at) < now() - REPORTS_KEPT)
            .limit(_AT_ONCE)
        )
        ids = list(session.exec(old))
        session.exec(delete(ConnectorRunRow).where(col(ConnectorRunRow.id).in_(ids)))
    return len(ids)


def _forget_connectors(database: Database) -> int:
    """Drop the rows of connectors that were deleted long ago, with all that hangs on them."""
    with database.write() as session:
        gone = col(ConnectorRow.deleted_at) < now() - DELETED_CONNECTORS_KEPT
        ids = list(session.exec(select(ConnectorRow.id).where(gone).limit(_AT_ONCE)))
        session.exec(delete(ConnectorRow).where(col(ConnectorRow.id).in_(ids)))
    return len(ids)
