"""An agent that plays a script of its own: it writes the raw events of one turn."""

from typing import Any

import redis

from footnote_shared.contracts.events import RawEvent
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.ids import new_id
from footnote_shared.redis import keys


class ScriptedAgent:
    """Writes the raw events of one turn, as the agent does: the stream is opened first, then announced."""

    def __init__(
        self, client: "redis.Redis", workspace_id: str, conversation: str, turn: str | None = None
    ) -> None:
        self._client = client
        self.turn = turn or new_id()
        self.message = new_id()
        self.workspace_id = workspace_id
        self.conversation = conversation

    def start(self, *, announce: bool = True) -> str:
        started = {
            "thread_id": self.conversation,
            "message_id": self.message,
            "engine": "scripted",
            "settings_hash": "0",
        }
        self.write("turn.started", started)
        if announce:
            self.announce()
        return self.turn

    def announce(self) -> None:
        fields: dict[Any, Any] = {
            "turn_id": self.turn,
            "workspace_id": self.workspace_id,
            "thread_id": self.conversation,
        }
        self._client.xadd(keys.TURNS_STREAM, fields)

    def write(self, kind: Any, data: dict[str, Any]) -> None:
        event = RawEvent(
            turn_id=self.turn,
            workspace_id=self.workspace_id,
            thread_id=self.conversation,
            type=kind,
            at=now(),
            data=data,
        )
        self._client.xadd(keys.turn_raw(self.turn), {"e": event.model_dump_json()})

    def say(self, *deltas: str) -> None:
        for delta in deltas:
            self.write("text.delta", {"text": delta})

    def complete(self) -> None:
        self.write("message.completed", {"message_id": self.message})

    def fail(self, detail: str = "model gone") -> None:
        self.write(
            "turn.failed",
            {
                "message_id": self.message,
                "problem": {"type": "x", "title": "t", "status": 503, "detail": detail, "code": "c"},
            },
        )

    def cancel(self) -> None:
        self.write("turn.cancelled", {"message_id": self.message})
