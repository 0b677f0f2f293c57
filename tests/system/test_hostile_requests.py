"""Hostile requests to every route of every service: each is answered, and none with an error of ours."""

import random
from collections import Counter

import httpx
import pytest

from tests.fuzz.routes import Requests, failures
from tests.system.stacks import Client

pytestmark = pytest.mark.system

SERVICES = ("ingest", "retriever", "agent", "resolver")
REQUESTS = 120


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


@pytest.mark.parametrize("kind", ["\0", "a/b\x7f", "text/pl\u00e4in", "no type", "x" * 300])
def test_an_empty_file_of_an_odd_type_can_be_read_again(user: Client, kind: str) -> None:
    head = f'name="file"; filename="empty"\r\nContent-Type: {kind}'.encode()
    body = b"--x\r\nContent-Disposition: form-data; %b\r\n\r\n\r\n--x--\r\n" % head
    answer = user.http.post(
        "/v1/documents", content=body, headers={"Content-Type": "multipart/form-data; boundary=x"}
    )
    assert answer.status_code == 202, answer.text
    content: httpx.Response = user.http.get(f"/v1/documents/{answer.json()['id']}/content")
    assert content.status_code < 500, content.text
