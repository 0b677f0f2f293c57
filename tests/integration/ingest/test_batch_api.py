"""Handing in many documents at once: each has its own outcome."""

import json
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

import pytest
from sqlalchemy import event

from footnote_shared.blobs.protocol import BlobStore
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.errors import Unavailable
from tests.integration.ingest.served import Served

File = tuple[str, bytes]


def send(
    served: Served, files: list[File], fields: list[dict[str, Any]] | None = None, **headers: str
) -> list[dict[str, Any]]:
    answer = served.http.post(
        "/v1/documents:batch",
        files=[("file", file) for file in files],
        data={} if fields is None else {"fields": json.dumps(fields)},
        headers=headers,
    )
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def test_files_are_accepted_with_what_is_said_about_each(served: Served) -> None:
    items = send(
        served,
        [("a.md", b"# Hello"), ("b.txt", b"Some text.")],
        [{"folder": "/x"}, {"title": "Given", "external_id": "E1", "metadata": {"author": "Ada"}}],
    )
    first, second = (item["document"] for item in items)
    assert [item["status"] for item in items] == [202, 202]
    assert (first["folder"], first["filename"], first["mime"]) == ("/x", "a.md", "text/markdown")
    assert (second["title"], second["external_id"], second["metadata"]) == ("Given", "E1", {"author": "Ada"})
    served.work()
    assert served.http.get(f"/v1/documents/{first['id']}").json()["status"] == "indexed"


def test_texts_are_accepted_as_json(served: Served) -> None:
    texts = [{"title": "One", "text": "First."}, {"title": "Two", "text": "Second.", "folder": "notes"}]
    answer = served.http.post("/v1/documents:batch", json={"documents": texts})
    assert answer.status_code == 200, answer.text
    assert [item["document"]["folder"] for item in answer.json()["items"]] == ["/", "/notes"]


def test_one_that_is_refused_refuses_no_other(served: Served) -> None:
    items = send(
        served,
        [("a.txt", b"One."), ("b.exe", bytes(range(256)) * 4), ("c.txt", b"Three."), ("d.txt", b"Four.")],
        [{}, {}, {"folder": "../up"}, {}],
    )
    assert [item["status"] for item in items] == [202, 415, 422, 202]
    assert items[1]["problem"]["code"] == "unsupported_type"
    assert items[2]["problem"]["errors"][0]["field"] == "folder"
    assert [item["document"] is None for item in items] == [False, True, True, False]
    assert {d["filename"] for d in served.http.get("/v1/documents").json()["items"]} == {"a.txt", "d.txt"}


def test_a_text_that_is_not_valid_refuses_no_other(served: Served) -> None:
    answer = served.http.post(
        "/v1/documents:batch", json={"documents": [{"title": "One", "text": "First."}, {"text": 7}, "no"]}
    )
    assert [item["status"] for item in answer.json()["items"]] == [202, 422, 422]


def test_two_of_the_same_place_are_two_versions_in_the_order_given(served: Served) -> None:
    first, second = send(served, [("a.txt", b"Old."), ("a.txt", b"New.")])
    assert first["document"]["id"] == second["document"]["id"]
    assert [first["document"]["version"], second["document"]["version"]] == [1, 2]


def test_the_same_key_gives_the_same_outcomes(served: Served) -> None:
    files = [("a.txt", b"One."), ("b.exe", bytes(range(256)) * 4)]
    headers = {"Idempotency-Key": "once"}
    assert send(served, files, None, **headers) == send(served, files, None, **headers)
    other = served.http.post(
        "/v1/documents:batch", files=[("file", ("a.txt", b"Other."))], headers={"Idempotency-Key": "once"}
    )
    assert other.status_code == 409


def test_a_batch_needs_the_right_to_write(served: Served) -> None:
    reader = served.new_client()
    answer = reader.post("/v1/documents:batch", files=[("file", ("a.txt", b"One."))])
    assert answer.status_code == 401


