"""Google's Gemini: unnamed events of candidates, arguments as objects, the wait in the error's body."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from footnote_testing.planners import PlannedCall, PlannedReply
from footnote_testing.wires.wire import INPUT_TOKENS, MODEL, as_object

_STATES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}
_FINISHES = {"stop": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY", "tool_calls": "STOP"}


class GoogleWire:
    """`POST /v1beta/models/{model}:streamGenerateContent` and `:generateContent`."""

    def asked(self, body: Mapping[str, Any]) -> dict[str, Any]:
        system = _text_in(body.get("systemInstruction", {}))
        messages: list[dict[str, Any]] = [{"role": "system", "content": system}] if system else []
        for content in body["contents"]:
            messages += _plain(content)
        limit = body.get("generationConfig", {}).get("maxOutputTokens")
        return {"messages": messages, "max_tokens": limit, "tools": body.get("tools", [])}

    def refusal(self, status: int, retry_after: str | None) -> tuple[dict[str, Any], dict[str, str]]:
        error: dict[str, Any] = {
            "code": status,
            "message": "scripted",
            "status": _STATES.get(status, "UNKNOWN"),
        }
        if retry_after:
            kind = "type.googleapis.com/google.rpc.RetryInfo"
            error["details"] = [{"@type": kind, "retryDelay": f"{retry_after}s"}]
        return {"error": error}, {}

    def opening(self) -> list[bytes]:
        return []

    def thought(self, text: str) -> list[bytes]:
        return [_event([{"text": text, "thought": True}])]

    def text(self, piece: str) -> list[bytes]:
        return [_event([{"text": piece}])]

    def calls(self, calls: Sequence[PlannedCall]) -> list[bytes]:
        return [_event([_called(one)]) for one in calls]

    def closing(self, finish: str, said: int | None) -> list[bytes]:
        return [_event([], _FINISHES[finish], said or 0)]

    def whole(self, reply: PlannedReply) -> dict[str, Any]:
        text = [{"text": reply.text}] if reply.text else []
        return _answer([*text, *map(_called, reply.calls)], "STOP", 7)


def _called(one: PlannedCall) -> dict[str, Any]:
    return {"functionCall": {"name": one.name, "args": as_object(one.arguments)}}


def _event(parts: list[dict[str, Any]], finish: str | None = None, said: int = 0) -> bytes:
    return f"data: {json.dumps(_answer(parts, finish, said))}\r\n\r\n".encode()


def _answer(parts: list[dict[str, Any]], finish: str | None, said: int) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if finish is not None:
        candidate["finishReason"] = finish
    usage = {
        "promptTokenCount": INPUT_TOKENS,
        "candidatesTokenCount": said,
        "totalTokenCount": INPUT_TOKENS + said,
    }
    return {
        "candidates": [candidate],
        "usageMetadata": usage,
        "modelVersion": MODEL,
        "responseId": "scripted",
    }


def _text_in(content: Mapping[str, Any]) -> str:
    return "".join(str(part["text"]) for part in content.get("parts", ()) if "text" in part)


def _plain(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A content as OpenAI would have it: results of tools are messages of their own."""
    role = "assistant" if content.get("role") == "model" else "user"
    parts = content["parts"]
    answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
    results = [{"role": "tool", "content": _result(answer["response"])} for answer in answers]
    called = [part["functionCall"] for part in parts if "functionCall" in part]
    calls = [
        {"function": {"name": one["name"], "arguments": json.dumps(one.get("args", {}))}} for one in called
    ]
    text = _text_in(content)
    said = [{"role": role, "content": text, **({"tool_calls": calls} if calls else {})}]
    return [*results, *(said if text or calls else [])]


def _result(response: Any) -> str:
    """The text of a result, under whichever single name the client has put it."""
    if isinstance(response, dict) and len(response) == 1:
        (value,) = response.values()
        return value if isinstance(value, str) else json.dumps(value)
    return json.dumps(response)
