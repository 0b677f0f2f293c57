"""What a reader gets who opens a citation, after everything that can happen to its source (spec 2.7)."""

from collections.abc import Callable

import pytest

from tests.system.handbook import Handbook, passage_item
from tests.system.stacks import Client

pytestmark = pytest.mark.system


class TestAfter:
    def test_nothing_it_is_current(self, handbook: Callable[..., Handbook]) -> None:
        book = handbook()
        pill = book.pill()
        assert (pill["status"], pill["checked"]) == ("current", True)
        assert book.cited in pill["quote"]
        assert pill["place"]["heading_path"] == pill["display"]["heading_path"]
        assert book.cited in book.highlighted(pill)
        assert any("greeted" in neighbour["text"] for neighbour in pill["context"])
        assert any("dinner" in neighbour["text"] for neighbour in pill["context"])
        assert not {"current_text", "degraded"} & pill.keys()

    def test_an_edit_behind_it_it_is_current(self, handbook: Callable[..., Handbook]) -> None:
        book = handbook()
        book.sections[3] = book.sections[3].replace("60 euros", "75 euros")
        assert book.upload() == book.id
        pill = book.pill()
        assert pill["status"] == "current"
        assert any("75 euros" in neighbour["text"] for neighbour in pill["context"])

    def test_an_edit_before_it_it_is_moved(self, handbook: Callable[..., Handbook]) -> None:
        book = handbook()
        book.sections[1] = book.sections[1].replace("whole team", "whole and complete team, in song,")
        book.upload()
        pill = book.pill()
        assert pill["status"] == "moved"
        assert book.cited in book.highlighted(pill)

    def test_an_insertion_before_it_it_is_moved(self, handbook: Callable[..., Handbook]) -> None:
        book = handbook()
        before = book.pill()["place"]
        book.sections.insert(
            1, "## Visitors\n\n" + "Visitors sign the book at the door and get a badge. " * 30
        )
        book.upload()
        pill = book.pill()
        assert pill["status"] == "moved"
        assert pill["place"]["char_start"] > before["char_start"]
        assert pill["place"]["version"] > before["version"]
        assert book.cited in book.highlighted(pill)
        assert "current_text" not in pill

    def test_its_section_goes_to_the_end_it_is_moved(self, handbook: Callable[..., Handbook]) -> None:
        book = handbook()
        book.sections.append(book.sections.pop(2))
        book.upload()
        pill = book.pill()
        assert pill["status"] == "moved"
        assert book.cited in book.highlighted(pill)

    def test_another_heading_above_it_it_is_moved(self, handbook: Callable[..., Handbook]) -> None:
        book = handbook()
        book.sections[0] = book.sections[0].replace("Handbook", "Notebook")
        book.upload()
        pill = book.pill()
        assert pill["status"] == "moved"
        assert pill["place"]["heading_path"][0].startswith("Notebook")
        assert pill["display"]["heading_path"][0].startswith("Handbook")

    def test_other_text_runs_into_its_chunk_it_is_still_found(
        self, handbook: Callable[..., Handbook]
    ) -> None:
        book = handbook()
        quote = book.pill()["quote"]
        # One paragraph of prose without headings, so that chunks are cut anew from its beginning on.
        prose = " ".join(
            f"Sentence number {i} of {book.place} says something of its own." for i in range(120)
        )
        book.sections = ["# Prose", prose]
        book.upload()
        found = book.reader.search(f"Sentence number 70 of {book.place}", scope={"document_ids": [book.id]})[
            "passages"
        ]
        passage = next(p for p in found if "number 70 " in p["text"])
        n = book.cite(passage_item(passage))
        book.sections = ["# Prose", "Some words that were not there before. " * 9 + prose]
        book.upload()
        pill = book.pill(n)
        assert pill["status"] == "moved"
        assert " ".join(book.highlighted(pill).split()) == " ".join(passage["text"].split())
        assert book.pill()["quote"] == quote

    def test_an_edit_of_it_it_is_changed_with_both_texts(self, handbook: Callable[..., Handbook]) -> None:
        book = handbook()
        book.sections[2] = book.sections[2].replace("140 euros", "190 euros")
        book.sections[1] += " There is cake."
        book.upload()
        pill = book.pill()
        assert pill["status"] == "changed"
        assert "140 euros" in pill["quote"]
        assert "190 euros" in pill["current_text"]
        assert "190 euros" in book.highlighted(pill)
        book.sections[2] = book.sections[2].replace("190 euros", "140 euros")
        book.upload()
        assert book.pill()["status"] == "moved"

    def test_its_removal_it_is_deleted_and_the_document_is_linked(
        self, handbook: Callable[..., Handbook]
    ) -> None:
        book = handbook()
        del book.sections[2]
        book.upload()
        pill = book.pill()
        assert (pill["status"], pill["document_url"]) == ("deleted", f"/v1/documents/{book.id}/content")
        assert book.cited in pill["quote"]

    def test_a_reindex_it_is_current(self, handbook: Callable[..., Handbook]) -> None:
        book = handbook()
        assert book.user.http.post(f"/v1/documents/{book.id}:reindex").status_code == 202
        (ended,) = book.user.wait_ended([book.id])
        assert ended["version"] == 2
        assert book.pill()["status"] == "current"

    def test_a_move_and_a_new_title_it_is_current(self, handbook: Callable[..., Handbook]) -> None:
        book = handbook()
        changes = {"folder": "/elsewhere/entirely", "title": "The new handbook"}
        assert book.user.http.patch(f"/v1/documents/{book.id}", json=changes).status_code == 200
        book.user.wait_ended([book.id])
        pill = book.pill()
        assert pill["status"] == "current"
        assert book.cited in book.highlighted(pill)

    def test_deletion_it_is_deleted_and_stays_so(self, handbook: Callable[..., Handbook]) -> None:
        book = handbook()
        assert book.user.http.delete(f"/v1/documents/{book.id}").status_code == 202
        first = book.pill()
        assert first["status"] == "deleted"
        assert book.cited in first["quote"]
        assert not {"document_url", "text_url", "context"} & first.keys()
        book.user.wait_ended([book.upload()])
        assert book.pill() == first

    def test_it_is_made_private_the_reader_learns_the_status_alone(
        self, handbook: Callable[..., Handbook], colleague: Client
    ) -> None:
        book = handbook(reader=colleague)
        assert book.pill()["status"] == "current"
        change = {"visibility": "private"}
        assert book.user.http.patch(f"/v1/documents/{book.id}", json=change).status_code == 200
        assert book.pill() == {"n": 1, "status": "forbidden"}
        assert book.cited not in colleague.http.get(f"/v1/conversations/{book.conversation}/citations").text
        scope = {"document_ids": [book.id]}
        assert colleague.search(book.cited, scope=scope)["passages"] == []
        assert book.user.search(book.cited, scope=scope)["passages"]
        assert book.id not in str(colleague.ask(book.cited)["message"])
        change = {"visibility": "workspace"}
        assert book.user.http.patch(f"/v1/documents/{book.id}", json=change).status_code == 200
        assert book.pill()["status"] == "current"
        assert book.user.http.delete(f"/v1/documents/{book.id}").status_code == 202
        assert book.pill()["status"] == "deleted"


def test_old_messages_keep_their_pills(user: Client, handbook: Callable[..., Handbook]) -> None:
    book = handbook()
    thread = user.thread()
    turn = user.ask(f"What may a room in a hotel in {book.place} cost?", thread, settings={"top_k": 3})
    cited = next(c for c in turn["message"]["citations"] if book.cited in c["quote"])
    path = f"/v1/conversations/{thread}/citations/{cited['n']}"
    for change, status in (
        (lambda: book.sections.insert(1, "## New\n\nNew words at the beginning."), "moved"),
        (lambda: book.sections.__setitem__(3, book.sections[3].replace("140", "150")), "changed"),
        (lambda: book.sections.pop(3), "deleted"),
    ):
        change()
        book.upload()
        pill = user.http.get(path).json()
        assert (pill["status"], pill["quote"]) == (status, cited["quote"])
    stored = user.http.get(f"/v1/threads/{thread}/messages").json()["items"][-1]
    assert next(c for c in stored["citations"] if c["n"] == cited["n"])["quote"] == cited["quote"]
    assert f"[citation:{cited['n']}]" in stored["text"]
