"""Another system that tells of its items by web hooks: late, twice and in the wrong order, as they come."""

import base64
import hashlib
import hmac
import json
import random
import threading
import time
from datetime import UTC, datetime, timedelta

import httpx

from footnote_shared.kernel.clock import rfc3339
from tests.chaos.ledger import Ledger
from tests.system.stacks import DistributedStack

_ITEMS = 8
_ATTEMPT_S = 20.0
_AGAIN_S = 0.5


class Hooks(threading.Thread):
    """Sends each word on an item until it is taken. The word with the latest moment is what has to hold."""

    def __init__(self, stack: DistributedStack, ledger: Ledger, seed: int) -> None:
        super().__init__(name="hooks", daemon=True)
        self._stack = stack
        self._ledger = ledger
        self._chance = random.Random(f"hooks/{seed}")
        self._over = threading.Event()
        self._count = 0
        # Before now, so that no clock takes it for the future.
        self._moment = datetime.now(UTC) - timedelta(days=1)
        self._held: list[tuple[str, bytes]] = []
        made = stack.client().http.post("/v1/connectors", json={"kind": "push", "name": "Tickets"})
        made.raise_for_status()
        self._path = f"/v1/webhooks/{made.json()['id']}"
        self._key = base64.b64decode(made.json()["webhook_secret"].removeprefix("whsec_"))

    def stop(self) -> None:
        self._over.set()

    def run(self) -> None:
        while not self._over.is_set():
            self._say()
            self._over.wait(self._chance.uniform(0.2, 1.0))
        for word in self._held:
            self._send(*word)

    def _say(self) -> None:
        self._count += 1
        self._moment += timedelta(seconds=1)
        item = f"ticket-{self._chance.randrange(_ITEMS)}"
        text = None if self._chance.random() < 0.2 else f"Word {self._count} on {item}."
        self._ledger.hooked[item] = text
        told = {"id": item, "updated_at": rfc3339(self._moment)}
        body = {"type": "item.deleted", "data": told}
        if text is not None:
            body = {"type": "item.upserted", "data": {**told, "text": text, "title": item}}
        word = f"word-{self._count}", json.dumps(body).encode()
        if self._chance.random() < 0.3:
            # It comes behind later ones.
            self._held.append(word)
            return
        self._send(*word)
        if self._chance.random() < 0.3:
            self._send(*word)
        if self._held and self._chance.random() < 0.5:
            self._send(*self._held.pop(self._chance.randrange(len(self._held))))

    def _send(self, event: str, body: bytes) -> None:
        while not self._sent(event, body):
            time.sleep(_AGAIN_S)

    def _sent(self, event: str, body: bytes) -> bool:
        stamp = str(int(time.time()))
        digest = hmac.new(self._key, f"{event}.{stamp}.".encode() + body, hashlib.sha256).digest()
        headers = {
            "webhook-id": event,
            "webhook-timestamp": stamp,
            "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
            "content-type": "application/json",
        }
        client = self._stack.client()
        try:
            answer = client.http.post(self._path, content=body, headers=headers, timeout=_ATTEMPT_S)
        except httpx.TransportError as lost:
            self._ledger.answered("hook", lost)
            return False
        self._ledger.answered("hook", answer)
        return answer.status_code == httpx.codes.ACCEPTED
