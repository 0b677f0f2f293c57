"""What a process whose clock is ahead has written of connectors: nobody waits for its own day."""

from datetime import timedelta

import pytest

from footnote_ingest.connectors.apply import apply_changes
from footnote_ingest.connectors.inbox import SaidChange, take_hook
from footnote_ingest.connectors.signatures import SignedHook
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.store.connector_tables import ConnectorChangeRow, ConnectorRow
from footnote_shared.kernel.clock import now
from tests.integration.ingest.connecting import Connecting
from tests.integration.ingest.workshop import Workshop


@pytest.fixture
def made(sqlite_workshop: Workshop) -> Connecting:
    """SQLite alone; `test_connectors_on_both.py` has what differs on PostgreSQL."""
    return Connecting(sqlite_workshop)


@pytest.mark.parametrize(("ahead", "taken"), [(timedelta(days=1), True), (timedelta(minutes=30), False)])
def test_a_change_that_was_put_back(made: Connecting, ahead: timedelta, taken: bool) -> None:
    made.change(kind="push")
    with made.workshop.database.write() as session:
        row = session.get(ConnectorRow, made.id)
        assert row is not None
        change = SaidChange("a", '{"id": "a", "text": "Tried once."}', now())
        take_hook(session, Dispatcher(made.workshop.celery), row, SignedHook("1", now()), change)
    with made.workshop.database.write() as session:
        waiting = session.get(ConnectorChangeRow, (made.id, "a"))
        assert waiting is not None
        session.add(waiting.sqlmodel_update({"attempts": 1, "available_at": now() + ahead}))
    assert made.sweep().changes == taken
    assert apply_changes(made.workshop.work(), made.resources, made.id) == taken
    assert made.texts() == ({"a": "Tried once."} if taken else {})


@pytest.mark.parametrize(
    ("schedule", "due_in", "failures", "begun"),
    [
        (timedelta(minutes=10), timedelta(days=1, minutes=10), 0, 1),
        (timedelta(minutes=10), timedelta(days=2, minutes=10), 8, 1),
        (timedelta(minutes=10), timedelta(minutes=10), 0, 0),
        (timedelta(minutes=10), timedelta(days=1), 8, 0),
        (timedelta(days=7), timedelta(days=7), 0, 0),
    ],
)
def test_a_sync_is_due_no_later_than_its_schedule_or_its_failures_say(
    made: Connecting, schedule: timedelta, due_in: timedelta, failures: int, begun: int
) -> None:
    made.change(schedule_s=int(schedule.total_seconds()), due_at=now() + due_in, failures=failures)
    assert made.sweep().begun == begun
