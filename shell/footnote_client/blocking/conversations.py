"""Conversations of your own model: number passages, make its tokens citations, open them, judge claims."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from footnote_client.blocking.server_link import ServerLink
from footnote_client.call import Call
from footnote_client.models import (
    CitationEntries,
    CitationEntry,
    Conversation,
    GroundResult,
    NormalizeResult,
    RegisterResult,
)


class ConversationCalls:
    """`client.conversations`."""

    def __init__(self, link: ServerLink) -> None:
        self._link = link

    def create(self, title: str | None = None) -> Conversation:
        return self._link.send(Call("POST", "/v1/conversations", Conversation, body={"title": title}))

    def fork(self, conversation_id: str, title: str | None = None) -> Conversation:
        """A copy that goes on counting from the end."""
        path = "/v1/conversations/{conversation_id}:fork"
        return self._link.send(Call("POST", path, Conversation, _of(conversation_id), body={"title": title}))

    def number(
        self,
        conversation_id: str,
        items: Sequence[Mapping[str, Any]],
        *,
        view: str | None = None,
        wrap: str | None = None,
    ) -> RegisterResult:
        """Number passages, and render them for a model. What has a number already keeps it."""
        path = "/v1/conversations/{conversation_id}/citations"
        body = {"items": list(items), "view": view, "wrap": wrap}
        return self._link.send(Call("POST", path, RegisterResult, _of(conversation_id), body=body))

    def normalize(
        self, conversation_id: str, *, deltas: Sequence[str] | None = None, text: str | None = None
    ) -> NormalizeResult:
        """What a model wrote, with `[citation:n]` for each number that stands for something."""
        path = "/v1/conversations/{conversation_id}/normalize"
        body = {"deltas": None if deltas is None else list(deltas), "text": text}
        return self._link.send(Call("POST", path, NormalizeResult, _of(conversation_id), body=body))

    def citations(self, conversation_id: str) -> Iterator[CitationEntry]:
        """The entries of a conversation, by number."""
        path = "/v1/conversations/{conversation_id}/citations"
        return self._link.each(Call("GET", path, CitationEntries, _of(conversation_id)), CitationEntries)

    def ground(
        self,
        passages: Sequence[Mapping[str, str]],
        *,
        text: str | None = None,
        claims: Sequence[str] | None = None,
    ) -> GroundResult:
        """Which claims the passages support, and what could be cited for each."""
        body = {
            "passages": list(passages),
            "text": text,
            "claims": None if claims is None else list(claims),
        }
        return self._link.send(Call("POST", "/v1/ground", GroundResult, body=body))


def _of(conversation_id: str) -> dict[str, str]:
    return {"conversation_id": conversation_id}
