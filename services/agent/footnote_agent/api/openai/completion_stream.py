"""The events of a turn as chunks of a chat completion, one by one and without keeping them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from footnote_agent.api.asking import events_in
from footnote_agent.api.chat_request import AskedChat, ChatCompletionRequest
from footnote_agent.api.dependencies import AgentResources
from footnote_agent.api.openai.chat_threads import ChatThread, remember_answer
from footnote_agent.api.openai.cited_text import CitedText, list_of_sources
from footnote_agent.api.openai.completion import DONE, Completion, finish_reason, line_of
from footnote_agent.api.openai.errors import openai_error
from footnote_agent.turns.cancel import request_cancel
from footnote_agent.turns.follow import follow
from footnote_agent.turns.start import Accepted
from footnote_shared.contracts.citations import CitationEntry
from footnote_shared.contracts.events import TERMINAL, Usage
from footnote_shared.contracts.identity import Principal
from footnote_shared.web.resources import EdgeResources
from footnote_shared.web.sse import HEARTBEAT

_REPLACED = "\n\nParts of the answer were lost on their way. The whole of it:\n\n"


def extra_fields(
    thread_id: str, turn_id: str, status: str, entries: Sequence[CitationEntry], ignored: Sequence[str]
) -> dict[str, Any]:
    """What an answer says under `footnote`, for clients that know it."""
    return {
        "thread_id": thread_id,
        "turn_id": turn_id,
        "status": status,
        "citations": [entry.model_dump(mode="json", exclude_none=True) for entry in entries],
        "ignored": list(ignored),
    }


@dataclass(slots=True)
class StreamedCompletion:
    """One stream for one client. The turn that it began stops when the client goes."""

    edge: EdgeResources
    resources: AgentResources
    caller: Principal
    completion: Completion
    body: ChatCompletionRequest
    chat: AskedChat
    thread: ChatThread
    accepted: Accepted
    cited: CitedText = field(default_factory=CitedText)
    used: Usage = field(default_factory=Usage)
    ended: bool = False

    async def lines(self) -> AsyncIterator[bytes]:
        """The stream as bytes, up to `[DONE]`."""
        turn_id = self.accepted.turn_id
        frames = follow(
            self.resources.resolver, self.resources.crew, self.edge.database, self.caller, turn_id
        )
        try:
            yield self.completion.chunk({"role": "assistant", "content": ""})
            async with aclosing(frames):
                async for chunk in frames:
                    for event in events_in(chunk):
                        async for line in self._lines_of(event):
                            yield line
            if not self.ended:
                yield line_of(openai_error({"detail": "The stream ended without an answer."}))
            yield DONE
        finally:
            if not self.ended and self.accepted.leased is not None:
                self.resources.crew.stop(turn_id)
                await request_cancel(self.resources.streams, turn_id)

    async def _lines_of(self, event: dict[str, Any] | None) -> AsyncIterator[bytes]:
        if event is None:
            yield HEARTBEAT
            return
        kind, data = event["type"], event["data"]
        if kind == "text.delta":
            yield self._said(data["text"])
        elif kind == "text.replaced":
            if line := self._replaced(data["text"]):
                yield line
        elif kind == "usage":
            self.used = Usage.model_validate(data)
        elif kind in TERMINAL:
            async for line in self._end(kind, data):
                yield line

    def _said(self, piece: str) -> bytes:
        return self.completion.chunk({"content": self.cited.add(piece)})

    def _replaced(self, text: str) -> bytes | None:
        """What a client lacks of the whole text. What it has cannot be taken back."""
        whole = CitedText()
        whole.add(text)
        if whole.text == self.cited.text:
            return None
        if self.cited.text and not whole.text.startswith(self.cited.text):
            return self._said(_REPLACED + text)
        missing = whole.text[len(self.cited.text) :]
        self.cited = whole
        return self.completion.chunk({"content": missing})

    async def _end(self, kind: str, data: dict[str, Any]) -> AsyncIterator[bytes]:
        self.ended = True
        if kind == "turn.failed":
            yield line_of(openai_error(data["problem"]))
            return
        entries = [CitationEntry.model_validate(entry) for entry in data.get("citations") or ()]
        if not self.cited.text and data.get("text"):
            # Nothing of the stream has come: the closing text is all there is.
            yield self._said(data["text"])
        # What was streamed cannot be taken back, so it is said what the policy has withdrawn (ADR 0013).
        withdrawn = self.cited.withdrawn_in(data["text"]) if kind == "message.completed" else []
        if self.body.footnote.sources == "text" and (entries or withdrawn):
            yield self._said(list_of_sources(entries, withdrawn))
        await remember_answer(self.edge.database, self.caller, self.thread, self.chat, self.cited.text)
        annotations = self.cited.annotations(entries)
        status = "completed" if kind == "message.completed" else "cancelled"
        turn_id = self.accepted.turn_id
        ignored = self.chat.ignored_by(self.accepted.engine)
        extra = extra_fields(self.thread.thread_id, turn_id, status, entries, ignored)
        extra["withdrawn"] = withdrawn
        delta = {"annotations": annotations} if annotations else {}
        yield self.completion.chunk(delta, finish_reason(data.get("cut")), extra)
        if self.body.stream_options is not None and self.body.stream_options.include_usage:
            yield self.completion.usage_chunk(self.used)
