"""Documents of a connector that a person changes here: later syncs find them, and nobody else does."""

import pytest
from sqlmodel import col, select

from footnote_ingest.documents.change import Changes, change_document
from footnote_ingest.documents.identity import existing, identity
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.contracts.documents import Visibility
from tests.integration.ingest.connecting import Connecting, counts
from tests.integration.ingest.workshop import Workshop


@pytest.fixture
def made(sqlite_workshop: Workshop) -> Connecting:
    return Connecting(sqlite_workshop)


def items(count: int) -> dict[str, str]:
    return {f"item-{n:04}": f"Text of item {n}." for n in range(count)}


@pytest.mark.parametrize("visibility", ["private", "workspace"])
def test_what_a_person_withdrew_moved_or_renamed_stays_one_document(
    made: Connecting, visibility: Visibility
) -> None:
    made.source.items = items(2)
    made.sync()
    before = made.documents()
    workshop, item = made.workshop, "item-0000"
    with workshop.database.write() as session:
        changes = Changes(filename="renamed.txt", folder="/elsewhere", visibility=visibility)
        changed = change_document(
            session,
            Dispatcher(workshop.celery),
            workshop.policy,
            workshop.caller,
            before[item].id,
            changes,
        )
    assert changed.row.visibility == visibility
    made.source.items[item] = "Another text."
    assert counts(made.sync()) == {"seen": 2, "changed": 1, "unchanged": 1}
    colleague = workshop.caller.model_copy(update={"avatar_id": "another"})
    assert made.seen_by(colleague) == ({*before} if visibility == "workspace" else {"item-0001"})
    with workshop.database.read() as session:
        alive = session.exec(select(DocumentRow.id).where(col(DocumentRow.deleted_at).is_(None)))
        assert set(alive) == {row.id for row in before.values()}


def test_an_upload_never_becomes_a_version_of_an_items_document(made: Connecting) -> None:
    """By the id of an item anybody would read, and replace, what its groups alone may see."""
    made.source.items = items(1)
    made.source.about["item-0000"] = {"groups": ("hr",)}
    made.sync()
    workshop = made.workshop
    (row,) = made.documents().values()
    with workshop.database.write() as session:
        change_document(
            session,
            Dispatcher(workshop.celery),
            workshop.policy,
            workshop.caller,
            row.id,
            Changes(folder="/elsewhere"),
        )
    colleague = workshop.caller.model_copy(update={"avatar_id": "another"})
    with workshop.database.read() as session:
        assert existing(session, colleague, identity("/", "x.txt", "item-0000"), None) is None
