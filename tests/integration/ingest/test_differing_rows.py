"""Differences that are planted in SQL and in what points repeat of it: each is found, named and repaired."""

from datetime import timedelta
from typing import Any

from sqlmodel import col, delete, select, update

from footnote_ingest.contracts.reconciliation import Reconciliation
from footnote_ingest.documents.provenance import set_readers
from footnote_ingest.maintenance.repair import repair
from footnote_ingest.maintenance.tidy import tidy
from footnote_ingest.store.fact_tables import FactRow
from footnote_ingest.store.tables import ChunkRow, DocumentGroupRow, DocumentRow, VersionRow
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id
from footnote_shared.vectors.visibility import visible_to
from tests.integration.ingest.avatars import documents_within
from tests.integration.ingest.reading_facts import DOCUMENTS, RATES, Facts
from tests.integration.ingest.workshop import FACT_LANE, Workshop, paragraphs


def indexed(workshop: Workshop, name: str, **fields: Any) -> str:
    document = workshop.accept(f"{name}.txt", paragraphs(name, f"{name}2"), **fields)
    workshop.run_all(*DOCUMENTS)
    return document.id


def found(workshop: Workshop) -> Reconciliation:
    return repair(workshop.work(), workshop.remove_resources, workshop.caller.workspace_id)


def differences(told: Reconciliation) -> dict[str, int]:
    return {name: count for name, count in told.model_dump().items() if count}


def repaired(workshop: Workshop, **expected: int) -> None:
    """These are found, and a second time nothing is."""
    assert differences(found(workshop)) == expected
    workshop.run_all(*DOCUMENTS)
    assert differences(found(workshop)) == {}


def chunk_like(workshop: Workshop, document_id: str, **changes: Any) -> None:
    """Another row like the first chunk of the document, but for these columns."""
    with workshop.database.write() as session:
        first = session.exec(select(ChunkRow).order_by(col(ChunkRow.ordinal))).first()
        assert first is not None
        new = {"chunk_id": new_id(), "document_id": document_id, "retired_at": None}
        session.add(ChunkRow(**{**first.model_dump(), **new, **changes}))


def chunks(workshop: Workshop, document_id: str) -> list[ChunkRow]:
    with workshop.database.read() as session:
        return list(session.exec(select(ChunkRow).where(col(ChunkRow.document_id) == document_id)))


class TestRowsThatAreLeft:
    def test_of_a_deleted_document_go(self, workshop: Workshop) -> None:
        kept, gone = indexed(workshop, "kept"), indexed(workshop, "gone")
        workshop.delete(gone)
        workshop.run_all()
        assert workshop.row(gone).status == "deleted"
        chunk_like(workshop, gone)
        repaired(workshop, rows_left=1)
        assert (len(chunks(workshop, gone)), len(chunks(workshop, kept))) == (0, 2)

    def test_of_a_version_that_nothing_uses_go(self, workshop: Workshop) -> None:
        document = indexed(workshop, "a")
        workshop.accept("a.txt", paragraphs("b"))
        workshop.run_all()
        chunk_like(workshop, document, version=1, text="Of nobody any more.")
        repaired(workshop, rows_left=1)
        assert not [row for row in chunks(workshop, document) if row.version == 1 and row.retired_at is None]

    def test_of_a_deletion_that_nobody_ends_go(self, workshop: Workshop) -> None:
        gone = indexed(workshop, "gone")
        workshop.delete(gone)
        workshop.lose_messages()
        workshop.set(gone, settle_at=None)
        repaired(workshop, rows_left=1, vectors_without_row=2, blobs_without_row=1)
        assert workshop.row(gone).status == "deleted"
        assert (chunks(workshop, gone), workshop.points(gone)) == ([], set())

    def test_of_facts_go(self, facts: Facts) -> None:
        document = facts.add("a.txt", RATES)
        with facts.workshop.database.write() as session:
            session.exec(update(FactRow).values(chunk_hash="of another text"))
        repaired(facts.workshop, rows_left=1)
        assert facts.points(document.id) == set()
        with facts.workshop.database.read() as session:
            assert session.exec(select(FactRow)).all() == []


