"""Models that write on behind the tokens they were asked for, in the protocol of each provider."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal

import httpx2
import pytest
from pydantic import SecretStr

from footnote_shared.contracts.events import Usage
from footnote_shared.models.endpoint_model import EndpointModel
from footnote_shared.models.protocol import AnswerCut, ChatMessage, ModelFailed, Prompt, ToolCall, ToolSpec
from footnote_shared.models.reply_bound import CHARS_PER_TOKEN
from footnote_shared.settings.models import ModelEndpoint, Provider
from footnote_testing.eventually import eventually_async
from footnote_testing.scripted_model import Script, ScriptedModel

TOKENS = 64
MOST = TOKENS * CHARS_PER_TOKEN
PROMPT = Prompt("Be brief.", [ChatMessage("user", "Hello?")], TOKENS)
LOOK = ToolSpec("look", "Looks.", {"type": "object", "properties": {"at": {"type": "string"}}})
A_LOT = "so it may be, or it may not be; " * 64

Pieces = list[str | ToolCall | AnswerCut | Usage]


@dataclass
class Served:
    """A model behind the protocol of one provider."""

    model: EndpointModel
    server: ScriptedModel

    async def reply(self, script: Script, *, tools: bool = False) -> Pieces:
        self.server.script = script
        if tools:
            return [piece async for piece in self.model.converse(PROMPT, [LOOK])]
        return [piece async for piece in self.model.stream(PROMPT)]

    async def is_left(self) -> None:
        """The provider sees that nobody listens any more. It was asked once."""
        script = self.server.script

        async def left() -> bool:
            return script.left == len(script.requests) == 1

        await eventually_async(left, "the model's connection is closed")


@pytest.fixture(params=["openai", "anthropic", "google"])
async def served(request: pytest.FixtureRequest) -> AsyncIterator[Served]:
    provider: Provider = request.param
    server = ScriptedModel().start()
    url = server.url if provider == "openai" else server.root
    endpoint = ModelEndpoint(provider=provider, model="scripted", base_url=url, api_key=SecretStr("k"))
    model = EndpointModel(endpoint, 60.0)
    yield Served(model, server)
    await model.close()
    server.stop()


def text_of(pieces: Pieces) -> str:
    return "".join(piece for piece in pieces if isinstance(piece, str))


async def test_text_without_an_end_is_cut_like_any_that_came_to_its_length(served: Served) -> None:
    pieces = await served.reply(Script(tokens=["on", " and "], endless=True, pace_s=0.0))
    assert text_of(pieces) == ("on and " * MOST)[:MOST]
    assert pieces[-2] == AnswerCut("length")
    assert isinstance(pieces[-1], Usage)
    await served.is_left()


@pytest.mark.parametrize(("length", "cut"), [(MOST, []), (MOST + 1, [AnswerCut("length")])])
async def test_text_that_just_fits_is_whole(served: Served, length: int, cut: list[AnswerCut]) -> None:
    pieces = await served.reply(Script(tokens=["a" * 500, "b" * (length - 500)]))
    assert text_of(pieces) == "a" * 500 + "b" * 12
    assert [piece for piece in pieces if isinstance(piece, AnswerCut)] == cut


@pytest.mark.parametrize(
    ("before", "part"), [("", "thought"), ("<think>", "text")], ids=["in a field", "between tags"]
)
async def test_thoughts_without_an_end_are_no_answer(served: Served, before: str, part: str) -> None:
    script = Script(tokens=[before + A_LOT], endless=True, pace_s=0.0)
    script.endless_part = "thought" if part == "thought" else "text"
    with pytest.raises(ModelFailed) as failure:
        await served.reply(script)
    assert (failure.value.reason, failure.value.before_first_token) == ("empty", True)
    await served.is_left()


async def test_white_space_without_an_end_is_no_answer(served: Served) -> None:
    with pytest.raises(ModelFailed) as failure:
        await served.reply(Script(tokens=["\n" * 4_000], endless=True, pace_s=0.0))
    assert failure.value.reason == "empty"
    await served.is_left()


async def test_long_thoughts_leave_room_for_the_answer(served: Served) -> None:
    pieces = await served.reply(Script(thinks=A_LOT * 10, tokens=["Four."]))
    assert text_of(pieces) == "Four."
    assert not any(isinstance(piece, AnswerCut) for piece in pieces)


async def test_calls_without_an_end_are_cut(served: Served) -> None:
    script = Script(tokens=['{"at": "D1"}'], endless=True, endless_part="call", pace_s=0.0)
    pieces = await served.reply(script, tools=True)
    calls = [piece for piece in pieces if isinstance(piece, ToolCall)]
    assert 0 < sum(len(call.arguments) for call in calls) <= MOST
    assert AnswerCut("length") in pieces
    await served.is_left()


async def test_one_call_of_any_length_is_cut(served: Served) -> None:
    script = Script(tokens=['{"at": "' + A_LOT + '"}'], endless=True, endless_part="call", pace_s=0.0)
    pieces = await served.reply(script, tools=True)
    assert {len(piece.arguments) for piece in pieces if isinstance(piece, ToolCall)} == {MOST}
    await served.is_left()


@pytest.mark.parametrize("part", ["line", "lines"])
async def test_an_event_without_an_end_is_no_answer(served: Served, part: Literal["line", "lines"]) -> None:
    """The libraries keep an event until it ends: this one grew by 80 MB a second, for a minute."""
    script = Script(tokens=["data: " + A_LOT * 64], endless=True, endless_part=part, pace_s=0.0)
    with pytest.raises(ModelFailed) as failure:
        await served.reply(script)
    assert (failure.value.reason, failure.value.before_first_token) == ("nonsense", True)
    await served.is_left()


async def test_an_event_that_nests_too_deep_is_no_answer() -> None:
    reply = b'data: {"choices": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n\n"
    answer = httpx2.Response(200, headers={"Content-Type": "text/event-stream"}, content=reply)
    http = httpx2.AsyncClient(transport=httpx2.MockTransport(lambda request: answer))
    server = ScriptedModel().start()
    endpoint = ModelEndpoint(provider="openai", model="scripted", base_url=server.url)
    model = EndpointModel(endpoint, 60.0, http=http)
    with pytest.raises(ModelFailed) as failure:
        await anext(model.stream(PROMPT))
    assert failure.value.reason == "nonsense"
    await model.close()
    server.stop()
