"""Hostile requests to every route of every service: each is answered, and none with an error of ours."""

import random
from collections import Counter

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