class TestWhatIsMissing:
    def test_passages_are_made_anew(self, workshop: Workshop) -> None:
        document = indexed(workshop, "a")
        with workshop.database.write() as session:
            session.exec(delete(ChunkRow).where(col(ChunkRow.ordinal) == 1))
        # The vector of a passage that is gone goes, and the document is read anew.
        repaired(workshop, passages_lost=1, vectors_without_row=1)
        assert [row.ordinal for row in workshop.live(document)] == [0, 1]
        assert len(workshop.points(document)) == 2

    def test_the_groups_of_readers_are_those_that_the_source_names(self, workshop: Workshop) -> None:
        document = indexed(workshop, "a")
        with workshop.database.write() as session:
            row = session.get(DocumentRow, document)
            assert row is not None
            set_readers(session, row, ["legal"])
            row.points_lag, row.settle_at = True, now()
        workshop.sweep()
        workshop.run_all()
        with workshop.database.write() as session:
            session.exec(update(DocumentGroupRow).values(name="everybody"))
        repaired(workshop, readers_differed=1)
        with workshop.database.read() as session:
            assert [row.name for row in session.exec(select(DocumentGroupRow))] == ["legal"]

    def test_a_part_goes_with_its_document_unless_it_is_held(self, workshop: Workshop) -> None:
        mail, part, held = (indexed(workshop, name) for name in ("mail", "part", "held"))
        for one in (part, held):
            workshop.set(one, parent_id=mail)
        workshop.set(held, legal_hold=True)
        workshop.set(mail, status="deleted", deleted_at=now() - timedelta(days=1), settle_at=now())
        workshop.sweep()
        workshop.run_all()
        repaired(workshop, parts_without_document=1, vectors_without_row=2, blobs_without_row=1)
        assert (workshop.row(part).status, workshop.row(held).status) == ("deleted", "indexed")

    def test_texts_that_are_kept_count(self, workshop: Workshop) -> None:
        document = indexed(workshop, "a")
        workshop.accept("a.txt", paragraphs("b"))
        workshop.run_all()
        with workshop.database.write() as session:
            first = session.get_one(VersionRow, (document, 1))
            size, first.kept_bytes = first.kept_bytes, 0
            session.add(first)
        assert size > 0
        repaired(workshop, kept_texts_differed=1)
        with workshop.database.read() as session:
            assert session.get_one(VersionRow, (document, 1)).kept_bytes == size
        with workshop.database.write() as session:
            session.exec(delete(ChunkRow).where(col(ChunkRow.retired_at).is_not(None)))
        repaired(workshop, kept_texts_differed=1)
        with workshop.database.read() as session:
            assert session.get_one(VersionRow, (document, 1)).texts_gone


class TestPointsThatTellSomethingElse:
    def test_tell_the_folder_and_the_readers_again(self, workshop: Workshop) -> None:
        document = indexed(workshop, "a", folder="/plans")
        workshop.lane.set_payload(document, {"folder_ids": [], "groups": ("avatar:nobody",)})
        reader = workshop.caller.model_copy(update={"avatar_id": new_id()})
        assert documents_within(workshop, visible_to(reader)) == set()
        repaired(workshop, vectors_outdated=1)
        assert documents_within(workshop, visible_to(reader)) == {document}

    def test_so_do_those_of_facts(self, facts: Facts) -> None:
        document = facts.add("a.txt", RATES)
        lane = facts.workshop.lane.named(FACT_LANE)
        lane.set_payload(document.id, {"groups": ("avatar:nobody",)})
        repaired(facts.workshop, vectors_outdated=1)
        assert [ref.groups for page in lane.pages() for ref in page] == [()]


def test_the_clock_finds_the_same(workshop: Workshop) -> None:
    gone, told = indexed(workshop, "gone"), indexed(workshop, "told")
    workshop.delete(gone)
    workshop.run_all()
    chunk_like(workshop, gone)
    workshop.lane.set_payload(told, {"groups": ("avatar:nobody",)})
    tidy(workshop.work(), workshop.remove_resources)
    workshop.run_all()
    assert chunks(workshop, gone) == []
    assert differences(found(workshop)) == {}
