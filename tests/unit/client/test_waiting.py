"""`wait` lets the server say when something has changed, and gets along where the server cannot."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from footnote_client import AsyncFootnote, RetryPatience
from footnote_client.progress_patience import ProgressPatience

NOW = "2026-11-22T10:00:00.000Z"


def document(document_id: str) -> dict[str, Any]:
    return {
        "id": document_id,
        "workspace_id": "w",
        "visibility": "workspace",
        "title": document_id,
        "filename": f"{document_id}.md",
        "mime": "text/markdown",
        "size": 1,
        "source_type": "upload",
        "folder": "/",
        "status": "indexed",
        "version": 1,
        "chunks": 1,
        "created_at": NOW,
        "updated_at": NOW,
        "sha256": "0" * 64,
        "owner_id": "a",
    }


def progress(cursor: str, *ended: str, waiting: int = 0) -> dict[str, Any]:
    return {
        "waiting": {"queued": waiting} if waiting else {},
        "ended": [document(one) for one in ended],
        "absent": [],
        "cursor": cursor,
    }


class Server:
    """Answers in turn, and notes what it was asked."""

    def __init__(self, *answers: dict[str, Any] | int) -> None:
        self.answers = list(answers)
        self.asked: list[dict[str, Any]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(json.loads(request.content))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, int):
            return httpx.Response(answer, json={"detail": "no room", "code": "too_many"})
        return httpx.Response(200, json=answer)


async def waited(server: Callable[[httpx.Request], httpx.Response], *ids: str, **more: Any) -> list[str]:
    patience = RetryPatience(tries=1)
    transport = httpx.MockTransport(server)
    async with AsyncFootnote("http://api", "key", patience=patience, transport=transport) as client:
        return [one.id for one in await client.documents.wait(ids, **more)]


async def test_the_server_says_when_something_has_changed() -> None:
    server = Server(progress("c1", waiting=2), progress("c2", "d1", waiting=1), progress("c3", "d2"))
    assert await waited(server, "d1", "d2") == ["d1", "d2"]
    assert server.asked == [
        {"ids": ["d1", "d2"]},
        {"ids": ["d1", "d2"], "cursor": "c1", "wait_s": 20.0},
        {"ids": ["d2"], "cursor": "c2", "wait_s": 20.0},
    ]


async def test_where_there_is_no_room_to_wait_the_server_is_asked_now_and_then() -> None:
    server = Server(progress("c1", waiting=1), 429, progress("c1", waiting=1), progress("c2", "d1"))
    assert await waited(server, "d1") == ["d1"]
    assert ["cursor" in one for one in server.asked] == [False, True, False, False]


async def test_nobody_waits_longer_than_they_may() -> None:
    server = Server(progress("c1", waiting=1))
    with pytest.raises(TimeoutError, match="1 of 1"):
        await waited(server, "d1", timeout_s=0.3)
    assert all(one.get("wait_s", 0) <= 0.3 for one in server.asked)


async def test_more_documents_than_one_request_holds_are_all_followed() -> None:
    ids = [f"d{i}" for i in range(1001)]
    server = Server(
        progress("c1", waiting=1000),
        progress("x1", waiting=1),
        progress("c2", *ids[:1000]),
        progress("x2", ids[-1]),
    )
    assert await waited(server, *ids) == ids
    assert [(len(one["ids"]), one.get("wait_s")) for one in server.asked] == [
        (1000, None),
        (1, None),
        (1000, 2.0),
        (1, None),
    ]


def test_a_server_that_does_not_wait_is_not_asked_without_a_pause() -> None:
    patience = ProgressPatience()
    pauses = []
    for cursor in ["c1", "c1", "c1", "c2", "c2"]:
        patience.seen(cursor)
        pauses.append(patience.pause_s())
    assert pauses == [0.0, 0.5, 1.0, 0.0, 0.5]
    patience.give_up_waiting()
    patience.seen("c3")
    assert patience.pause_s() == 0.2
