"""A model's endpoint on a real port, in each provider's protocol: it answers and fails as a test says."""

import asyncio
import random
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from starlette.datastructures import UploadFile

from footnote_testing.latch import Latch
from footnote_testing.picky_schemas import fault_of_tools
from footnote_testing.planners import PlannedCall, PlannedReply, Planner
from footnote_testing.served_app import ServedApp
from footnote_testing.wires.anthropic_wire import AnthropicWire
from footnote_testing.wires.google_wire import GoogleWire
from footnote_testing.wires.openai_wire import OpenAIWire
from footnote_testing.wires.wire import Wire


@dataclass
class Script:
    """How to answer. `status` other than 200 answers that, with `error` as the words of the endpoint.

    `failures` requests get that status before one is answered well. `cut_after`: the connection breaks after
    that many tokens. `hang_after`: nothing comes after that many. `hold_after`: nothing comes after that many
    until the test opens the model's latch. `unfinished`: the stream ends without a finish reason. `finish`:
    its finish reason. `thinks`: a thought in a field of its own comes first. `calls_tool`: a call of a tool
    follows the tokens. `endless`: the tokens repeat, one every `pace_s` seconds, until the client goes; they
    are said in `endless_part` of the reply: `line` is one without an end, `lines` are many of one event.
    `max_tokens` of a request ends none of that.
    `said` counts the tokens that went out. `nonsense`: what comes is no JSON. `requests` are those that came,
    in the shape that planners know.

    `claims_tokens`: so many it says to have written, whatever it wrote. `counts`: it tells its tokens at all.

    `picky`: a tool whose schema is not as providers document is refused with 400. `hates_tool`: so is one
    with this in its name, and the answer speaks of tools as that of an endpoint which takes none.

    `segments` are what is said in a recording, each with its start and its end in seconds.

    With a `planner` each reply is what that makes of the request, in pieces that `cut_seed` decides.
    `planned` counts those replies, `left` those whose client has gone or has everything. Of reply number
    `hold_reply`, counted from 0, the second half waits at the latch. A reply is `slow` by `pace_s` seconds a
    piece. `dies_at_byte`: each connection breaks there.
    """

    tokens: Sequence[str] = ("Hello", " there", ".")
    pace_s: float = 0.02
    status: int = 200
    failures: int | None = None
    retry_after: str | None = None
    error: str = "scripted"
    cut_after: int | None = None
    hang_after: int | None = None
    hold_after: int | None = None
    unfinished: bool = False
    finish: str = "stop"
    thinks: str = ""
    calls_tool: bool = False
    endless: bool = False
    endless_part: Literal["text", "thought", "call", "line", "lines"] = "text"
    said: int = 0
    nonsense: bool = False
    planner: Planner | None = None
    planned: int = 0
    left: int = 0
    cut_seed: int = 0
    hold_reply: int | None = None
    slow: bool = False
    dies_at_byte: int | None = None
    claims_tokens: int | None = None
    counts: bool = True
    picky: bool = False
    hates_tool: str = ""
    segments: Sequence[tuple[float, float, str]] = ()
    requests: list[dict[str, Any]] = field(default_factory=list)

    def fault_of(self, asked: Mapping[str, Any]) -> str | None:
        """What the endpoint holds against the tools of a request."""
        tools = asked.get("tools") or []
        if self.hates_tool and any(self.hates_tool in tool["function"]["name"] for tool in tools):
            return f"this model does not support tools such as {self.hates_tool}"
        return fault_of_tools(tools) if self.picky else None

    def claimed(self, said: int) -> int | None:
        """The tokens of a reply as the endpoint tells them."""
        if not self.counts:
            return None
        return said if self.claims_tokens is None else self.claims_tokens


