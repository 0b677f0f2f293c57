"""Documents that a model writes: no citations in their bytes, and one document for each call."""

import asyncio
import json

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.agent.tool_desk import Answering, ToolDesk

from footnote_agent.context.trajectory import ToolResult, WantedCall
from footnote_agent.engines.protocol import EngineOutput, Kept
from footnote_agent.engines.tool_calls import CallLog, CallRunner
from footnote_agent.tools.all_tools import TOOLS
from footnote_agent.tools.guard import CallRefused
from footnote_shared.kernel.asyncio_tasks import end_tasks
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.without_numbers import without_numbers


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("The launch moved [1].", "The launch moved."),
        ("It moved [1][2], then [3, 4] and [5-7].", "It moved, then and."),
        ("It moved [citation:12]【3】.", "It moved."),
        ("It moved［4］, then ［１，２］ and ［１－３］.", "It moved, then and."),
        ("It moved 【1†source】【 １２ 】【4:0】【9:2†L1-L5】.", "It moved."),
        ("It moved [\u200b1\u200b] [１].", "It moved."),
        ("[^1] is a footnote, [1†a] and [1:2] are text.", "[^1] is a footnote, [1†a] and [1:2] are text."),
        ("A [link](https://a.test) and [x] stay.", "A [link](https://a.test) and [x] stay."),
        ("Nested [[1]2] and [[[1]2]3].", "Nested and."),
        ("Take `a[1]` [1].", "Take `a[1]`."),
        ("```py\na[1]\n```\nDone [2].", "```py\na[1]\n```\nDone."),
        ("~~~\n```\na[1]\n~~~\nDone [2].", "~~~\n```\na[1]\n~~~\nDone."),
        ("One ` backtick [1].", "One ` backtick."),
    ],
)
def test_citations_leave_and_code_stays(written: str, stored: str) -> None:
    assert without_numbers(written) == stored


@given(st.text(alphabet="[]【】［］0123４†:,-: citation\u200b\n", max_size=80))
def test_no_number_is_left_however_it_is_nested(written: str) -> None:
    stored = without_numbers(written)
    assert without_numbers(stored) == stored


class FakeLibrary:
    """Ingest as far as writing needs it: an external id is one document."""

    def __init__(self, *statuses: str) -> None:
        self.handed_in: list[dict[str, object]] = []
        self._statuses = list(statuses)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            self.handed_in.append(json.loads(request.content))
        status = self._statuses.pop(0) if len(self._statuses) > 1 else self._statuses[0]
        latest = self.handed_in[-1]
        same = [one["external_id"] for one in self.handed_in].index(latest["external_id"])
        document = {
            "id": f"doc{same}",
            "workspace_id": "w",
            "title": latest["title"],
            "filename": "x.md",
            "mime": "text/markdown",
            "size": 1,
            "source_type": latest["source_type"],
            "folder": latest.get("folder") or "/",
            "status": status,
            "version": 1,
            "chunks": 1,
            "created_at": now().isoformat(),
            "updated_at": now().isoformat(),
        }
        return httpx.Response(202, json=document)


@pytest.fixture(scope="module")
def shared_desk(tmp_path_factory: pytest.TempPathFactory) -> ToolDesk:
    return ToolDesk.made(tmp_path_factory.mktemp("desk"))


@pytest.fixture
def library(shared_desk: ToolDesk) -> FakeLibrary:
    shared_desk.ingest = library = FakeLibrary("queued", "embedding", "indexed")
    return library


class TestCreateDocument:
    async def test_is_private_generated_and_found_by_its_handle(
        self, shared_desk: ToolDesk, library: FakeLibrary
    ) -> None:
        context = shared_desk.context(turn_id="t1")
        answer = await shared_desk.call(
            context, "create_document", title="Plan [3]", markdown="It moved [1].", folder="/notes"
        )
        (sent,) = library.handed_in
        assert (sent["title"], sent["text"], sent["folder"]) == ("Plan (3)", "It moved.", "/notes")
        assert (sent["source_type"], sent["visibility"]) == ("generated", "private")
        assert sent["metadata"] == {"thread_id": shared_desk.thread_id, "turn_id": "t1"}
        assert answer.text == "D1: Plan (3) (in /notes). It can be searched now."

    async def test_a_call_that_is_made_again_is_the_same_document(
        self, shared_desk: ToolDesk, library: FakeLibrary
    ) -> None:
        for turn_id, call_id in (("t1", "s0c0"), ("t1", "s0c0"), ("t1", "s0c1"), ("t2", "s0c0")):
            context = shared_desk.context(turn_id=turn_id)
            await shared_desk.call(context, "create_document", call_id, title="Plan", markdown="It moved.")
        keys = [sent["external_id"] for sent in library.handed_in]
        assert keys == ["turn:t1:s0c0", "turn:t1:s0c0", "turn:t1:s0c1", "turn:t2:s0c0"]

    async def test_an_agent_that_dies_within_the_call_leaves_one_document_to_the_next(
        self, shared_desk: ToolDesk
    ) -> None:
        held = asyncio.Event()
        library = FakeLibrary("indexed")

        async def stored_and_silent(request: httpx.Request) -> httpx.Response:
            library(request)
            held.set()
            await asyncio.Event().wait()
            raise AssertionError("nobody waits for this answer")

        arguments = json.dumps({"title": "Plan", "markdown": "It moved."})
        call = WantedCall(id="s0c0", name="create_document", arguments=arguments)

        async def run(ingest: Answering) -> list[EngineOutput]:
            shared_desk.ingest = ingest
            runner = CallRunner(TOOLS, shared_desk.context(turn_id="t1"), 600.0, 4, CallLog())
            return [output async for output in runner.run([call])]

        first = asyncio.create_task(run(stored_and_silent))
        await held.wait()
        await end_tasks({first}, 60)
        results = [output.move for output in await run(library) if isinstance(output, Kept)]
        assert [isinstance(move, ToolResult) and move.failed for move in results] == [False]
        assert {sent["external_id"] for sent in library.handed_in} == {"turn:t1:s0c0"}
        assert library.handed_in[0] == library.handed_in[1]

    async def test_one_that_cannot_be_read_is_told(self, shared_desk: ToolDesk) -> None:
        shared_desk.ingest = FakeLibrary("failed")
        with pytest.raises(CallRefused, match="could not be read"):
            await shared_desk.call(shared_desk.context(), "create_document", title="Plan", markdown="x")

    async def test_one_of_citations_alone_is_not_written(
        self, shared_desk: ToolDesk, library: FakeLibrary
    ) -> None:
        with pytest.raises(CallRefused, match="nothing but citations"):
            await shared_desk.call(shared_desk.context(), "create_document", title="Plan", markdown="[1] [2]")
        assert library.handed_in == []
