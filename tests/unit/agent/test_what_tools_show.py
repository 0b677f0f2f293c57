"""How much of what there is a tool shows: enough to answer, and no more than a model can read."""

from typing import Any

import httpx
import pytest
from tests.unit.agent.tool_desk import ToolDesk, search_answer

from footnote_agent.context.handles import HandleTarget
from footnote_shared.contracts.documents import Chunk, ChunkPage
from footnote_testing.fake_documents import plain_document
from footnote_testing.fake_neighbours import make_passage


def _found(desk: ToolDesk) -> dict[str, Any]:
    return {"items": [plain_document(desk.caller, "d", "Plan", "/").model_dump(mode="json")]}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> ToolDesk:
    return ToolDesk.made(tmp_path_factory.mktemp("desk"))


async def test_ten_documents_of_a_search_get_a_handle(desk: ToolDesk) -> None:
    passages = [make_passage(f"Text {n}.", f"Plan {n}", f"d{n}") for n in range(12)]
    desk.ingest = lambda request: httpx.Response(200, json=search_answer(passages, top_k=12))
    answer = await desk.call(desk.context(), "search_knowledge_base", query="plans")
    assert len(answer.shown) == 12
    (line,) = [line for line in answer.text.splitlines() if line.startswith("Handles: ")]
    assert line.endswith("; D10 = Plan 9")


@pytest.mark.parametrize(("tokens", "summary"), [(5000, "all of Plan"), (5001, "1 passage of Plan")])
async def test_a_document_is_read_whole_up_to_five_thousand_tokens(
    desk: ToolDesk, tokens: int, summary: str
) -> None:
    halves = [tokens // 2, tokens - tokens // 2]
    place: dict[str, Any] = {"heading_path": [], "char_start": 0, "char_end": 1, "version": 1}
    chunks = [
        Chunk(id=f"c{at}", ordinal=at, text="word " * half, kind="prose", **place)
        for at, half in enumerate(halves)
    ]
    page = ChunkPage(document_id="d", title="Plan", source="upload", items=chunks)

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/documents:lookup":
            return httpx.Response(200, json=_found(desk))
        if request.url.path == "/v1/search":
            return httpx.Response(200, json=search_answer([make_passage("Text.", "Plan", "d")]))
        return httpx.Response(200, json=page.model_dump(mode="json"))

    desk.ingest = answer
    context = desk.context()
    (handle,) = await context.name([HandleTarget("document", "d", "Plan")])
    assert (await desk.call(context, "analyze_document", doc=handle, question="Why?")).summary == summary
    # Of an answer that is shared, others may open what was shown in a version that they may see.
    assert desk.items[-1]["source_version"] == 1


@pytest.mark.parametrize(("chunks", "summary"), [(100, "all of Plan"), (101, "1 passage of Plan")])
async def test_a_document_is_read_whole_up_to_a_hundred_chunks(
    desk: ToolDesk, chunks: int, summary: str
) -> None:
    place: dict[str, Any] = {"heading_path": [], "char_start": 0, "char_end": 1, "version": 1}
    items = [Chunk(id=f"c{at}", ordinal=at, text="A word.", kind="prose", **place) for at in range(chunks)]

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/documents:lookup":
            return httpx.Response(200, json=_found(desk))
        if request.url.path == "/v1/search":
            return httpx.Response(200, json=search_answer([make_passage("Text.", "Plan", "d")]))
        most = int(request.url.params["limit"])
        following = "more" if most < len(items) else None
        page = ChunkPage(
            document_id="d", title="Plan", source="upload", items=items[:most], next_cursor=following
        )
        return httpx.Response(200, json=page.model_dump(mode="json"))

    desk.ingest = answer
    context = desk.context()
    (handle,) = await context.name([HandleTarget("document", "d", "Plan")])
    assert (await desk.call(context, "analyze_document", doc=handle, question="Why?")).summary == summary
