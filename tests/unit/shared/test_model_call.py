"""A call of a model hands on what has come: at once where its reader waits, together where it was busy."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from pydantic_ai.messages import ModelMessage, ModelRequest, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from footnote_shared.models.model_call import ModelCall, ModelRequestPlan
from footnote_shared.models.protocol import ModelFailed
from footnote_shared.models.thoughts import ThoughtFilter, profile_of

PIECE = "The sky is blue. "


class Talker:
    """A model that says a piece so often, behind a gate after the first one."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.gate, self.said_all = asyncio.Event(), asyncio.Event()

    async def speak(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        yield PIECE
        await self.gate.wait()
        for _ in range(self.times - 1):
            yield PIECE
        self.said_all.set()

    def call(self) -> ModelCall:
        plan = ModelRequestPlan([ModelRequest(parts=[UserPromptPart("Why?")])], max_tokens=1024)
        return ModelCall(
            FunctionModel(stream_function=self.speak), plan, ThoughtFilter(profile_of("scripted", "auto"))
        )


async def rest_of(call: ModelCall) -> list[str]:
    """The text that is left. The model gives no reason for its end, so its answer counts as broken off."""
    pieces: list[str] = []
    with pytest.raises(ModelFailed):
        while isinstance(piece := await call.next(60.0), str):
            pieces.append(piece)
    await call.hang_up()
    return pieces


async def test_a_piece_does_not_wait_for_the_next_one() -> None:
    talker = Talker(2)
    call = talker.call()
    first = await call.next(60.0)
    assert isinstance(first, str)
    assert PIECE.startswith(first)
    talker.gate.set()
    assert "".join([first, *await rest_of(call)]) == 2 * PIECE


async def test_what_came_while_nobody_looked_is_handed_on_together_up_to_a_size() -> None:
    talker = Talker(200)
    call = talker.call()
    talker.gate.set()
    await talker.said_all.wait()
    text = await rest_of(call)
    assert "".join(text) == 200 * PIECE
    assert 3 <= len(text) <= 6
