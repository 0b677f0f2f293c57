"""What a short document costs the database does not grow with how many go together."""

import io
import math
from collections.abc import Callable, Sequence

import pytest
from sqlalchemy import event

from footnote_ingest.documents.accept import Acceptor
from footnote_ingest.documents.accept_batch import FileOfBatch, accept_batch
from footnote_ingest.documents.quota import Quota
from footnote_ingest.documents.upload import Upload
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.pipeline.embed import embed_documents
from footnote_ingest.pipeline.index import index_documents
from footnote_ingest.pipeline.parse import parse_documents
from tests.integration.ingest.statements import statements
from tests.integration.ingest.test_short_documents import OneChild
from tests.integration.ingest.workshop import Workshop

Stage = Callable[[Workshop, Sequence[str]], object]

STAGES: dict[str, Stage] = {
    "parse": lambda workshop, ids: parse_documents(workshop.work(), workshop.parse_resources, *ids),
    "embed": lambda workshop, ids: embed_documents(workshop.work(), workshop.embed_resources, *ids),
    "index": lambda workshop, ids: index_documents(workshop.work(), workshop.index_resources, *ids),
}
MOST = {"parse": (25, 3), "embed": (19, 2), "index": (25, 4)}
"""Statements and commits of each stage for a batch, however many documents it has."""


@pytest.fixture
def workshop(sqlite_workshop: Workshop) -> Workshop:
    sqlite_workshop.parse_together = OneChild()
    # No heartbeat falls into a stage.
    sqlite_workshop.with_policy(lease_s=3600, heartbeat_s=1000)
    return sqlite_workshop


def costs(workshop: Workshop, count: int) -> dict[str, tuple[int, int]]:
    """Statements and commits of each stage for so many documents in one folder."""
    ids = [
        workshop.accept(f"{count}-{n}.txt", f"Note {n} of {count}.", folder="/notes").id for n in range(count)
    ]
    commits: list[int] = []
    found = {}
    event.listen(workshop.database.engine, "commit", lambda _: commits.append(1))
    for name, stage in STAGES.items():
        commits.clear()
        with statements(workshop.database) as seen:
            stage(workshop, ids)
        found[name] = (len(seen), len(commits))
    assert {workshop.document(document_id).status for document_id in ids} == {"indexed"}
    return found


def test_each_stage_has_as_many_statements_for_sixteen_as_for_four(workshop: Workshop) -> None:
    few, many = costs(workshop, 4), costs(workshop, 16)
    for name, most in MOST.items():
        assert many[name][0] <= few[name][0] + 2, name
        statements_sent, committed = many[name]
        assert statements_sent <= most[0], name
        assert committed <= most[1], name


def test_a_batch_is_entered_in_as_many_statements_as_an_upload(workshop: Workshop) -> None:
    acceptor = Acceptor(
        workshop.database, workshop.blobs, Dispatcher(workshop.celery), workshop.policy, Quota(1000, 2**40)
    )

    def sent(count: int) -> int:
        files = [note(f"{count}-{n}.txt", folder="/notes") for n in range(count)]
        with statements(workshop.database) as seen:
            outcomes = accept_batch(acceptor, workshop.caller, files)
        assert [item.status for item in outcomes.items] == [202] * count
        return len(seen)

    # However slow the machine is, each batch is one transaction.
    workshop.database.held_s = math.inf
    # The first counts what the workspace holds, and makes the folder.
    sent(1)
    assert sent(2) == sent(16) == 7


def test_a_batch_fills_a_workspace_and_no_more(workshop: Workshop) -> None:
    def filled(quota: Quota) -> list[int]:
        acceptor = Acceptor(
            workshop.database, workshop.blobs, Dispatcher(workshop.celery), workshop.policy, quota
        )
        names = (f"{quota.most}-{n}.txt" for n in range(4))
        return [
            item.status
            for item in accept_batch(acceptor, workshop.caller, [note(name) for name in names]).items
        ]

    assert filled(Quota(3, 2**40)) == [202, 202, 202, 429]
    held = sum(len(f"3-{n}.txt") for n in range(3))
    assert filled(Quota(1000, held + 2 * len("1000-0.txt"))) == [202, 202, 429, 429]


def test_a_batch_knows_of_more_documents_than_one_look_tells(workshop: Workshop) -> None:
    acceptor = Acceptor(
        workshop.database, workshop.blobs, Dispatcher(workshop.celery), workshop.policy, Quota(1000, 2**40)
    )
    accept_batch(acceptor, workshop.caller, [note(f"{n:02}.txt") for n in range(0, 50, 7)])
    again = [FileOfBatch(Upload(filename=f"{n:02}.txt"), io.BytesIO(b"New.")) for n in range(50)]
    outcomes = accept_batch(acceptor, workshop.caller, again).items
    versions = [item.document.version for item in outcomes if item.document is not None]
    assert versions == [2 if n % 7 == 0 else 1 for n in range(50)]


def note(name: str, folder: str = "/") -> FileOfBatch:
    """A file that says its name."""
    return FileOfBatch(Upload(filename=name, folder=folder), io.BytesIO(name.encode()))


def test_an_upload_is_entered_in_six_statements(workshop: Workshop) -> None:
    acceptor = Acceptor(
        workshop.database, workshop.blobs, Dispatcher(workshop.celery), workshop.policy, Quota(1000, 2**40)
    )

    def accept(name: str) -> str:
        return acceptor.accept_bytes(workshop.caller, Upload(filename=name), name.encode()).id

    # The first counts what the workspace holds.
    accept("first.txt")
    with statements(workshop.database) as seen:
        accepted = accept("second.txt")
    assert len(seen) == 6
    assert workshop.row(accepted).dispatched_at is not None
