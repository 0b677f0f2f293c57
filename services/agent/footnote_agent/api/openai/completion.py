"""The shapes of a chat completion, whole and in chunks. Pure."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from footnote_shared.contracts.events import Usage

DONE = b"data: [DONE]\n\n"
_FINISH = {"length": "length", "content_filter": "content_filter"}


def finish_reason(cut: str | None) -> str:
    """OpenAI's word for how an answer ended."""
    return _FINISH.get(cut or "", "stop")


def usage_of(used: Usage) -> dict[str, int]:
    """Tokens as OpenAI counts them. An answer without a model used none."""
    return {
        "prompt_tokens": used.input_tokens,
        "completion_tokens": used.output_tokens,
        "total_tokens": used.input_tokens + used.output_tokens,
    }


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer under one id."""

    id: str
    model: str
    created: int = field(default_factory=lambda: int(time.time()))

    def whole(
        self,
        text: str,
        annotations: Sequence[dict[str, Any]],
        finish: str,
        used: Usage,
        footnote: dict[str, Any] | None,
    ) -> dict[str, Any]:
        """The body of an answer without a stream."""
        message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None}
        if annotations:
            message["annotations"] = list(annotations)
        choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
        body = {**self._head("chat.completion"), "choices": [choice], "usage": usage_of(used)}
        return body | ({"footnote": footnote} if footnote is not None else {})

    def chunk(
        self, delta: dict[str, Any], finish: str | None = None, footnote: dict[str, Any] | None = None
    ) -> bytes:
        """A chunk of a stream."""
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        body: dict[str, Any] = {**self._head("chat.completion.chunk"), "choices": [choice]}
        return line_of(body | ({"footnote": footnote} if footnote is not None else {}))

    def usage_chunk(self, used: Usage) -> bytes:
        """The chunk that `stream_options.include_usage` asks for."""
        return line_of({**self._head("chat.completion.chunk"), "choices": [], "usage": usage_of(used)})

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model}


def line_of(body: dict[str, Any]) -> bytes:
    """A body as one server-sent event."""
    return b"data: %b\n\n" % json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
