"""What a client needs to keep a folder in step over HTTP: moved files, gone files, and documents in work."""

from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Any

import pytest

from footnote_shared.kernel.ids import new_id
from tests.integration.ingest.avatars import Avatar, change
from tests.integration.ingest.served import Served
from tests.integration.ingest.workshop import paragraphs


def hash_of(content: bytes) -> str:
    return sha256(content).hexdigest()


class TestRenamingAFile:
    def test_it_keeps_its_document_and_its_chunks(self, served: Served) -> None:
        content = b"# Gulls\n\nThey steal bread."
        document = served.upload("a.md", content, folder="/old")
        served.work()
        before = [chunk.chunk_id for chunk in served.workshop.live(document["id"])]
        moved = change(
            served.http, document["id"], filename="b.md", folder="/new", if_sha256=hash_of(content)
        )
        assert (moved["filename"], moved["folder"], moved["title"]) == ("b.md", "/new", "Gulls")
        assert (moved["status"], moved["version"]) == ("indexed", 1)
        assert [chunk.chunk_id for chunk in served.workshop.live(document["id"])] == before
        path = f"/v1/documents/{document['id']}"
        assert served.http.get(f"{path}/chunks").json()["source"] == "b.md"
        assert "b.md" in served.http.get(f"{path}/content").headers["Content-Disposition"]
        assert served.upload("b.md", b"# Terns", folder="/new")["id"] == document["id"]
        assert served.upload("a.md", content, folder="/old")["id"] != document["id"]

    def test_a_title_that_is_the_name_follows_it(self, served: Served) -> None:
        document = served.upload("a.txt", b"One sentence.")
        served.work()
        (before,) = served.workshop.live(document["id"])
        renamed = change(served.http, document["id"], filename="b.txt")
        assert (renamed["title"], renamed["status"]) == ("b.txt", "queued")
        served.work()
        (after,) = served.workshop.live(document["id"])
        assert after.chunk_id == before.chunk_id
        assert "b.txt" in after.embed_prefix
        assert served.http.get(f"/v1/documents/{document['id']}").json()["title"] == "b.txt"

    def test_a_title_that_a_person_gave_stays(self, served: Served) -> None:
        document = served.upload("a.txt", b"One.", title="a.txt")
        assert change(served.http, document["id"], filename="b.txt")["title"] == "a.txt"

    def test_nothing_moves_once_the_bytes_are_others(self, served: Served) -> None:
        document = served.upload("a.txt", b"One.")
        served.upload("a.txt", b"Two.")
        body = {"filename": "b.txt", "if_sha256": hash_of(b"One.")}
        answer = served.http.patch(f"/v1/documents/{document['id']}", json=body)
        assert answer.status_code == 409
        assert served.http.get(f"/v1/documents/{document['id']}").json()["filename"] == "a.txt"

    def test_a_place_that_is_taken_is_a_conflict(self, served: Served) -> None:
        document = served.upload("a.txt", b"One.")
        served.upload("b.txt", b"Two.")
        answer = served.http.patch(f"/v1/documents/{document['id']}", json={"filename": "b.txt"})
        assert answer.status_code == 409

    @pytest.mark.parametrize("filename", ["b.md", "b", " ", "a\tb.txt"])
    def test_another_ending_or_no_name_is_refused(self, served: Served, filename: str) -> None:
        document = served.upload("a.txt", b"One.")
        answer = served.http.patch(f"/v1/documents/{document['id']}", json={"filename": filename})
        assert answer.status_code == 422
        assert [error["field"] for error in answer.json()["errors"]] == ["filename"]

    def test_a_rename_and_an_upload_to_the_new_place_leave_no_file_twice(self, served: Served) -> None:
        document = served.upload("a.txt", b"One.", title="T")
        body = {"filename": "b.txt", "if_sha256": hash_of(b"One.")}
        with ThreadPoolExecutor(2) as pool:
            renamed = pool.submit(served.http.patch, f"/v1/documents/{document['id']}", json=body)
            uploaded = pool.submit(served.upload, "b.txt", b"One.")
            code, other = renamed.result().status_code, uploaded.result()
        # Either the upload found the renamed document, or it was first and the rename was refused.
        assert (code, other["id"] == document["id"]) in [(200, True), (409, False)]


class TestDeletingSeveral:
    def test_what_changed_or_is_not_the_callers_to_see_stays(self, served: Served, other: Avatar) -> None:
        gone = served.upload("gone.txt", b"One.")
        changed = served.upload("changed.txt", b"Two.")
        private = served.upload("private.txt", b"Three.", visibility="private")
        items: list[dict[str, Any]] = [
            {"id": gone["id"], "if_sha256": hash_of(b"One.")},
            {"id": changed["id"], "if_sha256": hash_of(b"Other.")},
            {"id": private["id"]},
            {"id": "rubbish"},
        ]
        answer = other.http.post("/v1/documents:delete", json={"items": items})
        assert answer.status_code == 202
        assert answer.json() == {"documents": 1, "kept": [changed["id"], private["id"], "rubbish"]}
        left = served.http.get("/v1/documents").json()["items"]
        assert {document["filename"] for document in left} == {"changed.txt", "private.txt"}
        again = served.http.post("/v1/documents:delete", json={"items": items[:1]}).json()
        assert again == {"documents": 0, "kept": [gone["id"]]}


class TestProgress:
    def test_those_in_work_are_counted_and_those_that_ended_come_whole(
        self, served: Served, other: Avatar
    ) -> None:
        done = served.upload("a.txt", paragraphs(*"ab").encode())
        failed = served.upload("b.txt", b"")
        served.work()
        waiting = served.upload("c.txt", b"Three.")
        private = served.upload("d.txt", b"Four.", visibility="private")
        ids = [done["id"], failed["id"], waiting["id"], private["id"], new_id(), "rubbish"]
        answer = other.http.post("/v1/documents:progress", json={"ids": ids}).json()
        assert answer["waiting"] == {"queued": 1}
        ended = {document["id"]: document for document in answer["ended"]}
        assert {key: document["status"] for key, document in ended.items()} == {
            done["id"]: "indexed",
            failed["id"]: "failed",
        }
        assert ended[failed["id"]]["error"]["reason"]
        assert answer["absent"] == ids[3:]


class TestListing:
    def test_a_document_is_found_by_either_end_of_its_id(self, served: Served) -> None:
        documents = [served.upload(f"{n}.txt", str(n).encode()) for n in range(3)]
        wanted = documents[1]["id"]
        for part in (wanted, wanted[-8:], wanted[:-1]):
            found = served.http.get("/v1/documents", params={"id": part}).json()["items"]
            assert wanted in [document["id"] for document in found]
        assert len(served.http.get("/v1/documents", params={"id": wanted[-12:]}).json()["items"]) == 1
        assert served.http.get("/v1/documents", params={"id": "100%"}).status_code == 422

    def test_the_callers_own_can_be_listed_alone(self, served: Served, other: Avatar) -> None:
        served.upload("mine.txt", b"One.")
        assert other.http.get("/v1/documents", params={"mine": "true"}).json()["items"] == []
        (document,) = served.http.get("/v1/documents", params={"mine": "true"}).json()["items"]
        assert document["sha256"] == hash_of(b"One.")


def test_white_space_within_a_title_becomes_one_space(served: Served) -> None:
    document = served.upload("a.txt", b"One.", title=" Quarterly\r\n numbers\tof 2026 ")
    assert document["title"] == "Quarterly numbers of 2026"
    assert change(served.http, document["id"], title="Two\nlines")["title"] == "Two lines"
