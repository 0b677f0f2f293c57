"""An answer that breaks off is gone on with twice. A third time ends the turn with what there is."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.unit.agent.tool_desk import ToolDesk

from footnote_agent.context.asked_turn import AskedTurn
from footnote_agent.context.trajectory import ContextBudget
from footnote_agent.engines.agentic import AgenticEngine
from footnote_agent.engines.extractive import ExtractiveEngine
from footnote_agent.engines.pipeline import PipelineEngine
from footnote_agent.engines.turn_limits import AgenticBounds, TurnLimits
from footnote_agent.tools.all_tools import TOOLS
from footnote_shared.contracts.events import TextDelta, Usage
from footnote_shared.models.protocol import (
    NONE_AVOIDED,
    AnswerCut,
    Avoided,
    ModelFailed,
    ModelSwitched,
    Prompt,
    ToolCall,
    ToolSpec,
)

BOUNDS = AgenticBounds(TurnLimits(12, 40, 9999, 4), ContextBudget(1000, 1000), 2000, 64, 60.0, 300.0, 60.0)


@dataclass
class BreakingModel:
    """A chain of models of which the first `times` break off in the middle, and the next says the end."""

    times: int
    begins: str = "It "
    ends: str = "is."
    asked: int = 0
    name: str = "gulls"
    takes_tools: bool = True

    def has_other(self, avoid: Avoided) -> bool:
        return True

    async def stream(
        self, prompt: Prompt, *, avoid: Avoided = NONE_AVOIDED
    ) -> AsyncGenerator[str | AnswerCut | Usage | ModelSwitched, None]:
        self.asked += 1
        if self.asked <= self.times:
            yield self.begins
            failed = f"gull {self.asked}"
            raise ModelFailed("cut_off", "It broke off.", before_first_token=False, model=failed)
        if not self.ends:
            raise ModelFailed("empty", "It gave no answer.", before_first_token=True, model=self.name)
        yield self.ends

    async def converse(
        self,
        prompt: Prompt,
        tools: Sequence[ToolSpec],
        *,
        may_call: bool = True,
        avoid: Avoided = NONE_AVOIDED,
    ) -> AsyncGenerator[str | ToolCall | AnswerCut | Usage | ModelSwitched, None]:
        async for piece in self.stream(prompt, avoid=avoid):
            yield piece


def engine_of(
    name: str, model: BreakingModel, desk: ToolDesk
) -> tuple[AgenticEngine | PipelineEngine, AskedTurn]:
    context = desk.context("Hello!")
    resources = context.resources
    extractive = ExtractiveEngine(resources.evidence)
    pipeline = PipelineEngine(resources.evidence, model, extractive, 64)
    agentic = AgenticEngine(model, extractive, pipeline, resources, TOOLS, BOUNDS)
    return agentic if name == "agentic" else pipeline, context.turn


@pytest.mark.parametrize("name", ["agentic", "pipeline"])
async def test_one_that_breaks_off_twice_is_said_to_its_end(name: str, tmp_path: Path) -> None:
    engine, turn = engine_of(name, BreakingModel(2), ToolDesk.made(tmp_path))
    said = [output.text async for output in engine.run(turn) if isinstance(output, TextDelta)]
    assert said == ["It ", "It ", "is."]


async def test_behind_its_last_sentence_there_is_nothing_to_add(tmp_path: Path) -> None:
    engine, turn = engine_of("agentic", BreakingModel(1, "It is.", ""), ToolDesk.made(tmp_path))
    said = [output.text async for output in engine.run(turn) if isinstance(output, TextDelta)]
    assert said == ["It is."]


async def test_in_the_middle_of_a_sentence_nothing_is_no_end(tmp_path: Path) -> None:
    engine, turn = engine_of("agentic", BreakingModel(1, "It is", ""), ToolDesk.made(tmp_path))
    with pytest.raises(ModelFailed):
        assert [output async for output in engine.run(turn)]


@pytest.mark.parametrize("name", ["agentic", "pipeline"])
async def test_one_that_breaks_off_a_third_time_fails(name: str, tmp_path: Path) -> None:
    model = BreakingModel(3)
    engine, turn = engine_of(name, model, ToolDesk.made(tmp_path))
    with pytest.raises(ModelFailed):
        assert [output async for output in engine.run(turn)]
    assert model.asked == 3


class FailingLater(BreakingModel):
    """A model that asks for a tool, and is gone when it is asked again."""

    async def converse(self, prompt: Prompt, tools: Any, **more: Any) -> Any:
        self.asked += 1
        if self.asked > 1:
            raise ModelFailed("server_error", "It is gone.", before_first_token=True, model=self.name)
        yield ToolCall("c1", "write_todos", '{"todos": ["Look it up."]}')
        yield Usage(input_tokens=10, output_tokens=1, cost=0.5)


async def test_what_a_model_took_before_it_was_gone_is_told(tmp_path: Path) -> None:
    engine, turn = engine_of("agentic", FailingLater(0), ToolDesk.made(tmp_path))
    assert [output async for output in engine.run(turn)]
    assert turn.bill.used == Usage(input_tokens=10, output_tokens=1, cost=0.5)
