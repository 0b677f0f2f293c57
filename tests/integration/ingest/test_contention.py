"""Deleting while workers commit: nobody is refused, and nobody waits for each other in a circle."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import text

from footnote_ingest.documents.delete import delete_documents, delete_folder
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.store import documents, folders
from footnote_ingest.store.tables import TimelineRow
from footnote_ingest.work import stages
from footnote_ingest.work.take import take
from footnote_shared.db.engine import Database, WriteSession
from footnote_testing.eventually import LIMIT_S, eventually
from tests.integration.ingest.workshop import PARSING, Workshop


def somebody_waits(database: Database) -> bool:
    """Whether a transaction waits for a lock. SQLite has one writer at a time: there they always do."""
    if database.is_sqlite:
        return True
    with database.read() as session:
        waiting = session.execute(text("SELECT count(*) FROM pg_locks WHERE NOT granted")).scalar_one()
    return bool(waiting)


def timeline_of(workshop: Workshop, document_id: str) -> list[TimelineRow]:
    with workshop.database.read() as session:
        return documents.timeline(session, document_id)


def test_a_folder_is_deleted_while_a_worker_commits_a_stage(workshop: Workshop) -> None:
    document = workshop.accept("a.txt", "One.", folder="/f")
    work = workshop.work()

    def delete() -> None:
        with workshop.database.read() as reading:
            (found,) = folders.page(reading, workshop.caller, "/", 10, None)
        with workshop.database.write() as session:
            folder = folders.get(session, workshop.caller, found.id, lock=True)
            delete_folder(session, work.dispatcher, work.policy, workshop.caller, folder)

    with take(work, PARSING, document.id) as lease, ThreadPoolExecutor(1) as beside:
        with lease.commit(lease.documents[0]) as (session, row):
            stages.advance(session, row, "chunking")
            session.flush()
            deleting = beside.submit(delete)
            eventually(lambda: somebody_waits(workshop.database), "the deletion waits for the worker")
        deleting.result(LIMIT_S)
    timeline = timeline_of(workshop, document.id)
    assert [entry.seq for entry in timeline] == list(range(1, len(timeline) + 1))
    assert [entry.status for entry in timeline][-2:] == ["chunking", "deleting"]


@pytest.mark.parametrize("turned_round", [False, True])
def test_two_deletions_of_the_same_documents_wait_for_each_other_in_one_direction(
    workshop: Workshop, turned_round: bool
) -> None:
    ids = [workshop.accept(f"{n}.txt", f"Number {n}.").id for n in range(20)]

    def delete(order: list[str]) -> Callable[[], None]:
        def work(session: WriteSession) -> None:
            delete_documents(
                session, Dispatcher(workshop.celery), workshop.policy, workshop.caller.workspace_id, order
            )

        return lambda: workshop.database.write_once_more(work)

    with ThreadPoolExecutor(2) as pool:
        for one in [pool.submit(delete(ids)), pool.submit(delete(ids[::-1] if turned_round else ids))]:
            one.result(LIMIT_S)
    for document_id in ids:
        assert [entry.status for entry in timeline_of(workshop, document_id)].count("deleting") == 1


def test_a_document_whose_row_is_held_for_a_moment_is_taken_all_the_same(workshop: Workshop) -> None:
    """A heartbeat of the lease that it had a moment ago locks its row. Nobody else takes it then."""
    accepted = workshop.accept("a.txt", "One.")
    work = workshop.work()
    with ThreadPoolExecutor(1) as beside:
        with workshop.database.write() as session:
            documents.get(session, workshop.caller, accepted.id, lock=True)
            taking = beside.submit(take, work, PARSING, accepted.id)
            eventually(lambda: taking.done() or somebody_waits(workshop.database), "it waits for the row")
        assert [leased.id for leased in taking.result(LIMIT_S).documents] == [accepted.id]
