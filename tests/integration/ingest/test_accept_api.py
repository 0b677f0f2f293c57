"""Handing documents in over HTTP."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from starlette.formparsers import MultiPartParser

from footnote_shared.contracts.identity import Scope
from footnote_shared.kernel.ids import new_id
from footnote_shared.security.api_keys import make_key
from footnote_testing.unwritable import unwritable
from footnote_testing.workspace import make_caller
from tests.integration.ingest.served import Served
from tests.integration.ingest.workshop import sha256


def fields_of(problem: dict[str, Any]) -> set[str]:
    return {error["field"] for error in problem["errors"]}


def test_a_full_temporary_folder_is_said_and_keeps_nothing(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = b"Gulls steal bread. " * 100
    with monkeypatch.context() as patched:
        # The file of an upload that is too large for memory cannot be made there.
        patched.setattr(MultiPartParser, "spool_max_size", 1000)
        patched.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
        refused = served.http.post("/v1/documents", files={"file": ("gulls.txt", content)})
    assert refused.status_code == 503
    assert "temporary folder" in refused.json()["detail"]
    assert int(refused.headers["retry-after"]) > 0
    assert served.http.get("/v1/documents").json()["items"] == []
    assert served.upload("gulls.txt", content)["size"] == len(content)


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
        read = served.http.get(f"/v1/documents/{document['id']}").json()
        assert read == {**document, "summary": None}

    @pytest.mark.parametrize("kind", ["\0", "a/b\x7f", "text/pl\u00e4in", "no type", "x" * 300])
    @pytest.mark.parametrize("content", [b"", b"Some text."], ids=["empty", "text"])
    def test_a_file_of_an_odd_type_can_be_read_again(self, served: Served, kind: str, content: bytes) -> None:
        head = f'name="file"; filename="odd.txt"\r\nContent-Type: {kind}'.encode()
        body = b"--x\r\nContent-Disposition: form-data; %b\r\n\r\n%b\r\n--x--\r\n" % (head, content)
        answer = served.http.post(
            "/v1/documents", content=body, headers={"Content-Type": "multipart/form-data; boundary=x"}
        )
        assert answer.status_code == 202, answer.text
        read = served.http.get(f"/v1/documents/{answer.json()['id']}/content")
        assert (read.status_code, read.content) == (200, content)

    @pytest.mark.parametrize(
        "changed",
        [
            {},
            {
                "folder": "/a/b",
                "external_id": "E",
                "metadata": {"n": [1, None, "\u00e4"]},
                "mime": "text/markdown",
            },
            {"visibility": "private", "source_type": "memory"},
            {"session_id": "s" * 20},
            {"title": "x" * 501},
            {"text": 1},
            {"folder": 3},
            {"title": "a\0b"},
            {"session_id": "short"},
            {"session_id": "s" * 20, "folder": "/a"},
            {"metadata": {"deep": {"er": [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]}}},
            {"text": ""},
            {"text": "%PDF-1.4 no more of it"},
            {"text": "\x7fELF\x01\x01\x01" + "\0\1\2" * 50},
            {"unknown": True},
        ],
    )
    @pytest.mark.parametrize("scopes", [["read", "write"], ["read"]])
    def test_a_text_is_answered_behind_the_door_as_by_the_framework(
        self, served: Served, changed: dict[str, Any], scopes: list[Scope]
    ) -> None:
        given = {"title": "A note", "text": "Remember the milk."} | changed

        def answered(kind: str) -> tuple[int, dict[str, Any]]:
            principal, _ = make_caller(served.workshop.database)
            with served.workshop.database.write() as session:
                key = make_key(session, principal, "another", scopes)
            headers = {"Authorization": f"Bearer {key}", "Content-Type": kind}
            answer = served.http.post("/v1/documents", content=json.dumps(given), headers=headers)
            told = answer.json()
            its_own = {"id", "workspace_id", "avatar_id", "folder_id", "trace_id"}
            its_own |= {name for name in told if name.endswith("_at")}
            return answer.status_code, {name: told[name] for name in told if name not in its_own}

        assert answered("application/json") == answered("application/json; charset=utf-8")

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

    def test_a_known_file_is_found_under_the_name_that_its_upload_gets(self, served: Served) -> None:
        made = served.upload("turned\u202egnp.txt", b"One.", folder="/x")
        file = {"folder": "/x", "filename": "turned\u202egnp.txt", "sha256": sha256("One.")}
        (item,) = served.http.post("/v1/documents:known", json={"items": [file]}).json()["items"]
        assert (item["id"], item["filename"]) == (made["id"], "turnedgnp.txt")

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
            ({"files": {"file": ("a.txt", b"x")}, "data": {"metadata": r'{"a":"\ud800"}'}}, "metadata"),
            ({"files": {"file": ("a.txt", b"x")}, "data": {"metadata": '{"a":1e400}'}}, "metadata"),
            ({"files": {"file": ("a.txt", b"x")}, "data": {"folder": "/a/../b"}}, "folder"),
            ({"files": {"file": ("a.txt", b"x")}, "data": {"surprise": "1"}}, "surprise"),
            ({"files": {"file": ("a.txt", b"x")}, "data": {"title": "t" * 501}}, "title"),
            ({"files": {"file": ("a.txt", b"x")}, "data": {"external_id": "e" * 501}}, "external_id"),
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

    def test_a_title_and_an_external_id_may_have_500_characters(self, served: Served) -> None:
        document = served.upload("a.txt", b"One.", title="t" * 500, external_id="e" * 500)
        assert (len(document["title"]), len(document["external_id"])) == (500, 500)

    def test_a_name_that_is_a_path_or_hostile_is_reduced_to_a_plain_one(self, served: Served) -> None:
        assert served.upload("../../etc/passwd.txt", b"x")["filename"] == "passwd.txt"
        assert len(served.upload("n" * 400 + ".txt", b"y")["filename"]) == 255


class TestFolderThatCannotBeWritten:
    def test_an_upload_is_asked_to_come_again_and_nothing_is_noted(self, served: Served) -> None:
        requests: list[dict[str, Any]] = [
            {"files": {"file": ("a.txt", b"One.")}},
            {"json": {"title": "A note", "text": "Remember the milk."}},
        ]
        with unwritable(served.settings.data / "blobs"):
            for request in requests:
                answer = served.http.post("/v1/documents", **request)
                assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
                assert int(answer.headers["Retry-After"]) >= 1
        assert served.http.get("/v1/documents").json()["items"] == []
        assert [served.http.post("/v1/documents", **request).status_code for request in requests] == [
            202,
            202,
        ]

    def test_a_worker_waits_and_then_goes_on(self, served: Served) -> None:
        document = served.upload("a.txt", b"One.")
        with unwritable(served.settings.data / "blobs"):
            for _ in range(2 * served.workshop.policy.max_attempts):
                served.workshop.end_back_off(document["id"])
                served.work()
        assert served.workshop.row(document["id"]).status == "extracting"
        served.workshop.end_back_off(document["id"])
        served.work()
        assert served.workshop.row(document["id"]).status == "indexed"
