"""What a client sees."""

import json
import threading
import time
from typing import Any

import pytest
from fastapi.testclient import TestClient

from footnote_shared.kernel.ids import new_id
from tests.integration.ingest.conftest import Served
from tests.integration.ingest.workshop import paragraphs, refs_of, sha256


def fields_of(problem: dict[str, Any]) -> set[str]:
    return {error["field"] for error in problem["errors"]}


class TestAccepting:
    def test_a_file_is_accepted_with_everything_that_came_with_it(self, served: Served) -> None:
        document = served.upload(
            "a.md",
            b"# Hello\n\nWorld.",
            title="Given",
            folder="/x//y/",
            external_id="E1",
            metadata='{"author": "Ada"}',
        )
        assert document["status"] == "queued"
        assert (document["title"], document["filename"], document["folder"]) == ("Given", "a.md", "/x/y")
        assert (document["mime"], document["size"], document["version"], document["chunks"]) == (
            "text/markdown",
            15,
            1,
            0,
        )
        assert (document["source_type"], document["external_id"], document["metadata"]) == (
            "upload",
            "E1",
            {"author": "Ada"},
        )
        assert served.http.get(f"/v1/documents/{document['id']}").json() == document

    def test_text_is_accepted_as_json(self, served: Served) -> None:
        answer = served.http.post(
            "/v1/documents", json={"title": "A note", "text": "Remember the milk.", "folder": "notes"}
        )
        assert answer.status_code == 202
        served.work()
        document = served.http.get(f"/v1/documents/{answer.json()['id']}").json()
        assert (document["status"], document["folder"], document["chunks"]) == ("indexed", "/notes", 1)

    def test_unchanged_bytes_are_answered_with_the_document_as_it_is(self, served: Served) -> None:
        first = served.upload("a.txt", b"One.")
        served.work()
        again = served.upload("a.txt", b"One.")
        assert (again["id"], again["version"], again["status"]) == (first["id"], 1, "indexed")

    def test_known_files_need_not_be_uploaded(self, served: Served) -> None:
        made = served.upload("a.txt", b"One.", folder="/x")
        files = [
            {"folder": "/x", "filename": "a.txt", "sha256": sha256("One.")},
            {"folder": "/x", "filename": "a.txt", "sha256": sha256("Two.")},
            {"folder": "/y", "filename": "a.txt", "sha256": sha256("One.")},
        ]
        items = served.http.post("/v1/documents:known", json={"items": files}).json()["items"]
        assert [item and item["id"] for item in items] == [made["id"], None, None]

    def test_the_same_key_and_body_is_answered_as_before_and_another_body_is_a_conflict(
        self, served: Served
    ) -> None:
        headers = {"Idempotency-Key": new_id()}
        body = {"title": "once", "text": "Only once."}
        first, again = (served.http.post("/v1/documents", json=body, headers=headers) for _ in range(2))
        other = served.http.post("/v1/documents", json={**body, "text": "Else."}, headers=headers)
        assert first.json() == again.json()
        assert (first.status_code, again.status_code, other.status_code) == (202, 202, 409)
        assert len(served.http.get("/v1/documents").json()["items"]) == 1

    def test_an_empty_file_is_accepted_and_fails_with_a_reason(self, served: Served) -> None:
        document = served.upload("empty.txt", b"")
        served.work()
        ended = served.http.get(f"/v1/documents/{document['id']}").json()
        assert ended["status"] == "failed"
        assert "empty" in ended["error"]["reason"]

    def test_a_binary_is_refused_with_the_list_of_types(self, served: Served) -> None:
        answer = served.http.post(
            "/v1/documents", files={"file": ("a.txt", b"\x7fELF\x02\x01" + bytes(range(256)) * 40)}
        )
        assert answer.status_code == 415
        assert "pdf" in answer.json()["detail"]

    def test_a_file_that_is_too_large_is_refused(self, served: Served) -> None:
        answer = served.http.post("/v1/documents", files={"file": ("a.txt", b"a" * 400_000)})
        assert answer.status_code == 413
        assert served.http.get("/v1/documents").json()["items"] == []
        assert list(served.workshop.blobs.list("")) == []

    @pytest.mark.parametrize(
        ("request_", "field"),
        [
            ({"data": {"folder": "/x"}, "files": {"other": b"x"}}, "file"),
            ({"data": {"file": "text"}, "files": {"title": b"x"}}, "file"),
            ({"files": {"file": ("a.txt", b"x")}, "data": {"metadata": "{"}}, "metadata"),
            ({"files": {"file": ("a.txt", b"x")}, "data": {"metadata": "[1]"}}, "metadata"),
            ({"files": {"file": ("a.txt", b"x")}, "data": {"metadata": "[" * 3000}}, "metadata"),
            ({"files": {"file": ("a.txt", b"x")}, "data": {"folder": "/a/../b"}}, "folder"),
            ({"files": {"file": ("a.txt", b"x")}, "data": {"surprise": "1"}}, "surprise"),
            ({"json": {"title": "t"}}, "text"),
            ({"json": {"title": "t", "text": "x", "surprise": 1}}, "surprise"),
            ({"json": {"title": "t\x00", "text": "x"}}, "title"),
            ({"json": {"title": "t", "text": "x", "metadata": {"a": "\x00"}}}, "metadata"),
            ({"content": b"{not json", "headers": {"Content-Type": "application/json"}}, "body"),
        ],
    )
    def test_a_request_that_is_wrong_names_the_field(
        self, served: Served, request_: dict[str, Any], field: str
    ) -> None:
        answer = served.http.post("/v1/documents", **request_)
        assert answer.status_code == 422, answer.text
        assert field in fields_of(answer.json())

    def test_a_name_that_is_a_path_or_hostile_is_reduced_to_a_plain_one(self, served: Served) -> None:
        assert served.upload("../../etc/passwd.txt", b"x")["filename"] == "passwd.txt"
        assert len(served.upload("n" * 400 + ".txt", b"y")["filename"]) == 255


