"""From accepted to visible, version by version."""

import io
import zipfile
from email.message import EmailMessage

from sqlmodel import select

from footnote_ingest.hints.queues import Task
from footnote_ingest.store.tables import ChunkRow, DocumentRow
from footnote_shared.kernel.ids import point_id
from tests.integration.ingest.workshop import Workshop, paragraphs, refs_of


def points_of(rows: list[ChunkRow]) -> set[str]:
    return {point_id(row.document_id, row.chunk_id, row.embed_hash) for row in rows}


def test_a_document_goes_through_every_stage_and_is_then_found_with_a_point_per_chunk(
    workshop: Workshop,
) -> None:
    accepted = workshop.accept("a.txt", paragraphs("apple", "pear", "plum"), folder="/fruit/2026")
    assert (accepted.status, accepted.version, accepted.folder) == ("queued", 1, "/fruit/2026")
    workshop.run_all()
    document = workshop.document(accepted.id)
    assert workshop.statuses(accepted.id) == [
        "queued",
        "extracting",
        "chunking",
        "embedding",
        "indexing",
        "indexed",
    ]
    assert (document.status, document.live_version, document.chunks) == ("indexed", 1, 3)
    rows = workshop.live(accepted.id)
    assert workshop.points(accepted.id) == points_of(rows)
    shown = workshop.lookup(refs_of(rows))
    assert [chunk.text for chunk in shown] == [row.text for row in rows]
    assert shown[0].source == "a.txt"


def test_the_title_is_the_given_one_else_the_documents_own_else_the_files_name(workshop: Workshop) -> None:
    own = workshop.accept("own.md", "# Annual report\n\nIt was a good year.")
    given = workshop.accept("given.md", "# Annual report\n\nIt was a good year.", title="Our choice")
    plain = workshop.accept("plain.txt", "Nothing but a sentence.")
    workshop.run_all()
    assert [workshop.document(d.id).title for d in (own, given, plain)] == [
        "Annual report",
        "Our choice",
        "plain.txt",
    ]


def test_only_new_text_is_embedded_and_equal_text_keeps_its_id(workshop: Workshop) -> None:
    accepted = workshop.accept("a.txt", paragraphs("apple", "pear", "plum"))
    workshop.run_all()
    before = {row.text: row.chunk_id for row in workshop.live(accepted.id)}
    workshop.embedder.texts.clear()
    workshop.accept("a.txt", paragraphs("apple", "quince", "plum"))
    workshop.run_all()
    after = {row.text: row.chunk_id for row in workshop.live(accepted.id)}
    assert len(workshop.embedder.texts) == 1
    assert "quince0" in workshop.embedder.texts[0]
    common = before.keys() & after.keys()
    assert len(common) == 2
    assert all(before[text] == after[text] for text in common)
    assert set(before.values()) == set(after.values()), "the chunk that was replaced in place keeps its id"
    assert workshop.points(accepted.id) == points_of(workshop.live(accepted.id))


def test_text_that_another_document_of_the_workspace_has_is_not_embedded_again(workshop: Workshop) -> None:
    workshop.accept("a.txt", paragraphs("apple", "pear"), title="Fruit")
    workshop.run_all()
    workshop.embedder.texts.clear()
    twin = workshop.accept("b.txt", paragraphs("apple", "pear"), title="Fruit")
    workshop.run_all()
    assert workshop.embedder.texts == []
    assert workshop.document(twin.id).status == "indexed"
    assert len(workshop.points(twin.id)) == 2


def test_a_kept_vector_that_the_index_lost_is_made_again(workshop: Workshop) -> None:
    accepted = workshop.accept("a.txt", paragraphs("apple", "pear"))
    workshop.run_all()
    workshop.lane.delete(sorted(workshop.points(accepted.id))[:1])
    workshop.embedder.texts.clear()
    workshop.accept("a.txt", paragraphs("apple", "pear", "plum"))
    workshop.run_all()
    assert len(workshop.embedder.texts) == 2
    assert workshop.points(accepted.id) == points_of(workshop.live(accepted.id))


def test_a_new_title_changes_the_vectors_without_touching_those_of_the_live_version(
    workshop: Workshop,
) -> None:
    accepted = workshop.accept("a.txt", paragraphs("apple"), title="Old")
    workshop.run_all()
    old = workshop.points(accepted.id)
    workshop.accept("a.txt", paragraphs("apple"), title="New")
    workshop.run_all(Task.PARSE, Task.EMBED)
    assert workshop.points(accepted.id) == old
    assert workshop.lookup(refs_of(workshop.live(accepted.id)))[0].title == "Old"
    workshop.run_all()
    assert workshop.points(accepted.id).isdisjoint(old)
    assert workshop.lookup(refs_of(workshop.live(accepted.id)))[0].title == "New"