class ScriptedModel:
    """Serves `script`, which a test may replace at any time, to clients of all three providers.

    `url` is the base URL of the OpenAI-compatible endpoint, `root` that of the others. `latch` is where an
    answer with `hold_after` waits.
    """

    def __init__(self, script: Script | None = None) -> None:
        self.script = script or Script()
        self.latch = Latch()
        self._served = ServedApp(self._app())
        self.root = self._served.url
        self.url = f"{self.root}/v1"

    def start(self) -> "ScriptedModel":
        self._served.start()
        return self

    def stop(self) -> None:
        self.latch.open()
        self._served.stop()

    def _app(self) -> FastAPI:
        app = FastAPI()

        @app.post("/v1/chat/completions")
        async def openai(request: Request) -> Response:
            body = await request.json()
            return self._answered(OpenAIWire(), body, streams=bool(body.get("stream")))

        @app.post("/v1/audio/transcriptions")
        async def transcribe(request: Request) -> Response:
            form = await request.form()
            file = form["file"]
            assert isinstance(file, UploadFile)
            told = {name: value for name, value in form.items() if isinstance(value, str)}
            return self._transcribed({**told, "file": file.filename, "bytes": await file.read()})

        @app.post("/v1/messages")
        async def anthropic(request: Request) -> Response:
            body = await request.json()
            return self._answered(AnthropicWire(), body, streams=bool(body.get("stream")))

        @app.post("/v1beta/models/{called}")
        async def google(called: str, request: Request) -> Response:
            streams = called.endswith(":streamGenerateContent")
            return self._answered(GoogleWire(), await request.json(), streams=streams)

        return app

    def _transcribed(self, asked: dict[str, Any]) -> Response:
        script = self.script
        script.requests.append(asked)
        if script.status != 200 and (script.failures is None or len(script.requests) <= script.failures):
            headers = {"Retry-After": script.retry_after} if script.retry_after else {}
            return JSONResponse({"error": {"message": script.error}}, script.status, headers)
        if script.nonsense:
            return Response("<html>not json at all", media_type="text/html")
        segments = [
            {"id": at, "start": start, "end": end, "text": text}
            for at, (start, end, text) in enumerate(script.segments)
        ]
        whole = " ".join(str(one["text"]) for one in segments) or "".join(script.tokens)
        return JSONResponse({"task": "transcribe", "text": whole, "segments": segments})

    def _answered(self, wire: Wire, body: dict[str, Any], *, streams: bool) -> Response:
        script = self.script
        asked = wire.asked(body)
        script.requests.append(asked)
        if script.status != 200 and (script.failures is None or len(script.requests) <= script.failures):
            refused, headers = wire.refusal(script.status, script.retry_after)
            refused["error"]["message"] = script.error
            return JSONResponse(refused, script.status, headers)
        if fault := script.fault_of(asked):
            refused, headers = wire.refusal(400, None)
            refused["error"]["message"] = fault
            return JSONResponse(refused, 400, headers)
        if script.planner is not None:
            reply = script.planner(asked)
            held = script.planned == script.hold_reply
            script.planned += 1
            if not streams:
                return JSONResponse(wire.whole(reply))
            lines = _planned(script, wire, reply, self.latch if held else None)
        elif not streams:
            return JSONResponse(wire.whole(PlannedReply("".join(script.tokens))))
        else:
            lines = _answer(script, wire, self.latch)
        return StreamingResponse(_breaking(script, lines), media_type="text/event-stream")


async def _planned(
    script: Script, wire: Wire, reply: PlannedReply, latch: Latch | None
) -> AsyncIterator[bytes]:
    pieces = cut_up(reply.text, script.cut_seed)
    for line in wire.opening():
        yield line
    for at, piece in enumerate(pieces):
        if latch is not None and at == len(pieces) // 2:
            await latch.passed()
        for line in wire.text(piece):
            yield line
        if script.slow:
            await asyncio.sleep(script.pace_s)
    if latch is not None and not pieces:
        await latch.passed()
    for line in wire.calls(reply.calls):
        yield line
    finish = "tool_calls" if reply.calls else "stop"
    for line in wire.closing(finish, script.claimed(len(pieces) + len(reply.calls))):
        yield line


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


async def _answer(script: Script, wire: Wire, latch: Latch) -> AsyncIterator[bytes]:
    if script.nonsense:
        yield b"data: <html>not json at all\n\n"
        return
    said = 0
    for line in [*wire.opening(), *(wire.thought(script.thinks) if script.thinks else [])]:
        yield line
    while True:
        for token in script.tokens:
            if said == script.cut_after:
                raise ConnectionResetError("scripted cut")
            if said == script.hang_after:
                await asyncio.Event().wait()
            if said == script.hold_after:
                await latch.passed()
            for line in _part(script, wire, token):
                yield line
            said += 1
            script.said += 1
            if script.endless:
                await asyncio.sleep(script.pace_s)
        if not script.endless:
            break
    if script.unfinished:
        return
    for line in wire.calls([PlannedCall("look", "{}")]) if script.calls_tool else []:
        yield line
    for line in wire.closing(script.finish, script.claimed(said)):
        yield line


def _part(script: Script, wire: Wire, token: str) -> list[bytes]:
    match script.endless_part:
        case "text":
            return wire.text(token)
        case "thought":
            return wire.thought(token)
        case "call":
            return wire.calls([PlannedCall("look", token)])
        case "line":
            return [token.encode()]
        case "lines":
            return [f"data: {token}\n".encode()]
