"""Threads and their turns: ask, follow, look back."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from footnote_client.blocking.server_link import ServerLink
from footnote_client.blocking.turn_stream import TurnStream
from footnote_client.call import Call
from footnote_client.models import (
    AnswerRecord,
    Pill,
    SharedMessage,
    Thread,
    ThreadList,
    ThreadMessage,
    ThreadMessageList,
    Turn,
)


class ThreadCalls:
    """`client.threads`."""

    def __init__(self, link: ServerLink) -> None:
        self._link = link

    def create(self, title: str | None = None) -> Thread:
        return self._link.send(Call("POST", "/v1/threads", Thread, body={"title": title}))

    def find(self) -> Iterator[Thread]:
        """Your conversations, the latest used first."""
        return self._link.each(Call("GET", "/v1/threads", ThreadList), ThreadList)

    def get(self, thread_id: str) -> Thread:
        return self._link.send(Call("GET", "/v1/threads/{thread_id}", Thread, _of(thread_id)))

    def delete(self, thread_id: str) -> None:
        """Delete a conversation with all of its messages."""
        self._link.send(Call("DELETE", "/v1/threads/{thread_id}", type(None), _of(thread_id)))

    def messages(self, thread_id: str) -> Iterator[ThreadMessage]:
        """What was said, oldest first."""
        call = Call("GET", "/v1/threads/{thread_id}/messages", ThreadMessageList, _of(thread_id))
        return self._link.each(call, ThreadMessageList)

    def message(self, thread_id: str, message_id: str) -> ThreadMessage:
        ids = {"thread_id": thread_id, "message_id": message_id}
        return self._link.send(
            Call("GET", "/v1/threads/{thread_id}/messages/{message_id}", ThreadMessage, ids)
        )

    def ask(
        self,
        thread_id: str,
        text: str,
        *,
        mentions: Sequence[Mapping[str, str]] = (),
        preset: str | None = None,
        settings: Mapping[str, Any] | None = None,
        when_busy: str | None = None,
    ) -> TurnStream:
        """Ask in a thread. Nothing is sent before the stream is read."""
        body = {
            "text": text,
            "mentions": list(mentions),
            "preset": preset,
            "settings": settings,
            "stream": True,
            "when_busy": when_busy,
        }
        asking = Call("POST", "/v1/threads/{thread_id}/turns", type(None), _of(thread_id), body=body)
        return TurnStream(self._link, asking)

    def turn(self, turn_id: str) -> Turn:
        """State of a turn, with its answer once there is one."""
        return self._link.send(Call("GET", "/v1/turns/{turn_id}", Turn, {"turn_id": turn_id}))

    def follow(self, turn_id: str) -> TurnStream:
        """The events of a turn that was asked before, from its first one."""
        call = Call("GET", "/v1/streams/{turn_id}", type(None), {"turn_id": turn_id})
        return TurnStream(self._link, call, turn_id)

    def approve(self, turn_id: str, call_id: str, *, approve: bool) -> Turn:
        """Let a tool do what an event `approval.needed` asks about, or refuse it."""
        body = {"call_id": call_id, "approve": approve}
        return self._link.send(
            Call("POST", "/v1/turns/{turn_id}:approve", Turn, {"turn_id": turn_id}, body=body)
        )

    def record(self, turn_id: str) -> AnswerRecord:
        """Why the answer of a turn is what it is, for whoever asked."""
        return self._link.send(Call("GET", "/v1/turns/{turn_id}/record", AnswerRecord, {"turn_id": turn_id}))

    def open_citation(self, thread_id: str, n: int, *, turn_id: str | None = None) -> Pill:
        """What a reader gets who opens `[n]`: what was shown, and what stands there now."""
        return self._link.send(
            Call(
                "GET",
                "/v1/conversations/{conversation_id}/citations/{n}",
                Pill,
                {"conversation_id": thread_id, "n": n},
                {"turn_id": turn_id},
            )
        )

    def share(self, thread_id: str, message_id: str, *, shared: bool = True) -> ThreadMessage:
        """Let the whole workspace read an answer, with its question; `shared=False` takes it back."""
        ids = {"thread_id": thread_id, "message_id": message_id}
        path = "/v1/threads/{thread_id}/messages/{message_id}:share"
        return self._link.send(Call("POST", path, ThreadMessage, ids, body={"shared": shared}))

    def shared_answer(self, message_id: str) -> SharedMessage:
        """An answer that somebody of the workspace has shared, with those sources that you may see."""
        return self._link.send(
            Call("GET", "/v1/shared/{message_id}", SharedMessage, {"message_id": message_id})
        )

    def open_shared_citation(self, message_id: str, n: int) -> Pill:
        """What a reader gets who opens `[n]` of a shared answer."""
        path = "/v1/shared/{message_id}/citations/{n}"
        return self._link.send(Call("GET", path, Pill, {"message_id": message_id, "n": n}))


def _of(thread_id: str) -> dict[str, str]:
    return {"thread_id": thread_id}
