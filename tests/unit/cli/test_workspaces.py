"""`footnote workspaces`."""

import io
import json
from typing import Any

import pytest

from tests.unit.cli.conftest import Footnote
from tests.unit.cli.fake_server import Asked, Canned, FakeServer, problem

ID = "01a2019d-3c0a-7b6e-8d1f-5a4e90b7c2d1"
PATH = f"/v1/workspaces/{ID}"


def receipt(**more: Any) -> dict[str, Any]:
    removed = {"rows": {"documents": 3, "chunks": 1200}, "vectors": 1200, "blobs": 9, "originals": 3}
    return {"workspace_id": ID, "name": "Office [1]", "asked_at": "2026-11-23T10:00:00Z", **more} | {
        "removed": {**removed, "cached": 0, "keys": 0}
    }


@pytest.fixture
def closing(server: FakeServer) -> FakeServer:
    looks = [receipt(reason="The disk is gone."), receipt(gone_at="2026-11-23T10:00:20Z")]

    def look(asked: Asked) -> Canned:
        return Canned(looks.pop(0) if len(looks) > 1 else looks[0])

    server.answers |= {f"DELETE {PATH}": Canned(receipt(), 202), f"GET {PATH}/receipt": look}
    return server


def test_the_list_follows_the_pages(footnote: Footnote, server: FakeServer) -> None:
    made = "2026-01-02T00:00:00Z"

    def page(asked: Asked) -> Canned:
        if "cursor=more" in asked.query:
            return Canned(
                {"items": [{"id": "w2", "name": "b", "created_at": made, "deletion_asked_at": made}]}
            )
        return Canned({"items": [{"id": "w1", "name": "a", "created_at": made}], "next_cursor": "more"})

    server.answers["GET /v1/workspaces"] = page
    done = footnote("workspaces", url=server.url)
    assert done.status == 0
    for told in ("w1", "w2", "being deleted", "2026-01-02"):
        assert told in done.out, told
    assert len(json.loads(footnote("workspaces", "--json", url=server.url).out)["items"]) == 2


def test_a_deletion_sends_the_name_and_is_followed_to_its_end(
    footnote: Footnote, closing: FakeServer
) -> None:
    done = footnote("workspaces", "delete", ID, "--name", "Office [1]", url=closing.url)
    assert done.status == 0
    (asked,) = closing.of(f"DELETE {PATH}")
    assert asked.query in ("name=Office+%5B1%5D", "name=Office%20%5B1%5D")
    assert len(closing.of(f"GET {PATH}/receipt")) == 2
    assert "Office [1] is gone" in done.out
    assert "1,200" in done.out


def test_it_only_begins_when_nobody_waits(footnote: Footnote, closing: FakeServer) -> None:
    done = footnote("workspaces", "delete", ID, "--name", "x", "--no-wait", "--json", url=closing.url)
    assert json.loads(done.out)["name"] == "Office [1]"
    assert not closing.of(f"GET {PATH}/receipt")


def test_nothing_is_sent_when_the_question_has_no_answer(
    footnote: Footnote, closing: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    done = footnote("workspaces", "delete", ID, url=closing.url)
    assert done.status != 0
    assert not closing.asked


def test_what_the_server_refuses_is_said(footnote: Footnote, closing: FakeServer) -> None:
    closing.answers[f"DELETE {PATH}"] = problem(409, "Of its documents, 2 are under legal hold.")
    done = footnote("workspaces", "delete", ID, "--name", "x", url=closing.url)
    assert done.status == 1
    assert "under legal hold" in done.err


def test_a_receipt_can_be_read_later(footnote: Footnote, closing: FakeServer) -> None:
    done = footnote("workspaces", "receipt", ID, url=closing.url)
    assert done.status == 0
    assert "rows of chunks" in done.out
