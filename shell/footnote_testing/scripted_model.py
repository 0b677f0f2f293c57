"""An OpenAI-compatible endpoint on a real port: it says what a test tells it to, and fails as it is told."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from footnote_cli.evaluation.chat_endpoint import DONE, chunk_line, usage_line
from footnote_testing.gate import Gate
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
            script.requests.append(await request.json())
            if script.status != 200 and (script.failures is None or len(script.requests) <= script.failures):
                headers = {"Retry-After": script.retry_after} if script.retry_after else None
                return JSONResponse({"error": {"message": "scripted"}}, script.status, headers)
            return StreamingResponse(_answer(script, self.gate), media_type="text/event-stream")

        return app


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
