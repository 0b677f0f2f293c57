"""Hostile requests to every route of every service: each is answered, and none with an error of ours."""

import random
from collections import Counter

import httpx
import pytest

from tests.fuzz.routes import Requests, failures
from tests.system.operator_keys import key_of
from tests.system.stacks import Client, EmbeddedStack

pytestmark = pytest.mark.system

SERVICES = ("ingest", "retriever", "agent", "resolver")
REQUESTS = 120
WORD = "halcyonite"
"""In every text of what belongs to the first workspace here, and in no request of a stranger."""


@pytest.mark.parametrize("service", SERVICES)
def test_no_route_fails(user: Client, service: str) -> None:
    document = user.http.get(f"/{service}/openapi.json").json()
    thread = user.thread()
    known = {"thread_id": thread, "conversation_id": thread, "name": "default", "n": "1"}
    statuses: Counter[int] = Counter()
    requests = Requests(document, random.Random(7), known).any_of(REQUESTS)
    assert failures(user.http, requests, statuses) == []
    assert statuses.total() == REQUESTS
    assert statuses[422], statuses


@pytest.fixture(scope="module")
def stranger(embedded: EmbeddedStack) -> Client:
    options = ("--new-workspace", "strangers", "--scope", "read", "--scope", "write", "--scope", "admin")
    return Client(embedded.url, key_of(embedded, *options))


@pytest.fixture(scope="module")
def owned(embedded: EmbeddedStack) -> dict[str, str]:
    """What the first workspace has, with one word in every text that somebody could be shown."""
    user = embedded.client()
    text = f"The {WORD} recipe holds saffron.".encode()
    document = user.upload(f"{WORD}.txt", text, folder=f"/{WORD}", title=WORD)
    user.wait_ended([document["id"]])
    thread = str(user.http.post("/v1/threads", json={"title": WORD}).json()["id"])
    turn = user.ask(f"What does the {WORD} recipe hold?", thread)
    made = {
        "connector_id": ("/v1/connectors", {"kind": "push", "name": WORD}),
        "automation_id": (
            "/v1/automations",
            {"name": WORD, "text": WORD, "schedule": "0 9 * * *", "paused": True},
        ),
        "key_id": ("/v1/keys", {"name": WORD}),
    }
    ids = {name: str(user.http.post(path, json=body).json()["id"]) for name, (path, body) in made.items()}
    return ids | {
        "document_id": document["id"],
        "folder_id": str(user.document(document["id"])["folder_id"]),
        "workspace_id": document["workspace_id"],
        "thread_id": thread,
        "conversation_id": thread,
        "turn_id": turn["turn_id"],
        "message_id": turn["message"]["id"],
        "name": "default",
        "lane": "document",
        "n": "1",
    }


@pytest.mark.parametrize("service", SERVICES)
def test_no_answer_tells_a_stranger_anything(
    embedded: EmbeddedStack, stranger: Client, owned: dict[str, str], service: str
) -> None:
    """Requests from the OpenAPI document, with another workspace's key and the ids of what is not theirs."""
    told: list[str] = []

    def listen(answer: httpx.Response) -> None:
        if WORD in answer.read().decode("utf-8", "replace"):
            told.append(f"{answer.request.method} {answer.request.url}: {answer.text[:300]}")

    stranger.http.event_hooks = {"response": [listen]}
    document = stranger.http.get(f"/{service}/openapi.json").json()
    statuses: Counter[int] = Counter()
    requests = Requests(document, random.Random(11), owned).any_of(REQUESTS)
    assert failures(stranger.http, requests, statuses) == []
    assert told == []
    assert statuses[404] + statuses[422], statuses
    mine = embedded.client()
    assert mine.document(owned["document_id"])["title"] == WORD, "nor did they change anything"
    assert mine.http.get(f"/v1/threads/{owned['thread_id']}/messages").status_code == 200
