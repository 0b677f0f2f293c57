"""An OpenAI-compatible endpoint on a real port: it says what a test tells it to, and fails as it is told."""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from footnote_cli.evaluation.chat_endpoint import DONE, chunk_line, usage_line
from footnote_testing.gate import Gate
from footnote_testing.planners import PlannedCall, PlannedReply, Planner
from footnote_testing.served_app import ServedApp


@dataclass
class Script:
    """How to answer. `status` other than 200 answers that.

    `failures` requests get that status before one is answered well. `cut_after`: the connection breaks after
    that many tokens. `hang_after`: nothing comes after that many. `hold_after`: nothing comes after that many
    until the test opens the model's gate. `unfinished`: the stream ends without a finish reason. `finish`:
    its finish reason. `thinks`: a thought in a field of its own comes first. `calls_tool`: a call of a tool
    follows the tokens. `endless`: the tokens repeat, one every `pace_s` seconds, until the client goes.
    `nonsense`: what comes is no JSON.

    With a `planner` each reply is what that makes of the request, in pieces that `cut_seed` decides.
    `planned` counts those replies, `left` those whose client has gone or has everything. Of reply number
    `hold_reply`, counted from 0, the second half waits at the gate. A reply is `slow` by `pace_s` seconds a
    piece. `dies_at_byte`: each connection breaks there.
    """

    tokens: Sequence[str] = ("Hello", " there", ".")
    pace_s: float = 0.02
    status: int = 200
    failures: int | None = None
    retry_after: str | None = None
    cut_after: int | None = None
    hang_after: int | None = None
    hold_after: int | None = None
    unfinished: bool = False
    finish: str = "stop"
    thinks: str = ""
    calls_tool: bool = False
    endless: bool = False
    nonsense: bool = False
    planner: Planner | None = None
    planned: int = 0
    left: int = 0
    cut_seed: int = 0
    hold_reply: int | None = None
    slow: bool = False
    dies_at_byte: int | None = None
    requests: list[dict[str, Any]] = field(default_factory=list)


class ScriptedModel:
    """Serves `script`, which a test may replace at any time. `url` is the base URL for the settings.

    `gate` is where an answer with `hold_after` waits.
    """

    def __init__(self, script: Script | None = None) -> None:
        self.script = script or Script()
        self.gate = Gate()
        self._served = ServedApp(self._app())
        self.url = f"{self._served.url}/v1"

    def start(self) -> "ScriptedModel":
        self._served.start()
        return self

    def stop(self) -> None:
        self.gate.open()
        self._served.stop()

    def _app(self) -> FastAPI:
        app = FastAPI()

        @app.post("/v1/chat/completions")
        async def complete(request: Request) -> Response:
            script = self.script
            asked = await request.json()
            script.requests.append(asked)
            if script.status != 200 and (script.failures is None or len(script.requests) <= script.failures):
                headers = {"Retry-After": script.retry_after} if script.retry_after else None
                return JSONResponse({"error": {"message": "scripted"}}, script.status, headers)
            if script.planner is not None:
                reply = script.planner(asked)
                held = script.planned == script.hold_reply
                script.planned += 1
                if not asked.get("stream"):
                    return JSONResponse(completion(reply))
                lines = _planned(script, reply, self.gate if held else None)
            else:
                lines = _answer(script, self.gate)
            return StreamingResponse(_breaking(script, lines), media_type="text/event-stream")

        return app


def completion(reply: PlannedReply) -> dict[str, Any]:
    """A whole answer in one body, as OpenAI's chat completions give it without `stream`."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.calls:
        message["tool_calls"] = [called(at, one) for at, one in enumerate(reply.calls)]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if reply.calls else "stop"}
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    head = {"id": "scripted", "object": "chat.completion", "created": 0, "model": "scripted"}
    return {**head, "choices": [choice], "usage": usage}


def called(at: int, one: PlannedCall) -> dict[str, Any]:
    """A call as it stands in a message or a delta."""
    function = {"name": one.name, "arguments": one.arguments}
    return {"index": at, "id": f"call_{at}", "type": "function", "function": function}


async def _planned(script: Script, reply: PlannedReply, gate: Gate | None) -> AsyncIterator[bytes]:
    pieces = cut_up(reply.text, script.cut_seed)
    for at, piece in enumerate(pieces):
        if gate is not None and at == len(pieces) // 2:
            await gate.passed()
        yield chunk_line({"content": piece})
        if script.slow:
            await asyncio.sleep(script.pace_s)
    if gate is not None and not pieces:
        await gate.passed()
    for at, one in enumerate(reply.calls):
        whole = called(at, one)
        half = len(one.arguments) // 2
        first = {**whole, "function": {"name": one.name, "arguments": one.arguments[:half]}}
        yield chunk_line({"tool_calls": [first]})
        yield chunk_line({"tool_calls": [{"index": at, "function": {"arguments": one.arguments[half:]}}]})
    yield chunk_line({}, "tool_calls" if reply.calls else "stop")
    yield usage_line(11, len(pieces) + len(reply.calls))
    yield DONE


def cut_up(text: str, seed: int) -> list[str]:
    """The text in pieces of 1 to 12 characters, as the seed decides."""
    chance, pieces, at = random.Random(seed), list[str](), 0  # noqa: S311
    while at < len(text):
        end = at + chance.randint(1, 12)
        pieces.append(text[at:end])
        at = end
    return pieces


async def _breaking(script: Script, lines: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The lines until the connection breaks where it is told to."""
    sent, at_byte = 0, script.dies_at_byte
    try:
        async for line in lines:
            if at_byte is not None and sent + len(line) > at_byte:
                yield line[: at_byte - sent]
                raise ConnectionResetError("scripted death")
            sent += len(line)
            yield line
    finally:
        script.left += 1


async def _answer(script: Script, gate: Gate) -> AsyncIterator[bytes]:
    if script.nonsense:
        yield b"data: <html>not json at all\n\n"
        return
    said = 0
    if script.thinks:
        yield chunk_line({"reasoning_content": script.thinks})
    while True:
        for token in script.tokens:
            if said == script.cut_after:
                raise ConnectionResetError("scripted cut")
            if said == script.hang_after:
                await asyncio.Event().wait()
            if said == script.hold_after:
                await gate.passed()
            yield chunk_line({"content": token})
            said += 1
            if script.endless:
                await asyncio.sleep(script.pace_s)
        if not script.endless:
            break
    if script.unfinished:
        return
    if script.calls_tool:
        called = {"index": 0, "id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        yield chunk_line({"tool_calls": [called]})
    yield chunk_line({}, script.finish)
    yield usage_line(11, said)
    yield DONE
