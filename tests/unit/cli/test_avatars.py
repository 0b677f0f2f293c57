"""`footnote avatars`."""

import io
import json
from typing import Any

import pytest

from tests.unit.cli.conftest import Footnote
from tests.unit.cli.fake_server import Asked, Canned, FakeServer, problem

ID = "01a2019d-3c0a-7b6e-8d1f-5a4e90b7c2d1"
PATH = f"/v1/avatars/{ID}"


def receipt(**more: Any) -> dict[str, Any]:
    removed = {"rows": {"documents": 3, "messages": 1200}, "vectors": 1200, "blobs": 9, "originals": 3}
    said = {"avatar_id": ID, "shared": "keep", "asked_at": "2026-11-24T10:00:00Z", "kept": 4, **more}
    return said | {"removed": {**removed, "cached": 0, "keys": 0}}


@pytest.fixture
def leaving(server: FakeServer) -> FakeServer:
    looks = [receipt(reason="The disk is gone."), receipt(gone_at="2026-11-24T10:00:20Z")]

    def look(asked: Asked) -> Canned:
        return Canned(looks.pop(0) if len(looks) > 1 else looks[0])

    server.answers |= {f"DELETE {PATH}": Canned(receipt(), 202), f"GET {PATH}/receipt": look}
    return server


def test_the_list_follows_the_pages(footnote: Footnote, server: FakeServer) -> None:
    made = "2026-01-02T00:00:00Z"

    def page(asked: Asked) -> Canned:
        one = {"id": "a1", "name": "anna [1]", "created_at": made, "keys": 7, "connectors": 5}
        if "cursor=more" in asked.query:
            return Canned({"items": [{**one, "id": "a2", "deletion_asked_at": made}]})
        return Canned({"items": [one], "next_cursor": "more"})

    server.answers["GET /v1/avatars"] = page
    done = footnote("avatars", url=server.url)
    assert done.status == 0
    for told in ("a1", "a2", "anna [1]", "being deleted", "2026-01-02", "7", "5"):
        assert told in done.out, told
    assert len(json.loads(footnote("avatars", "--json", url=server.url).out)["items"]) == 2


def test_a_deletion_sends_the_name_and_is_followed_to_its_end(
    footnote: Footnote, leaving: FakeServer
) -> None:
    done = footnote("avatars", "delete", ID, "--name", "anna [1]", url=leaving.url)
    assert done.status == 0
    (asked,) = leaving.of(f"DELETE {PATH}")
    assert "name=anna" in asked.query
    assert "shared=keep" in asked.query
    assert len(leaving.of(f"GET {PATH}/receipt")) == 2
    for told in ("gone since", "Shared documents that stay: 4", "1,200", "rows of messages"):
        assert told in done.out, told


def test_shared_documents_go_if_it_is_said(footnote: Footnote, leaving: FakeServer) -> None:
    done = footnote(
        "avatars", "delete", ID, "--name", "x", "--shared", "--no-wait", "--json", url=leaving.url
    )
    assert json.loads(done.out)["avatar_id"] == ID
    (asked,) = leaving.of(f"DELETE {PATH}")
    assert "shared=delete" in asked.query
    assert not leaving.of(f"GET {PATH}/receipt")


def test_nothing_is_sent_when_the_question_has_no_answer(
    footnote: Footnote, leaving: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    done = footnote("avatars", "delete", ID, url=leaving.url)
    assert done.status != 0
    assert not leaving.asked


def test_what_the_server_refuses_is_said(footnote: Footnote, leaving: FakeServer) -> None:
    leaving.answers[f"DELETE {PATH}"] = problem(409, "The document is under legal hold.")
    done = footnote("avatars", "delete", ID, "--name", "x", url=leaving.url)
    assert done.status == 1
    assert "under legal hold" in done.err


def test_a_receipt_can_be_read_later(footnote: Footnote, leaving: FakeServer) -> None:
    done = footnote("avatars", "receipt", ID, url=leaving.url)
    assert done.status == 0
    assert "rows of messages" in done.out