@pytest.mark.parametrize(
    ("fields", "field"),
    [("{}", "fields"), ("[{}]", "fields"), ("[", "fields"), ("[" * 50 + "]" * 50, "fields")],
)
def test_fields_that_fit_no_file_are_refused(served: Served, fields: str, field: str) -> None:
    files = [("file", (f"{n}.txt", b"Text.")) for n in range(2)]
    answer = served.http.post("/v1/documents:batch", files=files, data={"fields": fields})
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == [field]


@pytest.mark.parametrize("body", [{}, {"documents": []}, {"documents": [{}] * 101}, {"other": []}])
def test_a_body_without_documents_or_with_too_many_is_refused(served: Served, body: dict[str, Any]) -> None:
    assert served.http.post("/v1/documents:batch", json=body).status_code == 422


def test_more_files_than_a_batch_may_hold_are_refused(served: Served) -> None:
    files = [("file", (f"{n}.txt", b"Text.")) for n in range(101)]
    assert served.http.post("/v1/documents:batch", files=files).status_code in (400, 422)
    assert served.http.get("/v1/documents").json()["items"] == []


def test_a_batch_may_have_no_more_bytes_than_an_upload(served: Served) -> None:
    files = [("file", (f"{n}.txt", b"x" * 100_000)) for n in range(4)]
    assert served.http.post("/v1/documents:batch", files=files).status_code == 413


def test_a_store_that_does_not_answer_accepts_nothing(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs = served.app.state.ingest.blobs

    def away(self: BlobStore, contents: Mapping[str, bytes]) -> None:
        raise Unavailable("blobs", "The object store does not answer.")

    with monkeypatch.context() as patched:
        patched.setattr(type(blobs), "put_all", away)
        answer = served.http.post("/v1/documents:batch", files=[("file", ("a.txt", b"One."))])
    assert answer.status_code == 503
    assert served.http.get("/v1/documents").json()["items"] == []


def test_a_batch_that_is_committed_piece_by_piece_has_the_same_outcomes(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on SQLite, where nobody else writes during a transaction."""
    database = served.app.state.ingest.acceptor.database
    monkeypatch.setattr(database, "held_s", 0.0)
    commits: list[int] = []
    event.listen(database.engine, "commit", lambda _: commits.append(1))
    files = [("a.txt", b"One."), ("b.exe", bytes(range(256)) * 4), ("c.txt", b"Three."), ("c.txt", b"Four.")]
    headers = {"Idempotency-Key": "once"}
    items = send(served, files, None, **headers)
    assert [item["status"] for item in items] == [202, 415, 202, 202]
    assert [item["document"]["version"] for item in items if item["document"]] == [1, 1, 2]
    assert len(commits) >= len(files)
    assert send(served, files, None, **headers) == items, "the whole answer is kept"


def test_a_batch_that_was_cut_off_between_two_pieces_can_be_sent_again(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = served.app.state.ingest.acceptor.database
    monkeypatch.setattr(database, "held_s", 0.0)
    files = [("a.txt", b"One."), ("b.txt", b"Two."), ("c.txt", b"Three.")]
    headers = {"Idempotency-Key": "once"}
    write, pieces = database.write_once_more, count(1)

    def dies_after_the_first(work: Callable[[WriteSession], Any], **how: bool) -> Any:
        if next(pieces) == 2:
            raise Unavailable("sql", "The database does not answer.")
        return write(work, **how)

    with monkeypatch.context() as patched:
        patched.setattr(database, "write_once_more", dies_after_the_first)
        answer = served.http.post(
            "/v1/documents:batch", files=[("file", file) for file in files], headers=headers
        )
    assert answer.status_code == 503
    assert [d["filename"] for d in served.http.get("/v1/documents").json()["items"]] == ["a.txt"]
    items = send(served, files, None, **headers)
    assert [item["document"]["version"] for item in items] == [1, 1, 1]
    assert len(served.http.get("/v1/documents").json()["items"]) == 3
