"""What the fake resolver makes of the raw events of a turn: numbers become citations."""

import json
import re
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from footnote_shared.contracts.answers import Compliance, NormaliserReport
from footnote_shared.contracts.citations import CitationEntry
from footnote_shared.contracts.events import (
    TERMINAL,
    CitationEvent,
    Event,
    EventType,
    MessageCompleted,
    RawEvent,
    TurnCancelled,
    TurnFailed,
)
from footnote_shared.kernel.citation_tokens import NUMBER, token_of

MARKER = re.compile(rf"\[({NUMBER})\]")
_BEGUN = re.compile(r"\[\d*$")


class RelayedTurn:
    """The events of one turn, as readers get them."""

    def __init__(self, turn_id: str) -> None:
        self._turn_id = turn_id
        self._seq = 0
        self._text = ""
        self._held = ""
        self._cited: list[CitationEntry] = []
        self._dropped: list[int] = []

    def take(self, raw: RawEvent, entries: Sequence[CitationEntry]) -> list[Event]:
        """The events for readers. The beginning of a marker is held back until it is whole."""
        if raw.type == "text.delta":
            text = self._held + str(raw.data["text"])
            begun = _BEGUN.search(text)
            self._held = begun[0] if begun else ""
            return self._said(raw, text.removesuffix(self._held), entries)
        if raw.type not in TERMINAL:
            return [self._event(raw, raw.type, raw.data)]
        rest = self._said(raw, self._held, entries)
        return [*rest, self._event(raw, raw.type, self._closing(raw))]

    def _said(self, raw: RawEvent, text: str, entries: Sequence[CitationEntry]) -> list[Event]:
        known = {entry.n: entry for entry in entries}
        numbers = list(dict.fromkeys(int(n) for n in MARKER.findall(text)))
        new = [known[n] for n in numbers if n in known and known[n] not in self._cited]
        self._cited += new
        self._dropped += [n for n in numbers if n not in known]
        said = MARKER.sub(lambda m: token_of(int(m[1])) if int(m[1]) in known else "", text)
        self._text += said
        events = [self._event(raw, "citation", _plain(CitationEvent(entry=entry))) for entry in new]
        return [*events, self._event(raw, "text.delta", {"text": said})] if said else events

    def _event(self, raw: RawEvent, kind: EventType, data: dict[str, Any]) -> Event:
        self._seq += 1
        return Event(turn_id=self._turn_id, seq=self._seq, type=kind, at=raw.at, data=data)

    def _closing(self, raw: RawEvent) -> dict[str, Any]:
        report = NormaliserReport(dropped=self._dropped)
        kept: dict[str, Any] = {
            "message_id": raw.data["message_id"],
            "text": self._text,
            "citations": self._cited,
            "compliance": Compliance(report=report),
        }
        if raw.type == "message.completed":
            return _plain(MessageCompleted.model_validate({**kept, "cut": raw.data.get("cut")}))
        if raw.type == "turn.failed":
            return _plain(TurnFailed.model_validate({**kept, "problem": raw.data["problem"]}))
        return _plain(TurnCancelled.model_validate(kept))


def _plain(message: BaseModel) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(message.model_dump_json(exclude_none=True))
    return data
