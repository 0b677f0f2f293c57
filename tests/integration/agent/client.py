"""What a client of the agent does, over HTTP."""

import json
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import httpx

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_testing.eventually import LIMIT_S, eventually


@dataclass(frozen=True)
class Heard:
    """One event as it came."""

    type: str
    data: dict[str, Any]


class AgentClient(httpx.Client):
    """Adds the few calls that tests make over and over."""

    def __init__(self, url: str, key: str) -> None:
        super().__init__(
            base_url=url,
            headers={"Authorization": f"Bearer {key}"},
            timeout=LIMIT_S,
            trust_env=False,
            verify=NO_CERTIFICATES,
        )

    def thread(self, **body: Any) -> str:
        answer = self.post("/v1/threads", json=body)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def ask(self, thread_id: str, text: str, **body: Any) -> httpx.Response:
        return self.post(f"/v1/threads/{thread_id}/turns", json={"text": text, "stream": False, **body})

    def stream_turn(self, thread_id: str, text: str, **body: Any) -> Generator[Heard | str, None, None]:
        """The turn's id, then its events."""
        with self.stream("POST", f"/v1/threads/{thread_id}/turns", json={"text": text, **body}) as answer:
            assert answer.status_code == 200, answer.read()
            assert answer.headers["content-type"].startswith("text/event-stream")
            yield answer.headers["Footnote-Turn-Id"]
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    event = json.loads(line.removeprefix("data: "))
                    yield Heard(event["type"], event["data"])

    def start_turn(self, thread_id: str, text: str, **body: Any) -> str:
        """Ask and go away at once; the turn's id."""
        stream = self.stream_turn(thread_id, text, **body)
        turn_id = next(stream)
        stream.close()
        return str(turn_id)

    def turn(self, turn_id: str) -> dict[str, Any]:
        answer = self.get(f"/v1/turns/{turn_id}")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def wait_for_end(self, turn_id: str) -> dict[str, Any]:
        return eventually(
            lambda: self.turn(turn_id), "the turn ends", until=lambda turn: turn["status"] != "running"
        )

    def messages(self, thread_id: str) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = self.get(f"/v1/threads/{thread_id}/messages").json()["items"]
        return items
