"""A process whose clock is not that of the database removes nothing because it is old."""

from datetime import timedelta
from functools import partial

import pytest

from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.maintenance.clock_check import may_judge_ages
from footnote_ingest.maintenance.sweep import sweep
from footnote_ingest.maintenance.tidy import tidy
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.kernel.clock import now
from footnote_testing.wrong_clock import wrong_clock
from tests.integration.ingest.workshop import Workshop


@pytest.mark.parametrize(
    ("ahead", "agrees"),
    [
        (timedelta(), True),
        (timedelta(minutes=5), True),
        (timedelta(minutes=-5), True),
        (timedelta(days=1), False),
        (timedelta(days=-1), False),
    ],
)
def test_a_clock_may_differ_from_that_of_the_database_by_minutes(
    workshop: Workshop, ahead: timedelta, agrees: bool
) -> None:
    with wrong_clock(ahead):
        assert may_judge_ages(workshop.database) is agrees


def test_the_tombstone_of_a_document_is_left_to_a_process_with_the_right_clock(
    sqlite_workshop: Workshop,
) -> None:
    shop = sqlite_workshop
    gone = shop.accept("gone.txt", "One.")
    shop.run_all()
    shop.delete(gone.id)
    shop.run_all()
    shop.set(gone.id, deleted_at=now() - timedelta(days=31))
    tidied = partial(tidy, shop.work(), shop.remove_resources)
    with wrong_clock(timedelta(days=1)):
        tidied()
    assert _known(shop, gone.id)
    tidied()
    assert not _known(shop, gone.id)


def test_an_upload_of_a_session_is_left_to_a_process_with_the_right_clock(sqlite_workshop: Workshop) -> None:
    shop = sqlite_workshop
    upload = shop.accept("inn.txt", "One.")
    shop.run_all()
    shop.set(upload.id, expires_at=now() - timedelta(seconds=1))
    swept = partial(sweep, shop.database, Dispatcher(shop.celery), shop.policy, lambda queue: 0)
    with wrong_clock(timedelta(days=1)):
        swept()
    assert shop.row(upload.id).status == "indexed"
    swept()
    assert shop.row(upload.id).status == "deleting"


def _known(shop: Workshop, document_id: str) -> bool:
    with shop.database.read() as session:
        return session.get(DocumentRow, document_id) is not None
