"""What a user does with the services in containers, and what happens to the containers meanwhile."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import httpx

from footnote_testing.eventually import LIMIT_S, eventually
from tests.system.stacks import Client, ServerEvent, server_events

DONE_S = 600.0
"""Seconds that a document may take. Containers that were just started share the machine with the builds."""
_RETRY = (502, 503, 504)
TERMINAL = {"message.completed", "turn.failed", "turn.cancelled"}


class Journey:
    """The main journey as in the system tests, through the proxy. `compose` runs a command of Compose."""

    def __init__(self, user: Client, compose: Callable[..., str]) -> None:
        self._user = user
        self._compose = compose
        self._ids: list[str] = []

    def steps(self) -> Iterator[tuple[str, Callable[[], None]]]:
        """Each step with its name, in their order."""
        yield "upload, search, ask", self.upload_search_ask
        yield "resume a stream at each of its events", self.resume
        yield "kill the worker that embeds", self.kill_a_worker
        for store in ("postgres", "redis", "qdrant"):
            yield f"restart {store}", partial(self.restart, store)
        yield "restart each service", self.restart_services

    def wait_ready(self, limit_s: float) -> None:
        eventually(self._answers, "every service answers", limit_s=limit_s)

    def upload_search_ask(self) -> None:
        self._take("osaka.md", "# Plants\n\n## Osaka\n\nThe Osaka plant opens in October 2027.\n")
        self._take("cellar.txt", "The wine cellar of the head office is kept at 12 degrees Celsius all year.")
        assert self._finds("When does the Osaka plant open?") == "osaka.md"
        asked = self._user.ask("When does the Osaka plant open?")
        assert asked["status"] == "completed", asked
        assert "2027" in asked["message"]["text"]
        thread, n = asked["message"]["thread_id"], asked["message"]["citations"][0]["n"]
        pill = self._user.http.get(f"/v1/conversations/{thread}/citations/{n}").json()
        assert "2027" in pill["quote"], pill

    def resume(self) -> None:
        question = {"text": "How warm is the wine cellar?"}
        path = f"/v1/threads/{self._user.thread()}/turns"
        with self._user.http.stream("POST", path, json=question) as response:
            assert response.status_code == 200, response.read()
            turn_id = response.headers["footnote-turn-id"]
            events = list(server_events(response))
        assert [event.type for event in events if event.type in TERMINAL] == ["message.completed"]
        for position in range(0, len(events), max(1, len(events) // 8)):
            assert self._read(turn_id, events[position].id) == events[position + 1 :]

    def kill_a_worker(self) -> None:
        ids = [self._user.upload(f"late{n}.txt", f"Late fact number {n}.".encode())["id"] for n in range(6)]
        self._compose("kill", "--signal", "SIGKILL", "embed")
        self._compose("up", "--detach", "--no-deps", "embed")
        ended = self._user.wait_ended(ids, DONE_S)
        assert {document["status"] for document in ended} == {"indexed"}, ended

    def restart(self, store: str) -> None:
        """What was there is there, and what comes is taken, once the store is back."""
        self._compose("restart", store)
        self._searches_again()
        self._take(f"after-{store}.txt", f"This was written after the restart of {store}.")
        answer = eventually(
            lambda: self._user.http.post(
                f"/v1/threads/{self._user.thread()}/turns",
                json={"text": "When does the Osaka plant open?", "stream": False},
            ),
            "a question is answered",
            until=lambda got: got.status_code == 200,
            limit_s=DONE_S,
        )
        assert "2027" in answer.json()["message"]["text"]

    def restart_services(self) -> None:
        for service in ("ingest", "retriever", "resolver", "agent"):
            self._compose("restart", service)
            eventually(self._answers, f"{service} answers again", limit_s=DONE_S)
        self._searches_again()

    def _answers(self) -> bool:
        paths = ("/v1/documents", "/v1/presets", "/v1/threads", "/v1/chat/completions")
        return all(self._user.http.get(path).status_code not in _RETRY for path in paths)

    def _searches_again(self) -> None:
        def found() -> bool:
            answer = self._user.http.post("/v1/search", json={"query": "When does the Osaka plant open?"})
            return answer.status_code == 200 and bool(answer.json()["passages"])

        eventually(found, "a search finds what was there", limit_s=DONE_S)

    def _take(self, name: str, text: str) -> None:
        made = self._user.upload(name, text.encode())
        (ended,) = self._user.wait_ended([made["id"]], DONE_S)
        assert ended["status"] == "indexed", ended

    def _finds(self, question: str) -> str:
        (first, *_) = self._user.search(question)["passages"]
        return str(first["source"])

    def _read(self, turn_id: str, last: str) -> list[ServerEvent]:
        path, headers = f"/v1/streams/{turn_id}", {"Last-Event-ID": last}
        with self._user.http.stream("GET", path, headers=headers) as response:
            assert response.status_code == 200, response.read()
            return list(server_events(response))


@contextmanager
def a_user(url: str, key: str) -> Iterator[Client]:
    """A client with a key, which waits as long as a busy machine needs."""
    client = Client(url, key)
    client.http.timeout = httpx.Timeout(4 * LIMIT_S)
    yield client
    client.http.close()
