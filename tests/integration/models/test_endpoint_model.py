"""The gateway against a real endpoint of each temper, in the protocol of each provider."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from footnote_shared.contracts.answers import CutReason
from footnote_shared.contracts.events import Usage
from footnote_shared.models.endpoint_model import EndpointModel
from footnote_shared.models.protocol import (
    AnswerCut,
    ChatMessage,
    ModelFailed,
    Prompt,
    Spoken,
    ToolCall,
    ToolCalls,
    ToolReturn,
    ToolSpec,
)
from footnote_shared.settings.models import ModelEndpoint, Provider
from footnote_testing.eventually import LIMIT_S
from footnote_testing.planners import PlannedCall, PlannedReply, results_in
from footnote_testing.ports import free_port
from footnote_testing.scripted_model import Script, ScriptedModel

SLOW = Script(tokens=["on", " and"], endless=True)
ASK = [ChatMessage("user", "Earlier?"), ChatMessage("assistant", "Yes."), ChatMessage("user", "Hello?")]


LOOK = ToolSpec("look", "Looks.", {"type": "object", "properties": {"at": {"type": "string"}}})

every_wire = pytest.mark.parametrize("provider", ["openai", "anthropic", "google"])
one_wire = pytest.mark.parametrize("provider", ["openai"])
"""For what happens above the protocols."""


@dataclass
class Served:
    """A scripted model as one provider serves it."""

    model: ScriptedModel
    provider: Provider

    @property
    def endpoint(self) -> ModelEndpoint:
        return endpoint(self.model.url if self.provider == "openai" else self.model.root, self.provider)

    @property
    def requests(self) -> list[dict[str, Any]]:
        return self.model.script.requests

    def script(self, script: Script) -> None:
        self.model.script = script


@pytest.fixture(scope="module")
def running() -> Iterator[ScriptedModel]:
    model = ScriptedModel().start()
    yield model
    model.stop()


@pytest.fixture
def server(running: ScriptedModel, provider: Provider) -> Served:
    running.script = Script()
    return Served(running, provider)


def endpoint(url: str, provider: Provider = "openai") -> ModelEndpoint:
    return ModelEndpoint(provider=provider, model="scripted", base_url=url, api_key=SecretStr("k"))


async def hear(
    where: ModelEndpoint, *, silence: float = 60.0, most: int = 10_000
) -> tuple[list[str], Usage | None]:
    model = EndpointModel(where, silence)
    said: list[str] = []
    usage = None
    stream = model.stream(Prompt("Be brief.", ASK, 64))
    try:
        async for piece in stream:
            if isinstance(piece, Usage):
                usage = piece
            elif isinstance(piece, str):
                said.append(piece)
            if len(said) >= most:
                break
    finally:
        await stream.aclose()
        await model.close()
    return said, usage


@every_wire
class TestAWellBehavedModel:
    async def test_its_tokens_come_in_pieces_with_the_usage_last(self, server: Served) -> None:
        server.script(Script(tokens=["The", " sky", " [1]", "."]))
        said, usage = await hear(server.endpoint)
        assert "".join(said) == "The sky [1]."
        assert usage == Usage(input_tokens=11, output_tokens=4)

    async def test_the_first_token_comes_before_the_others(self, server: Served) -> None:
        server.script(Script(tokens=["The", " sky", " [1]", "."], hang_after=1))
        said, _ = await hear(server.endpoint, most=1)
        assert said == ["The"]

    async def test_it_is_sent_the_system_prompt_the_history_and_the_limit(self, server: Served) -> None:
        await hear(server.endpoint)
        (request,) = server.requests
        assert [message["role"] for message in request["messages"]] == ["system", "user", "assistant", "user"]
        assert request["messages"][0]["content"] == "Be brief."
        assert request["max_tokens"] == 64

    async def test_an_endless_one_can_be_left(self, server: Served) -> None:
        server.script(Script(tokens=["on", " and"], endless=True, pace_s=0.0))
        said, _ = await hear(server.endpoint, most=20)
        assert len(said) == 20


@every_wire
class TestAModelThatFailsBeforeItsFirstToken:
    @pytest.mark.parametrize("status", [429, 500, 503])
    async def test_is_asked_again_until_it_answers(self, server: Served, status: int) -> None:
        server.script(Script(status=status, failures=2))
        said, _ = await hear(server.endpoint)
        assert "".join(said) == "Hello there."
        assert len(server.requests) == 3

    @pytest.mark.parametrize(
        ("status", "reason"),
        [(429, "rate_limited"), (500, "server_error"), (401, "refused"), (400, "refused")],
    )
    async def test_is_named_by_its_reason(self, server: Served, status: int, reason: str) -> None:
        server.script(Script(status=status))
        with pytest.raises(ModelFailed) as failure:
            await hear(server.endpoint)
        assert (failure.value.reason, failure.value.before_first_token) == (reason, True)

    async def test_is_not_waited_for_longer_than_is_sensible(self, server: Served) -> None:
        server.script(Script(status=429, retry_after="3600"))
        with pytest.raises(ModelFailed):
            await hear(server.endpoint)
        assert len(server.requests) == 1

    async def test_a_closed_port_is_unreachable(self, provider: Provider) -> None:
        with pytest.raises(ModelFailed) as failure:
            await hear(endpoint(f"http://127.0.0.1:{free_port()}", provider))
        assert (failure.value.reason, failure.value.before_first_token) == ("unreachable", True)

    async def test_one_that_speaks_no_tls_is_unreachable(self, server: Served) -> None:
        with pytest.raises(ModelFailed) as failure:
            await hear(endpoint(server.model.root.replace("http:", "https:"), server.provider))
        assert (failure.value.reason, failure.value.before_first_token) == ("unreachable", True)

    async def test_silence_is_a_timeout(self, server: Served) -> None:
        server.script(Script(hang_after=0))
        with pytest.raises(ModelFailed) as failure:
            await hear(server.endpoint, silence=1)
        assert (failure.value.reason, failure.value.before_first_token) == ("timeout", True)

    async def test_an_empty_answer_is_a_failure(self, server: Served) -> None:
        server.script(Script(tokens=[]))
        with pytest.raises(ModelFailed) as failure:
            await hear(server.endpoint)
        assert (failure.value.reason, failure.value.before_first_token) == ("empty", True)

    async def test_nonsense_is_a_failure(self, server: Served) -> None:
        server.script(Script(nonsense=True))
        with pytest.raises(ModelFailed) as failure:
            await hear(server.endpoint)
        assert failure.value.before_first_token


@every_wire
class TestAModelThatFailsAfterItsFirstToken:
    async def failure_of(self, server: Served, silence: float = 60.0) -> ModelFailed:
        with pytest.raises(ModelFailed) as failure:
            await hear(server.endpoint, silence=silence)
        assert len(server.requests) == 1
        return failure.value

    async def test_a_broken_connection_is_a_cut(self, server: Served) -> None:
        server.script(Script(tokens=["a", "b", "c"], cut_after=2))
        failure = await self.failure_of(server)
        assert (failure.reason, failure.before_first_token) == ("cut_off", False)

    async def test_a_stream_without_a_finish_is_a_cut(self, server: Served) -> None:
        server.script(Script(unfinished=True))
        failure = await self.failure_of(server)
        assert (failure.reason, failure.before_first_token) == ("cut_off", False)

    async def test_silence_in_the_middle_is_a_timeout(self, server: Served) -> None:
        server.script(Script(tokens=["a", "b", "c"], hang_after=2))
        failure = await self.failure_of(server, silence=3)
        assert (failure.reason, failure.before_first_token) == ("timeout", False)


class DeafBody(httpx2.AsyncByteStream):
    """The body of an answer, read by something that drops every cancel. It closes once `may_close` is set."""

    def __init__(self, body: httpx2.AsyncByteStream, *, hangs: bool) -> None:
        self._body = body
        self.may_close = asyncio.Event()
        self.ended = asyncio.Event()
        if not hangs:
            self.may_close.set()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks = aiter(self._body)
        try:
            while True:
                reading = asyncio.ensure_future(anext(chunks))
                while not reading.done():
                    try:
                        await asyncio.wait({reading})
                    except asyncio.CancelledError:
                        continue
                yield reading.result()
        finally:
            self.ended.set()

    async def aclose(self) -> None:
        while not self.may_close.is_set():
            try:
                await self.may_close.wait()
            except asyncio.CancelledError:
                continue
        await self._body.aclose()
        # Whoever reads may find the call cancelled, and leave without another look at the body.
        self.ended.set()


class DeafTransport(httpx2.AsyncHTTPTransport):
    """Real connections below a library that does not hear cancels."""

    def __init__(self, *, hangs: bool) -> None:
        super().__init__()
        self._hangs = hangs
        self.bodies: list[DeafBody] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        answer = await super().handle_async_request(request)
        assert isinstance(answer.stream, httpx2.AsyncByteStream)
        self.bodies.append(DeafBody(answer.stream, hangs=self._hangs))
        return httpx2.Response(answer.status_code, headers=answer.headers, stream=self.bodies[-1])


@one_wire
class TestAnAnswerThatIsLeftInTheMiddle:
    async def leave(self, server: Served, transport: DeafTransport) -> None:
        """A reader of the answer is cancelled, and gets away."""
        model = EndpointModel(server.endpoint, 60.0, http=httpx2.AsyncClient(transport=transport))
        heard = asyncio.Event()

        async def read() -> None:
            async for _ in model.stream(Prompt("Be brief.", ASK, 64)):
                heard.set()

        reader = asyncio.create_task(read())
        await heard.wait()
        reader.cancel()
        await asyncio.wait({reader}, timeout=LIMIT_S)
        assert reader.cancelled()

    async def test_costs_nothing_more_even_if_no_cancel_is_heard(self, server: Served) -> None:
        server.script(SLOW)
        transport = DeafTransport(hangs=False)
        await self.leave(server, transport)
        async with asyncio.timeout(LIMIT_S):
            await transport.bodies[0].ended.wait()

    async def test_and_has_no_end_is_cut_though_its_connection_hangs(self, server: Served) -> None:
        server.script(Script(tokens=["on and "], endless=True, pace_s=0.0))
        transport = DeafTransport(hangs=True)
        model = EndpointModel(server.endpoint, 60.0, http=httpx2.AsyncClient(transport=transport))
        pieces = [piece async for piece in model.stream(Prompt("Be brief.", ASK, 64))]
        assert AnswerCut("length") in pieces
        transport.bodies[0].may_close.set()

    async def test_does_not_hold_its_reader_when_the_connection_hangs(self, server: Served) -> None:
        server.script(SLOW)
        transport = DeafTransport(hangs=True)
        await self.leave(server, transport)
        assert not transport.bodies[0].ended.is_set()
        transport.bodies[0].may_close.set()
        async with asyncio.timeout(LIMIT_S):
            await transport.bodies[0].ended.wait()


@every_wire
class TestTheEndOfAnAnswer:
    async def pieces(self, server: Served) -> list[str | AnswerCut | Usage]:
        model = EndpointModel(server.endpoint, 60.0)
        try:
            return [piece async for piece in model.stream(Prompt("Be brief.", ASK, 64))]
        finally:
            await model.close()

    @pytest.mark.parametrize(
        ("finish", "reason"),
        [("length", "length"), ("content_filter", "content_filter")],
    )
    async def test_says_why_it_came_too_early(self, server: Served, finish: str, reason: CutReason) -> None:
        server.script(Script(finish=finish))
        *_, cut, usage = await self.pieces(server)
        assert cut == AnswerCut(reason)
        assert isinstance(usage, Usage)

    async def test_is_too_early_where_a_tool_is_called_whatever_the_endpoint_says(
        self, server: Served
    ) -> None:
        server.script(Script(calls_tool=True))
        assert AnswerCut("tool_call") in await self.pieces(server)

    async def test_is_an_end_where_the_model_has_finished(self, server: Served) -> None:
        assert not any(isinstance(piece, AnswerCut) for piece in await self.pieces(server))


@every_wire
class TestThoughts:
    @pytest.mark.parametrize(
        "tokens",
        [
            ["<think>", "secret [1]", "</think>", "Four."],
            ["<", "think", ">", "secret [1]", "</thi", "nk>", "Four."],
            ["<think>secret [1]</think>Four."],
            [*"<think>secret [1]</think>Four."],
        ],
    )
    async def test_between_tags_are_no_part_of_the_answer(self, server: Served, tokens: list[str]) -> None:
        server.script(Script(tokens=tokens))
        said, _ = await hear(server.endpoint)
        assert "".join(said) == "Four."

    async def test_in_a_field_of_their_own_are_none_either(self, server: Served) -> None:
        server.script(Script(thinks="secret", tokens=["Four."]))
        said, _ = await hear(server.endpoint)
        assert said == ["Four."]

    @pytest.mark.parametrize("tokens", [["<think>secret"], [" \n", "\u200b\t"], ["<think>a</think>", "\n"]])
    async def test_and_white_space_are_no_answer(self, server: Served, tokens: list[str]) -> None:
        server.script(Script(tokens=tokens))
        with pytest.raises(ModelFailed) as failure:
            await hear(server.endpoint)
        assert (failure.value.reason, failure.value.before_first_token) == ("empty", True)


@every_wire
class TestToolCalls:
    async def reply(self, server: Served, messages: list[Spoken] | None = None) -> list[object]:
        model = EndpointModel(server.endpoint, 60.0)
        try:
            return [
                piece async for piece in model.converse(Prompt("Be brief.", messages or ASK[-1:], 64), [LOOK])
            ]
        finally:
            await model.close()

    async def test_come_behind_the_text_with_their_arguments(self, server: Served) -> None:
        calls = (PlannedCall("look", '{"at": "D1"}'), PlannedCall("look", '{"at": "D2"}'))
        server.script(Script(planner=lambda request: PlannedReply("I look.", calls)))
        *text, first, second, usage = await self.reply(server)
        assert "".join(map(str, text)) == "I look."
        assert isinstance(first, ToolCall)
        assert isinstance(second, ToolCall)
        assert (first.name, json.loads(first.arguments)) == ("look", {"at": "D1"})
        assert (second.name, json.loads(second.arguments)) == ("look", {"at": "D2"})
        assert isinstance(usage, Usage)

    async def test_and_their_results_are_told_to_the_model(self, server: Served) -> None:
        call = ToolCall("s0c0", "look", '{"at": "D1"}')
        spoken: list[Spoken] = [*ASK[-1:], ToolCalls("", (call,)), ToolReturn(call, "[1] The gull.")]
        server.script(Script(planner=lambda request: PlannedReply(" ".join(results_in(request)))))
        *text, _ = await self.reply(server, spoken)
        assert "".join(map(str, text)) == "[1] The gull."

    async def test_that_are_written_as_text_are_calls_and_not_shown(self, server: Served) -> None:
        written = '<tool_call>{"name": "look", "arguments": {"at": "D1"}}</tool_call> It says [4].'
        server.script(Script(planner=lambda request: PlannedReply(written), cut_seed=5))
        call, usage = await self.reply(server)
        assert isinstance(call, ToolCall)
        assert (call.name, json.loads(call.arguments)) == ("look", {"at": "D1"})
        assert isinstance(usage, Usage)

    async def test_that_an_endpoint_does_not_take_are_told_from_other_refusals(self, server: Served) -> None:
        server.script(Script(status=400, error="gull:2b does not support tools"))
        with pytest.raises(ModelFailed) as failure:
            await self.reply(server)
        assert failure.value.reason == "no_tools"
        server.script(Script(status=400, error="max_tokens is too large"))
        with pytest.raises(ModelFailed) as failure:
            await self.reply(server)
        assert failure.value.reason == "refused"
