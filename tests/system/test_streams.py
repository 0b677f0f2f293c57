"""A turn's stream resumes without gap or repeat, needs no client, and has exactly one terminal event."""

import threading
from pathlib import Path

import httpx
import pytest

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_testing.eventually import LIMIT_S, eventually
from tests.system.stacks import Client, EmbeddedStack, ServerEvent, server_events

pytestmark = pytest.mark.system

RUNBOOK = Path(__file__).parents[2] / "docs/operate/runbooks/dependency-down.md"
TERMINAL = {"message.completed", "turn.failed", "turn.cancelled"}


@pytest.fixture(scope="module")
def document(embedded: EmbeddedStack) -> str:
    user = embedded.client()
    made = user.upload(
        "comet.txt",
        b"The comet Halvorsen returns every 71 years. It was seen last in 1986. Its tail is green.",
    )
    user.wait_ended([made["id"]])
    return str(made["id"])


def start_turn(user: Client, question: str) -> tuple[str, list[ServerEvent]]:
    with user.http.stream("POST", f"/v1/threads/{user.thread()}/turns", json={"text": question}) as response:
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        return response.headers["footnote-turn-id"], list(server_events(response))


def read(user: Client, turn_id: str, last: str | None = None) -> list[ServerEvent]:
    headers = {"Last-Event-ID": last} if last else {}
    with user.http.stream("GET", f"/v1/streams/{turn_id}", headers=headers) as response:
        assert response.status_code == 200, response.read()
        return list(server_events(response))


def test_the_events_tell_the_turn_in_order(user: Client, document: str) -> None:
    _, events = start_turn(user, "When does the comet Halvorsen return?")
    types = [event.type for event in events]
    assert types[0] == "turn.started"
    assert [t for t in types if t in TERMINAL] == ["message.completed"]
    assert types[-1] == "message.completed"
    assert [event.event["seq"] for event in events] == list(range(1, len(events) + 1))
    first_citation = types.index("citation")
    with_token = next(
        i for i, e in enumerate(events) if e.type == "text.delta" and "[citation:" in e.event["data"]["text"]
    )
    assert first_citation < with_token
    final = events[-1].event["data"]
    assert "".join(e.event["data"]["text"] for e in events if e.type == "text.delta") == final["text"]
    assert "71 years" in final["citations"][0]["quote"]


def test_a_reader_that_comes_back_at_any_event_sees_no_gap_and_no_repeat(user: Client, document: str) -> None:
    turn_id, events = start_turn(user, "What is the tail of the comet like?")
    assert read(user, turn_id) == events
    for position, event in enumerate(events):
        assert read(user, turn_id, event.id) == events[position + 1 :]


def test_a_turn_outlives_its_client(user: Client, document: str) -> None:
    thread = user.thread()
    with user.http.stream(
        "POST", f"/v1/threads/{thread}/turns", json={"text": "When was the comet seen last?"}
    ) as response:
        turn_id = response.headers["footnote-turn-id"]

    def answers() -> list[str]:
        messages = user.http.get(f"/v1/threads/{thread}/messages").json()["items"]
        return [message["text"] for message in messages if message["role"] == "assistant"]

    (answer,) = eventually(answers, "the answer is stored though its client left")
    assert "1986" in answer
    assert [e.type for e in read(user, turn_id) if e.type in TERMINAL] == ["message.completed"]


def test_many_readers_of_one_turn_see_the_same(user: Client, document: str) -> None:
    turn_id, events = start_turn(user, "Which comet is it?")
    seen: list[list[ServerEvent]] = []
    threads = [threading.Thread(target=lambda: seen.append(read(user, turn_id))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [events] * 8


def test_cancelling_a_turn_that_has_ended_changes_nothing(user: Client, document: str) -> None:
    turn_id, _ = start_turn(user, "Which comet is it?")
    answer = user.http.post(f"/v1/turns/{turn_id}:cancel")
    assert answer.status_code in (200, 202)
    assert answer.json()["status"] == "completed"


def test_a_deleted_document_is_gone_from_the_next_search_on(user: Client) -> None:
    made = user.upload("gone.txt", b"The vanishing cabinet stands in room 404.")
    user.wait_ended([made["id"]])
    asked = user.ask("Where does the vanishing cabinet stand?")
    assert "404" in asked["message"]["text"]
    assert user.http.delete(f"/v1/documents/{made['id']}").status_code == 202
    found = user.search("vanishing cabinet room")
    assert all(p["document_id"] != made["id"] for p in found["passages"])
    thread, n = asked["message"]["thread_id"], asked["message"]["citations"][0]["n"]
    pill = user.http.get(f"/v1/conversations/{thread}/citations/{n}").json()
    assert pill["status"] == "deleted"


def test_readyz_metrics_and_docs_answer(user: Client) -> None:
    ready = httpx.get(f"{user.url}/readyz", trust_env=False, timeout=LIMIT_S, verify=NO_CERTIFICATES)
    assert ready.status_code == 200
    services = ready.json()["services"]
    assert set(services) == {"ingest", "retriever", "agent", "resolver"}
    named = {name for checks in services.values() for name in checks}
    page = RUNBOOK.read_text("utf-8")
    assert {name for name in named if f"`{name}`" in page} == named
    metrics = httpx.get(f"{user.url}/metrics", trust_env=False, timeout=LIMIT_S, verify=NO_CERTIFICATES).text
    for name in (
        "footnote_http_requests_total",
        "footnote_searches_total",
        "footnote_turns_total",
        "footnote_citations_total",
    ):
        assert name in metrics
    assert (
        httpx.get(f"{user.url}/docs", trust_env=False, timeout=LIMIT_S, verify=NO_CERTIFICATES).status_code
        == 200
    )
    assert (
        "/v1/search"
        in httpx.get(
            f"{user.url}/openapi.json", trust_env=False, timeout=LIMIT_S, verify=NO_CERTIFICATES
        ).json()["paths"]
    )
