"""Errors in OpenAI's shape on the routes that speak as OpenAI does, for clients that read no other.

They stay problem documents, as everywhere. What OpenAI would tell stands in them under `error`.
"""

import json
from collections.abc import Mapping
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from footnote_shared.web.problems import MEDIA_TYPE

_PATHS = ("/v1/chat/", "/v1/models")
_KINDS: Mapping[int, tuple[str, str | None]] = {
    401: ("authentication_error", "invalid_api_key"),
    403: ("permission_error", None),
    429: ("rate_limit_error", "rate_limit_exceeded"),
}
"""Type and code by status, where OpenAI's differ from those of all other errors."""


def openai_error(problem: Mapping[str, Any]) -> dict[str, Any]:
    """A problem document as OpenAI would tell it."""
    status = int(problem.get("status") or 500)
    usual = "invalid_request_error" if status < 500 else "server_error"
    kind, code = _KINDS.get(status, (usual, None))
    fields = problem.get("errors") or []
    return {
        "error": {
            "message": str(problem.get("detail") or problem.get("title") or "Something went wrong."),
            "type": kind,
            "param": str(fields[0]["field"]) if fields else None,
            "code": code or problem.get("code"),
        }
    }


class OpenAIErrors:
    """Makes the problem documents of these routes errors of OpenAI too. What is not valid is 400 there."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(_PATHS):
            await self._app(scope, receive, send)
            return
        start: Message | None = None
        body = b""

        async def send_on(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start" and _is_problem(message):
                start = message
            elif start is None:
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body", False):
                    await _send_error(start, body, send)

        await self._app(scope, receive, send_on)


def _is_problem(message: Message) -> bool:
    return MutableHeaders(raw=list(message["headers"])).get("content-type", "").startswith(MEDIA_TYPE)


async def _send_error(start: Message, body: bytes, send: Send) -> None:
    problem = json.loads(body)
    status = 400 if start["status"] == 422 else start["status"]
    told = json.dumps({**problem, "status": status, **openai_error(problem)}, ensure_ascii=False).encode()
    headers = MutableHeaders(raw=list(start["headers"]))
    headers["content-length"] = str(len(told))
    await send({**start, "status": status, "headers": headers.raw})
    await send({"type": "http.response.body", "body": told})
