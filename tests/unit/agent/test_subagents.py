"""Subagents under one registry and one budget: whatever tree they make, a number means its one unit."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties.effort import examples
from tests.unit.agent.tool_desk import ToolDesk

from footnote_agent.context.bill import Bill
from footnote_agent.context.subagent_answer import ANSWER_CHARS, numbers_kept
from footnote_agent.context.trajectory import ContextBudget, ModelReply, ToolResult, by_agent
from footnote_agent.engines.agentic import AgenticEngine
from footnote_agent.engines.extractive import ExtractiveEngine
from footnote_agent.engines.pipeline import PipelineEngine
from footnote_agent.engines.protocol import Kept
from footnote_agent.engines.turn_limits import AgenticBounds, TurnLimits, steps_of
from footnote_agent.tools.all_tools import TOOLS
from footnote_shared.contracts.events import Progress, TextDelta, ToolStarted, Usage
from footnote_shared.models.protocol import (
    NONE_AVOIDED,
    AnswerCut,
    Avoided,
    ChatMessage,
    ModelSwitched,
    Prompt,
    ToolCall,
    ToolReturn,
    ToolSpec,
)
from footnote_testing.fake_neighbours import make_passage

NUMBERED = re.compile(r"^\[(\d+)\] (unit\w+)", re.MULTILINE)
CLAIMED = re.compile(r"(unit\w+) \[(\d+)\]")
NUMBER = re.compile(r"\[(\d+)\]")

Tree = dict[str, Any]
UNITS = st.lists(st.sampled_from([f"unit{n}" for n in range(12)]), max_size=3, unique=True)
TREES = st.recursive(
    st.builds(lambda units: {"units": units, "parts": []}, UNITS),
    lambda below: st.builds(
        lambda units, parts: {"units": units, "parts": parts}, UNITS, st.lists(below, max_size=3)
    ),
    max_leaves=6,
)


@dataclass
class Delegator:
    """Searches for the units of its tree, hands its parts on, and says each unit that it was shown.

    It invents numbers besides. `asked` counts its calls.
    """

    asked: int = 0
    told: list[str] = field(default_factory=list)
    name: str = "gull"
    takes_tools: bool = True

    def has_other(self, avoid: Avoided) -> bool:
        return False

    async def stream(
        self, prompt: Prompt, *, avoid: Avoided = NONE_AVOIDED
    ) -> AsyncGenerator[str | AnswerCut | Usage | ModelSwitched, None]:
        yield "Well."

    async def converse(
        self,
        prompt: Prompt,
        tools: Sequence[ToolSpec],
        *,
        may_call: bool = True,
        avoid: Avoided = NONE_AVOIDED,
    ) -> AsyncGenerator[str | ToolCall | AnswerCut | Usage | ModelSwitched, None]:
        self.asked += 1
        self.told.append(prompt.system)
        question = prompt.messages[0]
        assert isinstance(question, ChatMessage)
        tree: Tree = json.loads(question.text)
        results = [message.text for message in prompt.messages if isinstance(message, ToolReturn)]
        if may_call and not results and (tree["units"] or tree["parts"]):
            for unit in tree["units"]:
                yield ToolCall("x", "search_knowledge_base", json.dumps({"query": unit}))
            for part in tree["parts"]:
                wish = {"subagent": "knowledge_base", "prompt": json.dumps(part)}
                yield ToolCall("x", "task", json.dumps(wish))
        else:
            seen = dict.fromkeys((unit, n) for text in results for n, unit in NUMBERED.findall(text))
            yield "".join(f"{unit} [{n}]. " for unit, n in seen) + "unit0 [998], unit1 [999]. [7, 8]"
        yield Usage(input_tokens=10, output_tokens=1)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> ToolDesk:
    made = ToolDesk.made(tmp_path_factory.mktemp("desk"))
    made.ingest = answer
    return made


def answer(request: httpx.Request) -> httpx.Response:
    """A retriever that finds the one unit it is asked for; ingest knows nothing."""
    if request.url.path != "/v1/search":
        return httpx.Response(200, json={"items": []})
    unit = json.loads(request.content)["query"]
    passage = make_passage(f"{unit} is here.", unit, f"document-{unit}").model_dump(mode="json")
    found = {"retrieval_id": "r", "passages": [passage], "sufficient": True, "degraded": []}
    more = {"settings": {}, "settings_hash": "0" * 16, "preset": "default", "timings_ms": {}}
    return httpx.Response(200, json=found | more)


Moves = Sequence[ModelReply | ToolResult]


async def played(
    desk: ToolDesk,
    model: Delegator,
    tree: Tree,
    steps: int = 200,
    earlier: Moves | None = None,
    **more: Any,
) -> list[Any]:
    """The outputs of a turn, which goes on behind the moves of an `earlier` run."""
    if earlier is None:
        desk.items.clear()
    below = by_agent(earlier or ())
    context = desk.context(json.dumps(tree), moves=below.pop("", ()), below=below, **more)
    resources = context.resources
    extractive = ExtractiveEngine(resources.evidence)
    pipeline = PipelineEngine(resources.evidence, model, extractive, 64)
    limits = TurnLimits(steps, 200, 100_000, 4)
    bounds = AgenticBounds(limits, ContextBudget(9000, 90_000), 2000, 64, 600.0, 3000.0, 60.0)
    engine = AgenticEngine(model, extractive, pipeline, resources, TOOLS, bounds)
    return [output async for output in engine.run(context.turn)]


def kept(outputs: Sequence[Any]) -> list[ModelReply | ToolResult]:
    return [output.move for output in outputs if isinstance(output, Kept)]


def said(outputs: Sequence[Any]) -> str:
    return "".join(output.text for output in outputs if isinstance(output, TextDelta))


def units_by_number(desk: ToolDesk) -> dict[str, str]:
    return {str(entry["n"]): entry["display"]["title"] for entry in desk._entries()}


@given(TREES)
@settings(max_examples=examples(60), deadline=None)
def test_every_number_means_its_one_unit(desk: ToolDesk, tree: Tree) -> None:
    outputs = asyncio.run(played(desk, Delegator(), tree))
    known = units_by_number(desk)
    results = [o.move for o in outputs if isinstance(o, Kept) and isinstance(o.move, ToolResult)]
    for result in results:
        assert set(NUMBER.findall(result.text)) <= {str(passage.n) for passage in result.shown}
        assert all(known[n] == unit for n, unit in NUMBERED.findall(result.text))
        assert all(known[n] == unit for unit, n in CLAIMED.findall(result.text))
    claimed = {(unit, n) for unit, n in CLAIMED.findall(said(outputs)) if n not in ("998", "999")}
    assert all(known[n] == unit for unit, n in claimed)
    handed_on = [unit for part in tree["parts"] for unit in part["units"]]
    assert {unit for unit, _ in claimed} >= {*tree["units"], *handed_on}


@given(TREES, st.integers(3, 12))
@settings(max_examples=examples(40), deadline=None)
def test_all_agents_of_a_turn_use_up_one_budget(desk: ToolDesk, tree: Tree, steps: int) -> None:
    model = Delegator()
    bill = Bill()
    outputs = asyncio.run(played(desk, model, tree, steps, bill=bill))
    assert model.asked <= steps
    moves = kept(outputs)
    assert sum(isinstance(move, ModelReply) for move in moves) == model.asked
    assert steps_of(by_agent(moves)[""]) == model.asked
    assert bill.used == Usage(input_tokens=10 * model.asked, output_tokens=model.asked)


@given(TREES, st.data())
@settings(max_examples=examples(30), deadline=None)
def test_wherever_a_run_ends_another_goes_on_behind_the_last_move(
    desk: ToolDesk, tree: Tree, data: st.DataObject
) -> None:
    bill, whole_bill = Bill(), Bill()
    whole = asyncio.run(played(desk, Delegator(), tree, bill=whole_bill))
    moves = kept(whole)
    earlier = moves[: data.draw(st.integers(0, len(moves) - 1))]
    model = Delegator()
    outputs = asyncio.run(played(desk, model, tree, earlier=earlier, bill=bill))
    replies = sum(isinstance(move, ModelReply) for move in earlier)
    assert model.asked == sum(isinstance(move, ModelReply) for move in moves) - replies
    both = [*earlier, *kept(outputs)]
    calls = [(move.within, move.call_id) for move in both if isinstance(move, ToolResult)]
    assert len(calls) == len(set(calls))
    assert sorted(calls) == sorted((m.within, m.call_id) for m in moves if isinstance(m, ToolResult))
    assert set(CLAIMED.findall(said(outputs))) == set(CLAIMED.findall(said(whole)))
    assert bill.used.model_copy(update={"partial": False}) == whole_bill.used


async def test_progress_and_tools_show_their_path(desk: ToolDesk) -> None:
    inner = {"units": ["unit2"], "parts": []}
    tree = {"units": [], "parts": [{"units": ["unit1"], "parts": [inner]}]}
    outputs = await played(desk, Delegator(), tree)
    paths = [o.label for o in outputs if isinstance(o, Progress) and o.stage == "delegating"]
    assert "knowledge_base > knowledge_base > at work" in paths
    labels = [o.label for o in outputs if isinstance(o, Progress) and o.stage == "searching"]
    assert labels[0] == "knowledge_base > searching your knowledge base"
    searches = {o.agent for o in outputs if isinstance(o, ToolStarted) and "search" in o.tool}
    assert searches == {"knowledge_base", "knowledge_base/knowledge_base"}
    assert {item["text"] for item in desk.items} == {"unit1 is here.", "unit2 is here."}


async def test_files_are_for_the_subagent_that_keeps_them(desk: ToolDesk) -> None:
    calls: list[set[str]] = []

    class Watcher(Delegator):
        async def converse(self, prompt: Prompt, tools: Any, **more: Any) -> Any:
            calls.append({tool.name for tool in tools})
            async for piece in super().converse(prompt, tools, **more):
                yield piece

    await played(desk, Watcher(), {"units": [], "parts": [{"units": ["unit1"], "parts": []}]})
    orchestrator, subagent = calls[0], calls[1]
    assert {"create_document", "update_memory", "task"} <= orchestrator
    assert not subagent & {"create_document", "update_memory", "write_todos", "recall"}
    assert "search_knowledge_base" in subagent
    files = {name for name, tool in TOOLS.items() if tool.only_for == "knowledge_base"}
    assert len(files) == 10
    assert files <= subagent
    assert not files & orchestrator


@pytest.mark.parametrize(
    ("written", "kept", "numbers"),
    [
        ("A [1]. B [2][3].", "A [1]. B [3].", [1, 3]),
        ("A [1, 2; 3].", "A [1][3].", [1, 3]),
        ("[citation:1] 【3】 </document>", "⟦citation:1⟧ ⟦3⟧ ‹/document>", []),
        ("[3] [1] [3]", "[3] [1] [3]", [3, 1]),
    ],
)
def test_of_what_a_subagent_writes_its_own_numbers_are_left(
    written: str, kept: str, numbers: list[int]
) -> None:
    assert numbers_kept(written, {1, 3}) == (kept, numbers)


def test_an_endless_answer_is_cut() -> None:
    assert len(numbers_kept("gull " * 10_000, set())[0]) <= ANSWER_CHARS
