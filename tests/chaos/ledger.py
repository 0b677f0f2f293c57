"""What users were promised, and what became of each request. The audit compares it with what is there."""

import json
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import httpx

RETRY = 503


def source_of(entry: dict[str, Any]) -> str:
    """What a number means: the entry of a citation without what may change with time."""
    return json.dumps([entry["source_type"], entry["locator"]], sort_keys=True)


@dataclass
class Entry:
    """What a document may be now. More than one text is possible after a request whose answer got lost."""

    possible: set[str | None] = field(default_factory=lambda: {None})
    folders: set[str] = field(default_factory=set)
    """Where it may lie; empty where nobody moves it."""

    def is_now(self, text: str | None) -> None:
        self.possible = {text}

    def may_be(self, text: str | None) -> None:
        self.possible.add(text)


@dataclass
class Ledger:
    """One per run, for all users at once. A document is known by its name; None stands for "not there"."""

    documents: dict[str, Entry] = field(default_factory=dict)
    hooked: dict[str, str | None] = field(default_factory=dict)
    """The text of each item by its latest word; None stands for a deleted one."""
    turns: dict[str, float] = field(default_factory=dict)
    """When each was answered, in seconds of `time.monotonic`."""
    numbers: dict[str, dict[int, str]] = field(default_factory=dict)
    """By conversation: what each number of an answer was told to mean, as the key of its source."""
    statuses: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    """What was said with each 503, and how each request was lost, for who looks for the cause."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def entry(self, name: str) -> Entry:
        with self._lock:
            return self.documents.setdefault(name, Entry())

    def answered_turn(self, thread_id: str, answer: dict[str, Any]) -> None:
        """Note a turn that was answered, and what its numbers mean."""
        with self._lock:
            self.turns[answer["turn_id"]] = time.monotonic()
            told = self.numbers.setdefault(thread_id, {})
            for entry in (answer["message"] or {}).get("citations", []):
                if not entry.get("status"):
                    told[entry["n"]] = source_of(entry)

    def answered(self, what: str, answer: httpx.Response | httpx.TransportError) -> None:
        """Count an answer, or what there was in place of one. Notes those that nobody should get."""
        status = "lost" if isinstance(answer, httpx.TransportError) else str(answer.status_code)
        with self._lock:
            self.statuses[f"{what} {status}"] += 1
            if isinstance(answer, httpx.TransportError):
                self.refused.append(f"{what}: {answer!r}")
                return
            if answer.status_code < httpx.codes.INTERNAL_SERVER_ERROR:
                return
            self.refused.append(f"{what}: {answer.text[:300]}")
            if answer.status_code != RETRY or "retry-after" not in answer.headers:
                self.wrong.append(f"{what}: {answer.status_code} {answer.text[:300]}")
