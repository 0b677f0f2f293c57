"""An agentic turn that another process goes on with: its plan and its tokens are those that it had."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.unit.agent.tool_desk import ToolDesk

from footnote_agent.context.trajectory import ContextBudget, ModelReply, ToolResult, WantedCall
from footnote_agent.engines.agentic import AgenticEngine
from footnote_agent.engines.extractive import ExtractiveEngine
from footnote_agent.engines.pipeline import PipelineEngine
from footnote_agent.engines.protocol import Kept
from footnote_agent.engines.turn_limits import AgenticBounds, TurnLimits
from footnote_agent.tools.all_tools import TOOLS
from footnote_shared.contracts.events import Usage
from footnote_shared.models.protocol import (
    NONE_AVOIDED,
    AnswerCut,
    Avoided,
    ModelSwitched,
    Prompt,
    ToolCall,
    ToolSpec,
)

PLAN = ("(done) Find the date", "(open) Say it")
MOVES = (
    ModelReply(
        calls=(WantedCall(id="s0c0", name="write_todos", arguments="{}"),), input_tokens=90, output_tokens=10
    ),
    ToolResult(call_id="s0c0", text="The plan is noted.", todos=PLAN),
)


@dataclass
class Listener:
    """A model that says one sentence, calls these tools before, and keeps what it was told."""

    calls: Sequence[ToolCall] = ()
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
        self.told.append(prompt.system)
        if self.calls and len(self.told) == 1:
            for call in self.calls:
                yield call
        else:
            yield "Well."
        yield Usage(input_tokens=5, output_tokens=1)


async def outputs(
    folder: Path, model: Listener, moves: tuple[ModelReply | ToolResult, ...], tokens: int
) -> list[object]:
    context = ToolDesk.made(folder).context("When?", moves=moves)
    resources = context.resources
    extractive = ExtractiveEngine(resources.evidence)
    pipeline = PipelineEngine(resources.evidence, model, extractive, 64)
    bounds = AgenticBounds(
        TurnLimits(12, 40, tokens, 4), ContextBudget(1000, 1000), 2000, 64, 60.0, 300.0, 60.0
    )
    engine = AgenticEngine(model, extractive, pipeline, resources, TOOLS, bounds)
    return [output async for output in engine.run(context.turn)]


async def test_the_plan_is_told_to_the_model_again(tmp_path: Path) -> None:
    model = Listener()
    await outputs(tmp_path, model, MOVES, 200_000)
    assert all(line in model.told[0] for line in PLAN)


async def test_tokens_that_an_earlier_run_used_count(tmp_path: Path) -> None:
    model = Listener()
    await outputs(tmp_path, model, MOVES, 100)
    assert "You have used up all tokens" in model.told[0]


async def test_each_move_keeps_what_a_successor_needs(tmp_path: Path) -> None:
    wish = '{"items": [{"text": "Find the date", "done": true}, {"text": "Say it"}]}'
    model = Listener(calls=[ToolCall("x", "write_todos", wish)])
    made = await outputs(tmp_path, model, (), 200_000)
    reply, result, answer = [output.move for output in made if isinstance(output, Kept)]
    assert isinstance(reply, ModelReply)
    assert isinstance(result, ToolResult)
    assert isinstance(answer, ModelReply)
    assert (reply.input_tokens, reply.output_tokens, result.todos) == (5, 1, PLAN)
    assert answer.text == "Well."
