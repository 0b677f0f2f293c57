"""What was just written or changed: tools wait for its text, and never pass the text of before off as new."""

from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from tests.unit.agent.tool_desk import ToolDesk, search_answer

from footnote_agent.context.handles import HandleTarget
from footnote_agent.tools.being_read import not_found_yet, searchable_as_written
from footnote_agent.tools.documents import analyze_document
from footnote_agent.tools.file_reading import grep, show_file
from footnote_agent.tools.knowledge import search_knowledge_base
from footnote_agent.tools.tool_context import ToolContext, ToolFailed
from footnote_shared.contracts.documents import Chunk, ChunkPage, Document, Status
from footnote_shared.kernel.ids import new_id
from footnote_testing.fake_documents import plain_document
from footnote_testing.own_clock import now_s, on_own_clock, run_on_own_clock


@dataclass
class SlowWorkers:
    """Ingest with one document whose new text is there from second `ready_s` on. `before`: its text by then.

    After that it is `indexed`, or whatever it is to `end` as.
    """

    desk: ToolDesk
    ready_s: float
    before: str = ""
    end: Status = "indexed"
    gone: bool = False
    id: str = field(default_factory=new_id)

    def __post_init__(self) -> None:
        self.desk.ingest = self.answer

    @property
    def document(self) -> Document:
        status: Status = self.end if now_s() >= self.ready_s else "embedding"
        return plain_document(self.desk.caller, self.id, "Plan", "/").model_copy(update={"status": status})

    @property
    def chunks(self) -> list[Chunk]:
        text = "The new text." if self.document.status == "indexed" else self.before
        chunk = Chunk(
            id="c", ordinal=0, text=text, kind="prose", heading_path=[], char_start=0, char_end=9, version=1
        )
        return [chunk] if text else []

    def answer(self, request: httpx.Request) -> httpx.Response:
        if self.gone:
            return httpx.Response(404, json={})
        match request.url.path.rpartition("/")[2]:
            case "chunks":
                page = ChunkPage(document_id=self.id, title="Plan", source="x", items=self.chunks)
                return httpx.Response(200, json=page.model_dump(mode="json"))
            case "documents:lookup":
                return httpx.Response(200, json={"items": [self.document.model_dump(mode="json")]})
            case "documents:grep":
                return httpx.Response(200, json={"items": [], "more": False, "partial": False})
            case "search":
                return httpx.Response(200, json=search_answer([], top_k=1))
            case _:
                return httpx.Response(200, json=self.document.model_dump(mode="json"))


async def having_written(tmp_path: Path, ready_s: float) -> tuple[ToolContext, SlowWorkers]:
    """A turn that has written the document and has waited for it once."""
    desk = ToolDesk.made(tmp_path)
    workers = SlowWorkers(desk, ready_s=ready_s)
    context = desk.context()
    await searchable_as_written(context, workers.document)
    return context, workers


@on_own_clock
async def test_a_file_is_read_once_its_text_is_there(tmp_path: Path) -> None:
    desk = ToolDesk.made(tmp_path)
    workers = SlowWorkers(desk, ready_s=5)
    assert "The new text." in (await show_file(desk.context(), workers.document, 0)).text


@on_own_clock
async def test_a_text_that_does_not_come_is_said_to_come_later(tmp_path: Path) -> None:
    desk = ToolDesk.made(tmp_path)
    workers = SlowWorkers(desk, ready_s=60)
    with pytest.raises(ToolFailed, match=r"still being read in \(embedding\).*read it then"):
        await show_file(desk.context(), workers.document, 0)
    assert now_s() == pytest.approx(12, abs=1)


@pytest.mark.parametrize(
    ("ready_s", "end", "said"),
    [(60, "indexed", "as it was before"), (3, "failed", "could not be read: this is the one before")],
)
def test_the_text_of_before_is_called_so(tmp_path: Path, ready_s: float, end: Status, said: str) -> None:
    async def look() -> None:
        desk = ToolDesk.made(tmp_path)
        workers = SlowWorkers(desk, ready_s, "The old text.", end)
        context = desk.context()
        shown = (await show_file(context, workers.document, 0)).text
        assert "The old text." in shown
        assert said in shown
        (handle,) = await context.name([HandleTarget("document", workers.id, "Plan")])
        assert said in (await analyze_document(context, handle, "What?")).text

    run_on_own_clock(look(), threads=True)


@on_own_clock
async def test_a_search_waits_for_what_the_turn_has_written(tmp_path: Path) -> None:
    context, _ = await having_written(tmp_path, ready_s=20)
    assert now_s() == pytest.approx(12, abs=1)
    answer = await search_knowledge_base(context, "plan")
    assert "still being read in" not in answer.text
    assert now_s() == pytest.approx(20, abs=1)


@on_own_clock
async def test_a_search_says_what_it_has_not_looked_through(tmp_path: Path) -> None:
    context, _ = await having_written(tmp_path, ready_s=600)
    for answer in (await search_knowledge_base(context, "plan"), await grep(context, "plan")):
        assert "Not looked through, because what was written is still being read in: Plan.txt" in answer.text


@on_own_clock
async def test_all_searches_of_a_turn_wait_for_half_a_minute_together(tmp_path: Path) -> None:
    context, _ = await having_written(tmp_path, ready_s=600)
    for _ in range(9):
        assert "Plan.txt" in await not_found_yet(context)
    assert now_s() == pytest.approx(42, abs=2)


@on_own_clock
async def test_a_document_that_is_gone_is_waited_for_by_nobody(tmp_path: Path) -> None:
    context, workers = await having_written(tmp_path, ready_s=600)
    workers.gone = True
    assert await not_found_yet(context) == ""
    assert context.written == {}
