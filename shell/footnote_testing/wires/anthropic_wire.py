"""Anthropic's messages: named events, blocks with an index, the tokens in the first and the last event."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from footnote_testing.planners import PlannedCall, PlannedReply
from footnote_testing.wires.wire import INPUT_TOKENS, MODEL, as_object, halves

_ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_FINISHES = {
    "stop": "end_turn",
    "length": "max_tokens",
    "content_filter": "refusal",
    "tool_calls": "tool_use",
}


class AnthropicWire:
    """`POST /v1/messages`."""

    def __init__(self) -> None:
        self._index = -1
        self._open = ""

    def asked(self, body: Mapping[str, Any]) -> dict[str, Any]:
        system = _text_in(body.get("system", ""))
        messages: list[dict[str, Any]] = [{"role": "system", "content": system}] if system else []
        for message in body["messages"]:
            messages += _plain(message)
        return {"messages": messages, "max_tokens": body["max_tokens"], "tools": body.get("tools", [])}

    def refusal(self, status: int, retry_after: str | None) -> tuple[dict[str, Any], dict[str, str]]:
        error = {"type": _ERRORS.get(status, "api_error"), "message": "scripted"}
        headers = {"Retry-After": retry_after} if retry_after else {}
        return {"type": "error", "error": error, "request_id": "req_scripted"}, headers

    def opening(self) -> list[bytes]:
        usage = {"input_tokens": INPUT_TOKENS, "output_tokens": 1}
        return [_event("message_start", message=_message([], None, usage)), _event("ping")]

    def thought(self, text: str) -> list[bytes]:
        begun = self._block("thinking", {"type": "thinking", "thinking": "", "signature": ""})
        return [*begun, self._delta({"type": "thinking_delta", "thinking": text})]

    def text(self, piece: str) -> list[bytes]:
        begun = self._block("text", {"type": "text", "text": ""})
        return [*begun, self._delta({"type": "text_delta", "text": piece})]

    def calls(self, calls: Sequence[PlannedCall]) -> list[bytes]:
        lines = []
        for at, one in enumerate(calls):
            block = {"type": "tool_use", "id": f"toolu_{at}", "name": one.name, "input": {}}
            lines += self._block(f"call {at}", block)
            for half in halves(one.arguments):
                lines.append(self._delta({"type": "input_json_delta", "partial_json": half}))
        return lines

    def closing(self, finish: str, said: int | None) -> list[bytes]:
        delta = {"stop_reason": _FINISHES[finish], "stop_sequence": None}
        last = _event("message_delta", delta=delta, usage={"output_tokens": said or 0})
        return [*self._stopped(), last, _event("message_stop")]

    def whole(self, reply: PlannedReply) -> dict[str, Any]:
        content: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
        content += [
            {"type": "tool_use", "id": f"toolu_{at}", "name": one.name, "input": as_object(one.arguments)}
            for at, one in enumerate(reply.calls)
        ]
        usage = {"input_tokens": INPUT_TOKENS, "output_tokens": 7}
        return _message(content, "tool_use" if reply.calls else "end_turn", usage)

    def _block(self, kind: str, block: dict[str, Any]) -> list[bytes]:
        """What begins a block of this kind, unless one is open."""
        if self._open == kind:
            return []
        stopped = self._stopped()
        self._index, self._open = self._index + 1, kind
        return [*stopped, _event("content_block_start", index=self._index, content_block=block)]

    def _stopped(self) -> list[bytes]:
        was, self._open = self._open, ""
        return [_event("content_block_stop", index=self._index)] if was else []

    def _delta(self, delta: dict[str, Any]) -> bytes:
        return _event("content_block_delta", index=self._index, delta=delta)


def _event(kind: str, **data: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode()


def _message(content: list[dict[str, Any]], stop: str | None, usage: dict[str, int]) -> dict[str, Any]:
    return {
        "id": "msg_scripted",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": usage,
    }


def _text_in(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(str(block["text"]) for block in content if block["type"] == "text")


def _plain(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A message as OpenAI would have it: results of tools are messages of their own."""
    content = message["content"]
    if isinstance(content, str):
        return [{"role": message["role"], "content": content}]
    results = [
        {"role": "tool", "tool_call_id": block["tool_use_id"], "content": _text_in(block["content"])}
        for block in content
        if block["type"] == "tool_result"
    ]
    calls = [
        {
            "id": block["id"],
            "type": "function",
            "function": {"name": block["name"], "arguments": json.dumps(block["input"])},
        }
        for block in content
        if block["type"] == "tool_use"
    ]
    text = _text_in(content)
    said = [{"role": message["role"], "content": text, **({"tool_calls": calls} if calls else {})}]
    return [*results, *(said if text or calls else [])]
