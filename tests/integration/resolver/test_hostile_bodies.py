"""Bodies that would stop the service: refused unread without a key, and never at others' cost."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import httpx
import pytest

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_testing.eventually import LIMIT_S
from tests.integration.resolver.processes import Caller, ResolverStack

_PROBE_EVERY_S = 0.02
# An answer takes a tenth of a second, and a few on a busy machine. A service that parses where it answers
# stands still for as long as all the bodies take together.
_LONGEST_WAIT_S = 10.0


@pytest.fixture
def http(caller: Caller) -> Iterator[httpx.Client]:
    with caller.http() as client:
        yield client


def answer_to_headers(url: str, *headers: str) -> str:
    """What a service answers to a request of which no byte of the body ever comes."""
    at = urlsplit(url)
    lines = [f"POST {at.path} HTTP/1.1", f"Host: {at.netloc}", *headers, "", ""]
    with socket.create_connection((at.hostname, at.port), timeout=LIMIT_S) as connection:
        connection.sendall("\r\n".join(lines).encode())
        return connection.recv(4096).decode()


class Probe:
    """Asks for `/healthz` again and again from a thread; `worst_s` is the longest that an answer took."""

    def __init__(self, url: str) -> None:
        self._url = f"{url}/healthz"
        self._over = threading.Event()
        self.worst_s = 0.0

    def run(self) -> None:
        with httpx.Client(timeout=LIMIT_S, trust_env=False, verify=NO_CERTIFICATES) as client:
            while not self._over.wait(_PROBE_EVERY_S):
                began = time.perf_counter()
                client.get(self._url).raise_for_status()
                self.worst_s = max(self.worst_s, time.perf_counter() - began)

    def stop(self) -> None:
        self._over.set()


class TestBeforeTheBody:
    LONG = "Content-Length: 9000000"
    JSON = "Content-Type: application/json"

    def test_a_caller_without_a_key_is_refused(self, stack: ResolverStack) -> None:
        answer = answer_to_headers(f"{stack.urls[0]}/v1/ground", self.LONG, self.JSON)
        assert answer.startswith("HTTP/1.1 401")
        assert "connection: close" in answer.lower()

    @pytest.mark.parametrize("key", ["Bearer fn_nobody", "Bearer a.b.c", "Basic YTpi"])
    def test_a_wrong_key_is_refused(self, stack: ResolverStack, key: str) -> None:
        url = f"{stack.urls[0]}/v1/ground"
        answer = answer_to_headers(url, self.JSON, "Transfer-Encoding: chunked", f"Authorization: {key}")
        assert answer.startswith("HTTP/1.1 401")

    def test_a_body_above_the_routes_limit_is_refused(self, stack: ResolverStack, caller: Caller) -> None:
        key = f"Authorization: Bearer {caller.key}"
        for path, size in (("/v1/conversations", 70_000), ("/v1/ground", 1_100_000)):
            answer = answer_to_headers(stack.urls[0] + path, self.JSON, key, f"Content-Length: {size}")
            assert answer.startswith("HTTP/1.1 413")

    def test_files_are_refused_where_none_are_taken(self, stack: ResolverStack, caller: Caller) -> None:
        kind = "Content-Type: multipart/form-data; boundary=x"
        key = f"Authorization: Bearer {caller.key}"
        answer = answer_to_headers(f"{stack.urls[0]}/v1/ground", self.LONG, kind, key)
        assert answer.startswith("HTTP/1.1 415")


def test_a_body_that_grows_beyond_the_limit_is_refused(http: httpx.Client) -> None:
    answer = http.post("/v1/conversations", content=(b" " * 10_000 for _ in range(8)))
    assert answer.status_code == 413


def test_others_are_answered_while_hostile_bodies_come_in(stack: ResolverStack, caller: Caller) -> None:
    conversation = caller.conversation()
    normalize = f"/v1/conversations/{conversation}/normalize"
    marks = "a [1] " * 40_000
    bodies: list[tuple[str, bytes]] = [
        ("/v1/ground", b"[" * 1_000_000),
        ("/v1/ground", b'"' * 1_000_000),
        ("/v1/ground", b'{"passages":[' + b",".join([b"1"] * 49_000) + b"]}"),
        ("/v1/ground", json.dumps({"claims": [marks[:99_000]], "passages": []}).encode()),
        (normalize, json.dumps({"text": marks}).encode()),
        (normalize, json.dumps({"deltas": list("[1] " * 5_000)}).encode()),
    ]
    probe = Probe(stack.urls[0])
    with ThreadPoolExecutor(len(bodies) + 1) as pool, caller.http(timeout=LIMIT_S) as http:
        probing = pool.submit(probe.run)
        headers = {"Content-Type": "application/json"}
        answers = [pool.submit(http.post, path, content=body, headers=headers) for path, body in bodies]
        statuses = [answer.result().status_code for answer in answers]
        probe.stop()
        probing.result()
    assert statuses == [422, 422, 422, 200, 200, 200]
    assert probe.worst_s < _LONGEST_WAIT_S


@pytest.mark.parametrize(
    "body",
    [
        rb'{"title": "\ud800"}',
        rb'{"title": "\udc00\ud83d"}',
        rb'{"\uDfff": 1}',
        b'{"title": "\xed\xa0\x80"}',
        '{"title": "a"}'.encode("utf-16"),
    ],
)
def test_what_is_no_text_is_refused(http: httpx.Client, body: bytes) -> None:
    answer = http.post("/v1/conversations", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422


def test_a_whole_pair_of_surrogates_is_a_character(http: httpx.Client) -> None:
    body = rb'{"title": "\ud83d\ude00 \\ud800"}'
    answer = http.post("/v1/conversations", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 201


def test_half_a_pair_in_a_title_leaves_the_list_readable(http: httpx.Client, caller: Caller) -> None:
    path = f"/v1/conversations/{caller.conversation()}/citations"
    display = rb'"display": {"title": "\ud800", "url": "https://a.example/"}'
    locator = b'"locator": {"url": "https://a.example/"}'
    body = b'{"items": [{"source_type": "web_result", "text": "a", %b, %b}]}' % (locator, display)
    answer = http.post(path, content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert http.get(path).json()["items"] == []
