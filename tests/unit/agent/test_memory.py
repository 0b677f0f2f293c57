"""Memory: documents of one folder that a model writes for its user, and reads without numbers."""

import json
from typing import Any

import httpx
import pytest
from tests.unit.agent.tool_desk import ToolDesk, search_answer

from footnote_agent.context.ambient import AmbientNotes, ambient_block
from footnote_agent.context.handles import HandleTarget
from footnote_agent.tools.guard import CallRefused
from footnote_agent.tools.memory import memory_notes
from footnote_agent.tools.mention_notes import folder_notes
from footnote_agent.tools.tool_context import ToolContext
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id
from footnote_testing.fake_neighbours import make_passage


class FakeMemory:
    """Ingest and the retriever over the memories that are in the folder."""

    def __init__(self, **texts: str) -> None:
        self.texts = texts
        self.waiting: set[str] = set()
        self.requests: list[tuple[str, str, Any]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content or b"null")
        self.requests.append((request.method, request.url.raw_path.decode(), body))
        if request.url.path == "/v1/documents:lookup":
            found = [self._document(key, "x") for key in body["ids"] if key in self.texts]
            return httpx.Response(200, json={"items": found})
        if request.url.path == "/v1/search":
            return httpx.Response(200, json=self._found(body["scope"]["document_ids"]))
        if request.method == "POST":
            return httpx.Response(202, json=self._document("new", body["title"]))
        items = [self._document(key, text[:50]) for key, text in self.texts.items()]
        return httpx.Response(200, json={"items": items[: int(request.url.params["limit"])]})

    def _found(self, document_ids: list[str]) -> dict[str, Any]:
        kept = [
            (key, text) for key, text in self.texts.items() if key in document_ids and key not in self.waiting
        ]
        return search_answer([make_passage(text, "Memory", key) for key, text in kept])

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
            "status": "queued" if key in self.waiting else "indexed",
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
    assert memory.requests[1][2]["scope"] == {"document_ids": ["a", "b"], "memory": True}


async def test_a_memory_that_cannot_be_searched_yet_is_told_by_how_it_begins(desk: ToolDesk) -> None:
    desk.ingest = memory = FakeMemory(a="Works in Oslo.", b="Prefers short answers [3].")
    memory.waiting = {"a"}
    answer = await desk.call(desk.context(), "recall", query="where I work")
    assert "(not searchable yet; it begins): Works in Oslo." in answer.text
    assert "Prefers short answers" in answer.text.splitlines()[0]
    memory.waiting = {"a", "b"}
    answer = await desk.call(desk.context(), "recall", query="where I work")
    assert [line.partition("): ")[2] for line in answer.text.splitlines()] == [
        "Works in Oslo.",
        "Prefers short answers (3).",
    ]


async def test_nothing_remembered_is_no_error(desk: ToolDesk) -> None:
    desk.ingest = FakeMemory()
    answer = await desk.call(desk.context(), "recall", query="x")
    assert (answer.text, answer.summary) == ("Nothing about that is remembered.", "0 memories")
    desk.ingest = FakeMemory(a="Works in Oslo.")
    assert (await desk.call(desk.context(), "recall", query="Oslo")).summary == "1 memory"
    with pytest.raises(CallRefused, match="nothing to remember"):
        await desk.call(desk.context(), "update_memory", text=" [1] ")


async def test_the_model_is_told_the_first_words_and_does_without_them(desk: ToolDesk) -> None:
    desk.ingest = FakeMemory(a="Prefers short answers [3].")
    notes = await memory_notes(desk.context())
    assert notes == ("Prefers short answers (3).",)
    assert "- Prefers short answers (3)." in ambient_block(AmbientNotes(now(), memory=notes), 2000)
    desk.ingest = lambda request: httpx.Response(503, json={})
    assert await memory_notes(desk.context()) == ()