def test_what_vanished_stays_as_a_tombstone_and_leaves_the_index(workshop: Workshop) -> None:
    accepted = workshop.accept("a.txt", paragraphs("apple", "pear", "plum"))
    workshop.run_all()
    first = workshop.live(accepted.id)
    workshop.accept("a.txt", paragraphs("apple"))
    workshop.run_all()
    gone = [row for row in first if row.chunk_id not in {r.chunk_id for r in workshop.live(accepted.id)}]
    assert len(gone) == 2
    assert workshop.lookup(refs_of(gone)) == []
    assert len(workshop.points(accepted.id)) == 1
    with workshop.database.read() as session:
        kept = session.get(ChunkRow, (gone[0].chunk_id, 1))
        assert kept is not None
        assert kept.retired_at is not None
        assert session.get(ChunkRow, (first[0].chunk_id, 1)) is None


def test_the_same_bytes_are_skipped_and_the_document_stays_indexed(workshop: Workshop) -> None:
    accepted = workshop.accept("a.txt", "Same as ever.")
    workshop.run_all()
    again = workshop.accept("a.txt", "Same as ever.")
    assert (again.id, again.version, again.status) == (accepted.id, 1, "indexed")
    assert workshop.celery.sent == []
    assert workshop.statuses(accepted.id)[-1] == "skipped"


def test_the_same_bytes_in_work_are_not_queued_twice(workshop: Workshop) -> None:
    accepted = workshop.accept("a.txt", "Same as ever.")
    again = workshop.accept("a.txt", "Same as ever.")
    assert (again.id, again.version) == (accepted.id, 1)
    assert len(workshop.celery.sent) == 1


def test_the_same_bytes_after_a_failure_are_tried_again(workshop: Workshop) -> None:
    accepted = workshop.accept("empty.txt", "   \n")
    workshop.run_all()
    failed = workshop.document(accepted.id)
    assert failed.status == "failed"
    assert failed.error is not None
    assert (failed.error.stage, failed.error.code, failed.error.retryable) == ("extracting", "empty", False)
    again = workshop.accept("empty.txt", "   \n")
    assert (again.id, again.version, again.status) == (accepted.id, 2, "queued")


def test_an_external_id_is_the_same_document_wherever_it_lies_and_names_are_not(workshop: Workshop) -> None:
    first = workshop.accept("a.txt", "One.", external_id="E1", folder="/x")
    second = workshop.accept("b.txt", "Two.", external_id="E1", folder="/y")
    third = workshop.accept("a.txt", "Three.", folder="/x")
    assert (second.id, second.version) == (first.id, 2)
    assert third.id != first.id


def test_a_citation_of_a_file_names_the_archive_that_it_lay_in_and_the_mail_of_that(
    workshop: Workshop,
) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("plan.txt", "We build a boat.")
    mail = EmailMessage()
    mail["Subject"], mail["From"] = "The boat", "Anna <anna@example.org>"
    mail.set_content("See below.")
    mail.add_attachment(packed.getvalue(), maintype="application", subtype="zip", filename="boat.zip")
    for name, content, above in (
        ("boat.zip", packed.getvalue(), "boat.zip"),
        ("boat.eml", mail.as_bytes(), "The boat · Anna <anna@example.org> · boat.zip"),
    ):
        known = set(documents_named(workshop, "plan.txt"))
        workshop.accept(name, content)
        workshop.run_all()
        (found,) = set(documents_named(workshop, "plan.txt")) - known
        assert {chunk.heading_path[0] for chunk in workshop.live(found)} == {above}


def documents_named(workshop: Workshop, name: str) -> list[str]:
    with workshop.database.read() as session:
        return list(session.exec(select(DocumentRow.id).where(DocumentRow.filename == name)))


def test_attachments_become_documents_of_their_own_and_go_with_the_mail(workshop: Workshop) -> None:
    mail = (
        b"From: Ada <ada@example.org>\r\nTo: Bob <bob@example.org>\r\nSubject: The plan\r\n"
        b"Date: Mon, 02 Nov 2026 10:00:00 +0000\r\nMessage-ID: <1@example.org>\r\n"
        b"MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=B\r\n\r\n"
        b"--B\r\nContent-Type: text/plain\r\n\r\nPlease read the attached plan today.\r\n"
        b"--B\r\nContent-Type: text/plain; name=plan.txt\r\n"
        b"Content-Disposition: attachment; filename=plan.txt\r\n\r\nWe build a boat.\r\n--B--\r\n"
    )
    accepted = workshop.accept("mail.eml", mail, folder="/mail")
    workshop.run_all()
    rows = [workshop.row(document_id) for document_id in workshop.ids()]
    (child,) = [row for row in rows if row.parent_id == accepted.id]
    assert (child.status, child.filename, child.source_type) == ("indexed", "plan.txt", "email_attachment")
    assert child.attributes["subject"] == "The plan"
    above = "The plan · Ada <ada@example.org> · Mon, 02 Nov 2026 10:00:00 +0000"
    assert [chunk.heading_path for chunk in workshop.live(child.id)] == [[above]]
    assert above not in str([chunk.heading_path for chunk in workshop.live(accepted.id)])
    workshop.delete(accepted.id)
    workshop.run_all()
    assert {workshop.row(row.id).status for row in rows} == {"deleted"}
