"""Whatever comes in: a clear problem document, or a failed document with a reason; nothing else is hurt."""

import io
import json
import zipfile
from typing import Any

import pytest

from footnote_shared.kernel.ids import new_id
from tests.system.files import empty_pdf, pdf_bytes
from tests.system.stacks import Client

pytestmark = pytest.mark.system


def bomb_docx() -> bytes:
    """A Word file whose document part is 64 MiB of spaces, a thousand times its size."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "[Content_Types].xml",
            "<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'/>",
        )
        with archive.open("word/document.xml", "w", force_zip64=True) as part:
            for _ in range(16):
                part.write(b" " * 2**22)
    return out.getvalue()


def encrypted_pdf() -> bytes:
    """A PDF with the trailer of one that needs a password."""
    plain = pdf_bytes([["Secret", "Nobody reads this."]])
    encrypt = (
        b"/Encrypt << /Filter /Standard /V 1 /R 2 /Length 40 /P -44 /O <"
        + b"aa" * 32
        + b"> /U <"
        + b"bb" * 32
        + b"> >> "
        b"/ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>] "
    )
    return plain.replace(b"trailer << ", b"trailer << " + encrypt)


FAILING = {
    "empty.txt": (b"", "empty"),
    "blank.md": (b"  \n\n \t\n", "empty"),
    "nothing.pdf": (empty_pdf(), "no pages"),
    "locked.pdf": (encrypted_pdf(), "password"),
    "torn.pdf": (pdf_bytes([["A", "b"]])[:120], "PDF"),
    "bomb.docx": (bomb_docx(), "bomb"),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_file_that_cannot_be_read_fails_with_a_reason_for_people(user: Client, name: str) -> None:
    content, word = FAILING[name]
    answer = user.http.post("/v1/documents", files={"file": (name, content)}, data={"folder": "/bad"})
    if answer.status_code != 202:
        assert answer.status_code in (415, 422)
        assert word.lower() in answer.text.lower()
        return
    (document,) = user.wait_ended([answer.json()["id"]])
    assert document["status"] == "failed"
    assert word.lower() in document["error"]["reason"].lower()
    assert document["error"]["retryable"] is False
    assert "Traceback" not in json.dumps(document)


@pytest.mark.parametrize("name", ["program.txt", "program.exe", "program"])
def test_a_binary_is_refused_with_the_list_of_types(user: Client, name: str) -> None:
    content = b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 40
    answer = user.http.post("/v1/documents", files={"file": (name, content)})
    assert answer.status_code == 415, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert "pdf" in answer.json()["detail"]


def test_wrong_utf8_is_read_all_the_same(user: Client) -> None:
    document = user.upload(
        "latin.txt", "Der Müller mahlt in Gödöllő für 5 Euro.".encode("cp1250"), folder="/odd"
    )
    (ended,) = user.wait_ended([document["id"]])
    assert ended["status"] == "indexed"
    found = user.search("Müller mahlt", scope={"document_ids": [document["id"]]})
    assert "Müller" in found["passages"][0]["text"]


def test_a_file_of_200_mb_is_refused_before_it_is_read(user: Client) -> None:
    answer = user.http.post("/v1/documents", files={"file": ("huge.txt", b"a" * (200 * 2**20))})
    assert answer.status_code == 413
    assert answer.json()["title"]


NOBODYS = "0197a3c0-0000-7000-8000-000000000000"
"""An id that nothing has. It is the same in every process, since it stands in the names of tests."""

PROBLEMS: list[tuple[str, str, dict[str, Any], int, str]] = [
    ("POST", "/v1/documents", {"json": {"title": "no text"}}, 422, "text"),
    ("POST", "/v1/documents", {"data": {"folder": "/x"}, "files": {"other": b"x"}}, 422, "file"),
    (
        "POST",
        "/v1/documents",
        {"content": b"{not json", "headers": {"Content-Type": "application/json"}},
        422,
        "json",
    ),
    ("POST", "/v1/documents", {"json": {"title": "t", "text": "x", "surprise": 1}}, 422, "surprise"),
    ("POST", "/v1/documents", {"json": {"title": "t", "text": "x", "folder": "/a/../b"}}, 422, "folder"),
    (
        "POST",
        "/v1/search",
        {"content": b"[1, 2", "headers": {"Content-Type": "application/json"}},
        422,
        "json",
    ),
    ("POST", "/v1/search", {"json": {}}, 422, "query"),
    ("POST", "/v1/search", {"json": {"query": "x", "settings": {"topk": 3}}}, 422, "topk"),
    ("POST", "/v1/search", {"json": {"query": "x", "settings": {"top_k": 0}}}, 422, "top_k"),
    ("POST", "/v1/search", {"json": {"query": "x", "preset": "nosuch"}}, 422, "preset"),
    ("POST", "/v1/search", {"json": {"query": "x" * 100_000}}, 422, "query"),
    (
        "POST",
        "/v1/search",
        {"content": b"[" * 5000 + b"]" * 5000, "headers": {"Content-Type": "application/json"}},
        422,
        "nested",
    ),
    ("GET", "/v1/documents?limit=9999", {}, 422, "limit"),
    ("GET", "/v1/documents?cursor=rubbish", {}, 422, "cursor"),
    ("GET", "/v1/documents/not-an-id", {}, 404, "Not found"),
    ("GET", f"/v1/documents/{NOBODYS}", {}, 404, "Not found"),
    ("GET", f"/v1/streams/{NOBODYS}", {}, 404, "Not found"),
    ("GET", "/v1/nosuch", {}, 404, "Not found"),
    ("POST", f"/v1/threads/{NOBODYS}/turns", {"json": {"text": "x"}}, 404, "Not found"),
]


@pytest.mark.parametrize(("method", "path", "options", "status", "word"), PROBLEMS)
def test_a_bad_request_gets_a_problem_document_that_names_the_fault(
    user: Client, method: str, path: str, options: dict[str, Any], status: int, word: str
) -> None:
    answer = user.http.request(method, path, **options)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert {"type", "title", "status", "detail"} <= problem.keys()
    assert word.lower() in answer.text.lower()


def test_an_unknown_turn_setting_is_named(user: Client) -> None:
    answer = user.http.post(
        f"/v1/threads/{user.thread()}/turns", json={"text": "x", "settings": {"engin": "pipeline"}}
    )
    assert answer.status_code == 422
    assert "engin" in answer.text


def test_the_same_idempotency_key_gives_the_same_document_and_another_body_a_conflict(user: Client) -> None:
    headers = {"Idempotency-Key": new_id()}
    body = {"title": "once", "text": "Only once."}
    first = user.http.post("/v1/documents", json=body, headers=headers)
    again = user.http.post("/v1/documents", json=body, headers=headers)
    other = user.http.post("/v1/documents", json={**body, "text": "Other."}, headers=headers)
    assert (first.status_code, again.status_code, other.status_code) == (202, 202, 409)
    assert first.json()["id"] == again.json()["id"]


def test_after_all_that_a_good_file_is_answered_from(user: Client) -> None:
    document = user.upload("good.txt", b"The lighthouse keeper is called Ottoline.")
    (ended,) = user.wait_ended([document["id"]])
    assert ended["status"] == "indexed"
    assert "Ottoline" in user.ask("What is the lighthouse keeper called?")["message"]["text"]
