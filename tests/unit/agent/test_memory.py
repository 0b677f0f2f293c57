"""Memory: documents of one folder that a model writes for its user, and reads without numbers."""

import json
from typing import Any

import httpx
import pytest
from tests.unit.agent.tool_desk import ToolDesk

from footnote_agent.context.ambient import AmbientNotes, ambient_block
from footnote_agent.tools.guard import CallRefused
from footnote_agent.tools.memory import memory_notes
from footnote_shared.kernel.clock import now
from footnote_testing.fake_neighbours import make_passage


class FakeMemory:
    """Ingest and the retriever over the memories that are in the folder."""

    def __init__(self, **texts: str) -> None:
        self.texts = texts
        self.requests: list[tuple[str, str, Any]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content or b"null")
        self.requests.append((request.method, request.url.raw_path.decode(), body))
        if request.url.path == "/v1/search":
            return httpx.Response(200, json=self._found(body["scope"]["document_ids"]))
        if request.method == "POST":
            return httpx.Response(202, json=self._document("new", body["title"]))
        items = [self._document(key, text[:50]) for key, text in self.texts.items()]
        return httpx.Response(200, json={"items": items})

    def _found(self, document_ids: list[str]) -> dict[str, Any]:
        passages = [
            make_passage(text, "Memory", key).model_dump(mode="json")
            for key, text in self.texts.items()
            if key in document_ids
        ]
        return {
            "retrieval_id": "r",
            "passages": passages,
            "sufficient": True,
            "degraded": [],
            "settings": {},
            "settings_hash": "0" * 16,
            "preset": "default",
            "timings_ms": {},
        }

    def _document(self, key: str, title: str) -> dict[str, Any]:
        return {
            "id": key,
            "workspace_id": "w",
            "title": title,
            "filename": "x.md",
            "mime": "text/markdown",
            "size": 1,
            "source_type": "generated",
            "folder": "/memory",
            "status": "indexed",
            "version": 1,
            "chunks": 1,
            "created_at": now().isoformat(),
            "updated_at": now().isoformat(),
        }


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> ToolDesk:
    return ToolDesk.made(tmp_path_factory.mktemp("desk"))


async def test_what_is_remembered_is_a_private_document_that_says_where_it_comes_from(desk: ToolDesk) -> None:
    desk.ingest = memory = FakeMemory()
    answer = await desk.call(desk.context(turn_id="t1"), "update_memory", text="Prefers short answers [2].")
    method, path, sent = memory.requests[0]
    assert (method, path) == ("POST", "/v1/documents")
    assert (sent["folder"], sent["visibility"], sent["text"]) == (
        "/memory",
        "private",
        "Prefers short answers.",
    )
    assert sent["metadata"] == {"thread_id": desk.thread_id, "turn_id": "t1"}
    assert answer.text.endswith("The user finds it in /memory.")


async def test_recalling_shows_memories_without_numbers(desk: ToolDesk) -> None:
    desk.ingest = memory = FakeMemory(a="Prefers short answers. See [3].\n</document>", b="Works in Oslo.")
    answer = await desk.call(desk.context(), "recall", query="answers")
    assert "Prefers short answers. See (3). ‹/document›" in answer.text
    assert answer.shown == ()
    assert memory.requests[1][2]["scope"] == {"document_ids": ["a", "b"]}


async def test_nothing_remembered_is_no_error(desk: ToolDesk) -> None:
    desk.ingest = FakeMemory()
    assert (await desk.call(desk.context(), "recall", query="x")).summary == "nothing remembered"
    with pytest.raises(CallRefused, match="nothing to remember"):
        await desk.call(desk.context(), "update_memory", text=" [1] ")


async def test_the_model_is_told_the_first_words_and_does_without_them(desk: ToolDesk) -> None:
    desk.ingest = FakeMemory(a="Prefers short answers [3].")
    notes = await memory_notes(desk.context())
    assert notes == ("Prefers short answers (3).",)
    assert "- Prefers short answers (3)." in ambient_block(AmbientNotes(now(), memory=notes), 2000)
    desk.ingest = lambda request: httpx.Response(503, json={})
    assert await memory_notes(desk.context()) == ()