class TestReading:
    def test_the_listing_is_filtered_and_paged(self, served: Served) -> None:
        ids = [
            served.upload(f"{n}.txt", f"Text {n}.".encode(), folder="/a" if n % 2 else "/a/b")["id"]
            for n in range(7)
        ]
        served.upload(
            "page.html", b"<html><body><p>Hello there</p></body></html>", folder="/ab", title="100% Web_page"
        )
        served.work()

        def listed(**params: Any) -> list[str]:
            answer = served.http.get("/v1/documents", params=params)
            assert answer.status_code == 200, answer.text
            return [item["filename"] for item in answer.json()["items"]]

        assert len(listed()) == 8
        assert listed(folder="/a/b") == ["6.txt", "4.txt", "2.txt", "0.txt"]
        assert len(listed(folder="a/")) == 7
        assert listed(type="web") == listed(type="text/html") == ["page.html"]
        assert len(listed(type="upload")) == 8
        assert listed(q="WEB_PAGE") == listed(q="100%") == ["page.html"]
        assert listed(q="_") == ["page.html"]
        assert listed(status="failed") == []
        assert len(listed(status=["failed", "indexed"])) == 8
        assert listed(**{"from": "2100-01-01T00:00:00Z"}) == []
        seen: list[str] = []
        cursor = None
        while True:
            page = served.http.get(
                "/v1/documents", params={"limit": 3, "folder": "/a", **({"cursor": cursor} if cursor else {})}
            ).json()
            seen += [item["id"] for item in page["items"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        assert seen == ids[::-1]

    @pytest.mark.parametrize(
        "query",
        [
            "limit=0",
            "limit=201",
            "cursor=rubbish",
            "cursor=WzFd",
            "type=nosuch",
            "status=nosuch",
            "q=%00",
            "folder=..",
            "from=yesterday",
            "surprise=1",
        ],
    )
    def test_a_filter_that_cannot_be_is_named(self, served: Served, query: str) -> None:
        answer = served.http.get(f"/v1/documents?{query}")
        assert answer.status_code == 422
        assert query.split("=")[0] in {field.removesuffix(".0") for field in fields_of(answer.json())}

    def test_chunks_come_in_order_page_by_page_and_around_one(self, served: Served) -> None:
        text = paragraphs(*"abcdefgh")
        document = served.upload("a.txt", text.encode())
        path = f"/v1/documents/{document['id']}/chunks"
        assert served.http.get(path).json()["items"] == []
        served.work()
        first = served.http.get(path, params={"limit": 5}).json()
        rest = served.http.get(path, params={"limit": 5, "cursor": first["next_cursor"]}).json()
        chunks = [*first["items"], *rest["items"]]
        assert [chunk["ordinal"] for chunk in chunks] == list(range(8))
        assert rest["next_cursor"] is None
        assert all(text[chunk["char_start"] : chunk["char_end"]] == chunk["text"] for chunk in chunks)
        near = served.http.get(path, params={"around": chunks[4]["id"]}).json()["items"]
        assert [chunk["ordinal"] for chunk in near] == [2, 3, 4, 5, 6]
        for unknown in (new_id(), "rubbish"):
            assert served.http.get(path, params={"around": unknown}).status_code == 404

    def test_a_chunk_that_the_live_version_lacks_is_shown_as_a_tombstone(self, served: Served) -> None:
        document = served.upload("a.txt", paragraphs("keep", "drop").encode())
        served.work()
        path = f"/v1/documents/{document['id']}/chunks"
        dropped = served.http.get(path).json()["items"][1]
        served.upload("a.txt", paragraphs("keep").encode())
        served.work()
        (shown,) = served.http.get(path, params={"around": dropped["id"]}).json()["items"]
        assert (shown["id"], shown["text"], shown["tombstone"]) == (dropped["id"], dropped["text"], True)
        assert len(served.http.get(path).json()["items"]) == 1

    def test_lookup_answers_with_what_is_live_and_the_generation(self, served: Served) -> None:
        document = served.upload("a.txt", paragraphs("one", "two").encode())
        served.work()
        refs = [ref.model_dump() for ref in refs_of(served.workshop.live(document["id"]))]
        wrong = [
            {**refs[0], "text_hash": "0" * 32},
            {**refs[0], "document_id": new_id()},
            {**refs[0], "chunk_id": "rubbish"},
        ]
        answer = served.http.post("/v1/chunks:lookup", json={"refs": [*refs, *wrong, refs[0]]}).json()
        assert [(item["chunk_id"], item["text_hash"]) for item in answer["items"]] == [
            (r["chunk_id"], r["text_hash"]) for r in refs
        ]
        assert answer["generation"] == 1
        assert answer["items"][0]["created_at"].endswith("Z")
        served.http.delete(f"/v1/documents/{document['id']}")
        assert served.http.post("/v1/chunks:lookup", json={"refs": refs}).json() == {
            "items": [],
            "generation": 2,
        }

    def test_the_bytes_come_back_as_they_were_and_html_is_never_shown_in_place(self, served: Served) -> None:
        html = served.upload("ä.html", b"<html><body><script>alert(1)</script><p>Hi</p></body></html>")
        text = served.upload("a.txt", b"Plain." * 1000)
        served.work()
        answer = served.http.get(f"/v1/documents/{html['id']}/content")
        assert answer.content.startswith(b"<html>")
        assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''%C3%A4.html"
        assert "sandbox" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        plain = served.http.get(f"/v1/documents/{text['id']}/content")
        assert plain.content == b"Plain." * 1000
        assert plain.headers["content-type"] == "text/plain"
        assert plain.headers["content-disposition"].startswith("inline")

    def test_stats_count_documents_and_chunks(self, served: Served) -> None:
        served.upload("a.txt", paragraphs("one", "two").encode())
        served.work()
        served.upload("b.txt", b"Waiting.")
        stats = served.http.get("/v1/documents:stats").json()
        assert stats["counts"] == {"indexed": 1, "queued": 1}
        assert stats["chunks"] == 2
        assert stats["oldest_waiting_s"] >= 0

    def test_lookup_of_several_leaves_out_what_is_unknown(self, served: Served) -> None:
        made = served.upload("a.txt", b"One.")
        items = served.http.post(
            "/v1/documents:lookup", json={"ids": [new_id(), "rubbish", made["id"]]}
        ).json()["items"]
        assert [item["id"] for item in items] == [made["id"]]


class TestEvents:
    def test_the_timeline_has_every_transition_with_its_duration(self, served: Served) -> None:
        document = served.upload("a.txt", b"One.")
        served.work()
        items = served.http.get(f"/v1/documents/{document['id']}/events").json()["items"]
        assert [item["status"] for item in items] == [
            "queued",
            "extracting",
            "chunking",
            "embedding",
            "indexing",
            "indexed",
        ]
        assert [item["seq"] for item in items] == [1, 2, 3, 4, 5, 6]
        assert all(item["duration_ms"] >= 0 for item in items[1:])

    def test_the_stream_follows_the_document_to_its_end_and_resumes(self, served: Served) -> None:
        document = served.upload("a.txt", b"One.")

        def later() -> None:
            time.sleep(0.5)
            served.work()

        worker = threading.Thread(target=later)
        worker.start()
        events = stream(served.http, document["id"])
        worker.join()
        assert [data["status"] for _, data in events] == [
            "queued",
            "extracting",
            "chunking",
            "embedding",
            "indexing",
            "indexed",
        ]
        resumed = stream(served.http, document["id"], **{"Last-Event-ID": events[2][0]})
        assert resumed == events[3:]

    def test_the_stream_of_a_document_that_is_deleted_ends(self, served: Served) -> None:
        document = served.upload("a.txt", b"One.")

        def later() -> None:
            time.sleep(0.5)
            served.http.delete(f"/v1/documents/{document['id']}")

        worker = threading.Thread(target=later)
        worker.start()
        events = stream(served.http, document["id"])
        worker.join()
        assert events[-1][1]["status"] == "deleting"


class TestChanging:
    def test_delete_is_seen_at_once_and_the_name_is_free(self, served: Served) -> None:
        document = served.upload("a.txt", b"One.")
        served.work()
        assert served.http.delete(f"/v1/documents/{document['id']}").json()["status"] == "deleting"
        assert served.http.get(f"/v1/documents/{document['id']}").status_code == 404
        assert served.http.delete(f"/v1/documents/{document['id']}").status_code == 404
        assert served.http.get(f"/v1/documents/{document['id']}/chunks").status_code == 404
        assert served.http.get("/v1/documents").json()["items"] == []
        assert served.upload("a.txt", b"One.")["id"] != document["id"]

    def test_only_a_failed_document_can_be_tried_again(self, served: Served) -> None:
        bad, good = served.upload("bad.txt", b" "), served.upload("good.txt", b"Fine.")
        served.work()
        assert served.http.post(f"/v1/documents/{bad['id']}:retry").json()["status"] == "queued"
        assert served.http.post(f"/v1/documents/{good['id']}:retry").status_code == 409
        again = served.http.post(f"/v1/documents/{good['id']}:reindex").json()
        assert (again["status"], again["version"], again["live_version"]) == ("queued", 2, 1)
        served.work()
        assert served.http.get(f"/v1/documents/{good['id']}").json()["live_version"] == 2

    def test_folders_are_made_on_the_way_listed_and_deleted_with_everything_below(
        self, served: Served
    ) -> None:
        inside = served.upload("a.txt", b"One.", folder="/a/b/c")
        beside = served.upload("b.txt", b"Two.", folder="/ab")
        made = served.http.post("/v1/folders", json={"path": "/a/empty"})
        assert made.status_code == 201
        folders = {folder["path"]: folder for folder in served.http.get("/v1/folders").json()["items"]}
        assert sorted(folders) == ["/a", "/a/b", "/a/b/c", "/a/empty", "/ab"]
        assert folders["/a/b/c"]["documents"] == 1
        served.work()
        deleted = served.http.delete(f"/v1/folders/{folders['/a']['id']}")
        assert (deleted.status_code, deleted.json()["documents"]) == (202, 1)
        assert [folder["path"] for folder in served.http.get("/v1/folders").json()["items"]] == ["/ab"]
        assert served.http.get(f"/v1/documents/{inside['id']}").status_code == 404
        assert served.http.get(f"/v1/documents/{beside['id']}").status_code == 200
        assert served.http.get(f"/v1/folders/{folders['/a']['id']}").status_code == 404
        assert served.upload("a.txt", b"One.", folder="/a/b/c")["id"] != inside["id"]


def test_what_belongs_to_another_workspace_looks_like_what_is_not_there(served: Served) -> None:
    document = served.upload("a.txt", b"One.", folder="/x")
    served.work()
    stranger = served.as_stranger()
    for method, path in [
        ("GET", "/v1/documents/{}"), ("DELETE", "/v1/documents/{}"), ("GET", "/v1/documents/{}/chunks"),
        ("GET", "/v1/documents/{}/content"), ("GET", "/v1/documents/{}/events"), ("POST", "/v1/documents/{}:retry"),
        ("POST", "/v1/documents/{}:reindex"), ("GET", "/v1/folders/{}"), ("DELETE", "/v1/folders/{}"),
    ]:  # fmt: skip
        theirs = document["folder_id"] if "folders" in path else document["id"]
        answers = [
            stranger.request(method, path.format(name)) for name in (theirs, new_id(), "rubbish", "..%2f")
        ]
        assert [answer.status_code for answer in answers[:3]] == [404, 404, 404], path
        assert len({answer.content for answer in answers[:3]}) == 1, path
    assert stranger.get("/v1/documents").json()["items"] == []
    assert stranger.get("/v1/folders").json()["items"] == []
    assert served.http.get(f"/v1/documents/{document['id']}").status_code == 200


def test_ready_names_what_it_stands_on(served: Served) -> None:
    answer = served.http.get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["checks"] == {"sql": "ok", "redis": "ok", "blobs": "ok"}


def stream(http: TestClient, document_id: str, **headers: str) -> list[tuple[str, dict[str, Any]]]:
    """Every event until the stream ends, with its id."""
    found = []
    event_id = ""
    with http.stream(
        "GET", f"/v1/documents/{document_id}/events", headers={"Accept": "text/event-stream", **headers}
    ) as response:
        assert response.status_code == 200
        for line in response.iter_lines():
            if line.startswith("id: "):
                event_id = line[4:]
            elif line.startswith("data: "):
                found.append((event_id, json.loads(line[6:])))
    return found
