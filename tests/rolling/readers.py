"""People who read an answer as it comes. Where a connection ends they go on behind the last event."""

import random
import threading
import time

import httpx

from tests.chaos.ledger import Ledger
from tests.rolling.fleet import Fleet
from tests.system.stacks import ServerEvent, server_events

_TERMINAL = frozenset({"message.completed", "turn.failed", "turn.cancelled"})
_PATIENCE_S = 60.0
_TRIES = 20


class Reader(threading.Thread):
    """Asks one question after the other until it is told to stop, and notes what it lost in the ledger."""

    def __init__(self, fleet: Fleet, ledger: Ledger, number: int, seed: int) -> None:
        super().__init__(name=f"reader{number}", daemon=True)
        self._fleet = fleet
        self._ledger = ledger
        self._chance = random.Random(f"reader/{seed}/{number}")
        self._over = threading.Event()
        self.turns = 0
        self.resumed = 0
        self.reading_s = 0.0

    def stop(self) -> None:
        self._over.set()

    def run(self) -> None:
        while not self._over.is_set():
            self._one()
            self._over.wait(self._chance.uniform(0.2, 1.0))

    def _one(self) -> None:
        user = self._fleet.client("agent")
        user.http.timeout = httpx.Timeout(_PATIENCE_S)
        try:
            made = user.http.post("/v1/threads", json={})
        except httpx.TransportError as lost:
            self._ledger.answered("reader's thread", lost)
            return
        self._ledger.answered("reader's thread", made)
        if made.status_code != httpx.codes.CREATED:
            return
        path = f"/v1/threads/{made.json()['id']}/turns"
        question = {"text": f"Which edit did user {self._chance.randrange(4)} make?"}
        seen: list[ServerEvent] = []
        turn_id = ""
        begun = time.monotonic()
        try:
            with user.http.stream("POST", path, json=question) as answer:
                if answer.status_code != httpx.codes.OK:
                    answer.read()
                    self._ledger.answered("reader's turn", answer)
                    return
                turn_id = answer.headers["footnote-turn-id"]
                seen.extend(server_events(answer))
        except httpx.TransportError as lost:
            if not turn_id:
                self._ledger.answered("reader's turn", lost)
                return
        for _ in range(_TRIES):
            if seen and seen[-1].type in _TERMINAL:
                break
            self.resumed += 1
            self._go_on(turn_id, seen)
        self.turns += 1
        self.reading_s += time.monotonic() - begun
        self._check(turn_id, seen)

    def _go_on(self, turn_id: str, seen: list[ServerEvent]) -> None:
        user = self._fleet.client("resolver")
        user.http.timeout = httpx.Timeout(_PATIENCE_S)
        headers = {"Last-Event-ID": seen[-1].id} if seen else {}
        try:
            with user.http.stream("GET", f"/v1/streams/{turn_id}", headers=headers) as answer:
                seen.extend(server_events(answer))
        except httpx.TransportError:
            self._over.wait(0.2)

    def _check(self, turn_id: str, seen: list[ServerEvent]) -> None:
        order = [event.event["seq"] for event in seen]
        ends = [event.type for event in seen if event.type in _TERMINAL]
        if order != list(range(1, len(order) + 1)):
            self._ledger.wrong.append(f"the reader of {turn_id} saw the events {order}")
        if len(ends) != 1:
            self._ledger.wrong.append(f"the reader of {turn_id} saw the ends {ends}")
        elif ends == ["turn.failed"]:
            self._ledger.wrong.append(f"the turn {turn_id} failed: {seen[-1].event['data']}")