async def test_the_model_is_told_of_twenty_memories_and_looks_through_a_hundred(desk: ToolDesk) -> None:
    desk.ingest = memory = FakeMemory(**{f"m{n}": f"Fact {n}." for n in range(120)})
    assert len(await memory_notes(desk.context())) == 20
    await desk.call(desk.context(), "recall", query="facts")
    assert len(memory.requests[-1][2]["scope"]["document_ids"]) == 100


async def test_a_memory_is_a_sentence_or_two_under_a_short_title(desk: ToolDesk) -> None:
    desk.ingest = memory = FakeMemory()
    await desk.call(desk.context(), "update_memory", text="x" * 1000)
    assert len(memory.requests[0][2]["title"]) == 100
    with pytest.raises(CallRefused):
        await desk.call(desk.context(), "update_memory", text="x" * 1001)


class TestNoEvidence:
    async def named(self, desk: ToolDesk, document_id: str) -> tuple[ToolContext, str]:
        context = desk.context()
        (handle,) = await context.name([HandleTarget("document", document_id, "A memory")])
        return context, handle

    @pytest.mark.parametrize(
        ("tool", "argument"), [("search_knowledge_base", "scope"), ("analyze_document", "doc")]
    )
    async def test_a_memory_that_is_named_is_refused_with_the_way_to_it(
        self, tool: str, argument: str, desk: ToolDesk
    ) -> None:
        memory = new_id()
        desk.ingest = fake = FakeMemory(**{memory: "Works in Oslo."})
        context, handle = await self.named(desk, memory)
        words = {"query": "Oslo"} if tool == "search_knowledge_base" else {"question": "Where?"}
        named: dict[str, Any] = {argument: [handle] if argument == "scope" else handle}
        with pytest.raises(CallRefused, match=r"is no evidence.*recall"):
            await desk.call(context, tool, **words, **named)
        assert {path for _, path, _ in fake.requests} == {"/v1/documents:lookup"}
        assert desk.items == []

    async def test_a_folder_of_memory_is_refused_too(self, desk: ToolDesk) -> None:
        folder = new_id()
        desk.ingest = lambda request: httpx.Response(
            200, json={"id": folder, "path": "/memory/work", "documents": 1}
        )
        context = desk.context()
        (handle,) = await context.name([HandleTarget("folder", folder, "/memory/work")])
        with pytest.raises(CallRefused, match="is no evidence"):
            await desk.call(context, "search_knowledge_base", query="Oslo", scope=[handle])

    async def test_what_became_memory_after_it_was_cited_is_not_shown_again(self, desk: ToolDesk) -> None:
        memory, other = new_id(), new_id()
        desk.ingest = FakeMemory(**{memory: "Works in Oslo."})
        desk.entries = [passage_entry(1, memory, "Works in Oslo."), passage_entry(2, other, "Oslo is large.")]
        shown = await desk.call(desk.context(), "read_passages", numbers=[1, 2])
        assert "Oslo is large." in shown.text
        assert "Works in Oslo." not in shown.text
        assert "1 of the numbers" in shown.text
        with pytest.raises(CallRefused, match="None of these numbers"):
            await desk.call(desk.context(), "read_passages", numbers=[1])

    async def test_folders_of_memory_are_not_offered_for_searching(self, desk: ToolDesk) -> None:
        paths = ("/memory", "/memory/work", "/memory2", "/notes")
        folders = [{"id": new_id(), "path": path, "documents": 1} for path in paths]
        desk.ingest = lambda request: httpx.Response(200, json={"items": folders})
        notes = await folder_notes(desk.context())
        assert [note.partition(": ")[2] for note in notes] == [
            "/memory2 (1 documents)",
            "/notes (1 documents)",
        ]


def passage_entry(n: int, document_id: str, quote: str) -> dict[str, Any]:
    return {
        "n": n,
        "source_type": "kb_chunk",
        "locator": {"document_id": document_id, "chunk_id": "c"},
        "display": {"title": "A memory", "source": "x.md"},
        "quote": quote,
        "content_hash": "h",
    }
