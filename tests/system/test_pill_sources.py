"""Citations of each type of source and format (spec 2.7)."""

from collections.abc import Callable

import pytest

from footnote_shared.kernel.ids import new_id
from tests.system.files import docx_bytes, pdf_bytes
from tests.system.handbook import Handbook, passage_item
from tests.system.stacks import Client

pytestmark = pytest.mark.system


def test_each_type_of_source_is_rendered_and_has_a_pill(
    user: Client, handbook: Callable[..., Handbook]
) -> None:
    book = handbook()
    thread = user.thread()
    turn = user.ask(f"What may a room in a hotel in {book.place} cost?", thread)
    message = turn["message"]
    (chunk,) = [
        c for c in user.http.get(f"/v1/documents/{book.id}/chunks").json()["items"] if book.cited in c["text"]
    ]
    version = user.document(book.id)["version"]
    here = {"document_id": book.id, "chunk_id": chunk["id"]}
    items = [
        {"source_type": "kb_chunk", "locator": here, "text": chunk["text"]},
        {
            "source_type": "kb_document",
            "locator": {"document_id": book.id},
            "text": "Four sections.",
            "source_version": version,
        },
        {
            "source_type": "connector_item",
            "locator": {"connector_id": "slack", "external_id": "C1/17"},
            "text": "Ship it.",
        },
        {
            "source_type": "web_result",
            "locator": {"url": "https://Example.org/a/?utm_source=x#y"},
            "text": "A page.",
        },
        {
            "source_type": "chat_turn",
            "locator": {"thread_id": thread, "message_id": message["id"]},
            "text": message["text"],
        },
        {"source_type": "anon_chunk", "locator": {"session_id": new_id(), **here}, "text": chunk["text"]},
        {
            "source_type": "anon_chunk",
            "locator": {"session_id": "s", "document_id": new_id(), "chunk_id": new_id()},
            "text": "Gone.",
        },
    ]
    conversation = user.http.post("/v1/conversations", json={}).json()["id"]
    path = f"/v1/conversations/{conversation}/citations"
    answer = user.http.post(path, json={"items": items}).json()
    assert answer["numbers"] == [1, 2, 3, 4, 5, 6, 7]
    assert all(f"[{n}] " in answer["rendered"] for n in answer["numbers"])
    pills = [user.http.get(f"{path}/{n}").json() for n in answer["numbers"]]
    assert [(pill["source_type"], pill["status"], pill["checked"]) for pill in pills] == [
        ("kb_chunk", "current", True),
        ("kb_document", "current", True),
        ("connector_item", "current", False),
        ("web_result", "current", False),
        ("chat_turn", "current", True),
        ("anon_chunk", "current", True),
        ("anon_chunk", "deleted", True),
    ]
    assert pills[3]["document_url"] == "https://example.org/a"
    book.sections[1] += " Welcome!"
    book.upload()
    assert user.http.delete(f"/v1/threads/{thread}").status_code == 204
    after = [user.http.get(f"{path}/{n}").json()["status"] for n in answer["numbers"]]
    assert after == ["current", "changed", "current", "current", "deleted", "current", "deleted"]


@pytest.mark.parametrize("kind", ["docx", "pdf", "html"])
def test_characters_count_in_the_text_that_was_read(user: Client, kind: str) -> None:
    said = f"The cable car of {kind} carries forty persons up the mountain each quarter of an hour."
    content = {
        "docx": lambda: docx_bytes("Cable cars", {"Figures": ["First the weather.", said]}),
        "pdf": lambda: pdf_bytes([["Weather", "It is fine."], ["Figures", said]]),
        "html": lambda: f"<html><body><h1>Figures</h1><p>Fine.</p><p>{said}</p></body></html>".encode(),
    }[kind]()
    document = user.upload(f"cable.{kind}", content, folder="/cables")
    user.wait_ended([document["id"]])
    passage = user.search(said, scope={"document_ids": [document["id"]]})["passages"][0]
    conversation = user.thread()
    path = f"/v1/conversations/{conversation}/citations"
    user.http.post(path, json={"items": [passage_item(passage)]})
    pill = user.http.get(f"{path}/1").json()
    assert pill["status"] == "current"
    start, end = pill["place"]["char_start"], pill["place"]["char_end"]
    text = user.http.get(pill["text_url"]).text
    assert " ".join(text[start:end].split()) == " ".join(passage["text"].split())
    assert said in " ".join(text[start:end].split())
    if kind == "pdf":
        assert pill["document_url"].startswith(f"/v1/documents/{document['id']}/content#page=2&char=")
