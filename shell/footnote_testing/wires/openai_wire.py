"""OpenAI's chat completions, as OpenAI-compatible endpoints speak them."""

from collections.abc import Mapping, Sequence
from typing import Any

from footnote_cli.evaluation.chat_endpoint import DONE, chunk_line, usage_line
from footnote_testing.planners import PlannedCall, PlannedReply
from footnote_testing.wires.wire import INPUT_TOKENS, MODEL, halves


class OpenAIWire:
    """`POST /v1/chat/completions`."""

    def asked(self, body: Mapping[str, Any]) -> dict[str, Any]:
        return {**body, "max_tokens": body.get("max_completion_tokens", body.get("max_tokens"))}

    def refusal(self, status: int, retry_after: str | None) -> tuple[dict[str, Any], dict[str, str]]:
        return {"error": {"message": "scripted"}}, {"Retry-After": retry_after} if retry_after else {}

    def opening(self) -> list[bytes]:
        return []

    def thought(self, text: str) -> list[bytes]:
        return [chunk_line({"reasoning_content": text})]

    def text(self, piece: str) -> list[bytes]:
        return [chunk_line({"content": piece})]

    def calls(self, calls: Sequence[PlannedCall]) -> list[bytes]:
        lines = []
        for at, one in enumerate(calls):
            first, second = halves(one.arguments)
            begun = {**_called(at, one), "function": {"name": one.name, "arguments": first}}
            lines.append(chunk_line({"tool_calls": [begun]}))
            lines.append(chunk_line({"tool_calls": [{"index": at, "function": {"arguments": second}}]}))
        return lines

    def closing(self, finish: str, said: int | None) -> list[bytes]:
        used = [] if said is None else [usage_line(INPUT_TOKENS, said)]
        return [chunk_line({}, finish), *used, DONE]

    def whole(self, reply: PlannedReply) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
        if reply.calls:
            message["tool_calls"] = [_called(at, one) for at, one in enumerate(reply.calls)]
        finish = "tool_calls" if reply.calls else "stop"
        usage = {"prompt_tokens": INPUT_TOKENS, "completion_tokens": 7, "total_tokens": INPUT_TOKENS + 7}
        return {
            "id": MODEL,
            "object": "chat.completion",
            "created": 0,
            "model": MODEL,
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": usage,
        }


def _called(at: int, one: PlannedCall) -> dict[str, Any]:
    """A call as it stands in a message or a delta."""
    function = {"name": one.name, "arguments": one.arguments}
    return {"index": at, "id": f"call_{at}", "type": "function", "function": function}
