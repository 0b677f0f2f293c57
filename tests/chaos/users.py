"""Users under faults: each hands in, edits, moves, deletes and asks in an order that its seed decides."""

import random
import threading

import httpx

from tests.chaos.ledger import Ledger
from tests.system.stacks import Client, DistributedStack

_NEW_TO_MOVE = 0.2
"""How often a document comes that will be moved, where there is one already."""


class User(threading.Thread):
    """Works on documents of its own until it is told to stop, and rests for up to `rest_s` between two
    requests. An answer that does not come within `answer_s` is lost, which leaves two possibilities.
    """

    def __init__(
        self,
        stack: DistributedStack,
        ledger: Ledger,
        number: int,
        seed: int,
        *,
        rest_s: float = 0.3,
        answer_s: float = 30.0,
    ) -> None:
        super().__init__(name=f"user{number}", daemon=True)
        self._stack = stack
        self._ledger = ledger
        self._number = number
        self._chance = random.Random(f"{seed}/{number}")
        self._over = threading.Event()
        self._rest_s = rest_s
        self._answer_s = answer_s
        self._ids: dict[str, str] = {}
        self._edits = 0
        self._moved: dict[str, str] = {}
        self._moved_ever = 0

    def stop(self) -> None:
        self._over.set()

    def rest_for(self, seconds: float) -> None:
        """From the next request on, rest for up to so many seconds."""
        self._rest_s = seconds

    def run(self) -> None:
        # A user of its own folder: what it deletes belongs to nobody else.
        while not self._over.is_set():
            act = self._chance.choices(
                (self._hand_in, self._move, self._delete, self._delete_folder, self._ask, self._search),
                weights=(10, 3, 3, 1, 2, 4),
            )[0]
            act()
            self._over.wait(self._chance.uniform(0.0, self._rest_s))

    def _send(
        self, what: str, service: str, method: str, path: str, **given: object
    ) -> httpx.Response | None:
        client: Client = self._stack.client(service)
        client.http.timeout = httpx.Timeout(self._answer_s)
        try:
            answer = client.http.request(method, path, **given)  # type: ignore[arg-type]
        except httpx.TransportError as lost:
            self._ledger.answered(what, lost)
            return None
        self._ledger.answered(what, answer)
        return answer

    def _hand_in(self) -> None:
        name = f"u{self._number}-{self._chance.randrange(12)}.txt"
        self._edits += 1
        length = self._chance.choice((1, 3, 40))
        text = f"Edit {self._edits} of {name} by user {self._number}. " * length
        entry = self._ledger.entry(name)
        entry.may_be(text)
        answer = self._send(
            "upload",
            "ingest",
            "POST",
            "/v1/documents",
            files={"file": (name, text.encode())},
            data={"folder": f"/user{self._number}"},
        )
        if answer is not None and answer.status_code == 202:
            entry.is_now(text)
            self._ids[name] = answer.json()["id"]

    def _move(self) -> None:
        """From folder to folder goes what nobody edits: an upload to where it was would be a document too."""
        if not self._moved or self._chance.random() < _NEW_TO_MOVE:
            self._hand_in_to_move()
            return
        name = self._chance.choice(sorted(self._moved))
        entry, folder = self._ledger.entry(name), self._chance.choice(self._places())
        entry.folders.add(folder)
        path = f"/v1/documents/{self._moved[name]}"
        answer = self._send("move", "ingest", "PATCH", path, json={"folder": folder})
        if answer is not None and answer.status_code == 200:
            entry.folders = {folder}
        else:
            # It may happen late, so behind it nobody moves this one.
            del self._moved[name]

    def _hand_in_to_move(self) -> None:
        self._moved_ever += 1
        name, text = f"m{self._number}-{self._moved_ever}.txt", f"What user {self._number} moves about."
        entry, folder = self._ledger.entry(name), self._places()[0]
        entry.may_be(text)
        entry.folders.add(folder)
        files = {"file": (name, text.encode())}
        answer = self._send("upload", "ingest", "POST", "/v1/documents", files=files, data={"folder": folder})
        if answer is not None and answer.status_code == 202:
            entry.is_now(text)
            self._moved[name] = answer.json()["id"]

    def _places(self) -> list[str]:
        return [f"/moved{self._number}/{place}" for place in ("here", "there", "there/and/back")]

    def _delete(self) -> None:
        if not self._ids:
            return
        name = self._chance.choice(sorted(self._ids))
        entry = self._ledger.entry(name)
        entry.may_be(None)
        answer = self._send("delete", "ingest", "DELETE", f"/v1/documents/{self._ids[name]}")
        if answer is not None and answer.status_code == 202:
            entry.is_now(None)
            del self._ids[name]

    def _delete_folder(self) -> None:
        listed = self._send("folders", "ingest", "GET", "/v1/folders")
        if listed is None or listed.status_code != 200:
            return
        mine = [f["id"] for f in listed.json()["items"] if f["path"] == f"/user{self._number}"]
        for folder_id in mine:
            names = [f"u{self._number}-{i}.txt" for i in range(12)]
            for name in names:
                self._ledger.entry(name).may_be(None)
            answer = self._send("delete folder", "ingest", "DELETE", f"/v1/folders/{folder_id}")
            if answer is not None and answer.status_code == 202:
                for name in names:
                    self._ledger.entry(name).is_now(None)
                self._ids.clear()

    def _search(self) -> None:
        self._send(
            "search", "retriever", "POST", "/v1/search", json={"query": f"edit of user {self._number}"}
        )

    def _ask(self) -> None:
        service = self._chance.choice(("agent0", "agent1"))
        made = self._send("thread", service, "POST", "/v1/threads", json={})
        if made is None or made.status_code != 201:
            return
        thread_id = made.json()["id"]
        path = f"/v1/threads/{thread_id}/turns"
        body = {"text": f"Which edit did user {self._number} make?", "stream": False}
        answer = self._send("turn", service, "POST", path, json=body)
        if answer is not None and answer.status_code == 200:
            self._ledger.answered_turn(thread_id, answer.json())
