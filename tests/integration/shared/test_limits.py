"""Limits at the edge: requests by key and workspace, failed keys by address, bodies that do not come."""

import asyncio
import re
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import httpx
import pytest
from fastapi import APIRouter, Body, FastAPI, UploadFile

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_shared.db.engine import Database
from footnote_shared.redis.connection import connect_async
from footnote_shared.security.api_keys import make_key
from footnote_shared.settings.base import Settings
from footnote_shared.telemetry import metrics
from footnote_shared.web import admission, body_limits, rates
from footnote_shared.web.body_limits import body_limit
from footnote_shared.web.build_app import build_app
from footnote_shared.web.dependencies import Reader
from footnote_shared.web.health import Check
from footnote_shared.web.rates import Allowance, LocalRates, Rates
from footnote_shared.web.resources import EdgeResources
from footnote_testing.eventually import LIMIT_S
from footnote_testing.redis_process import RedisProcess
from footnote_testing.served_app import ServedApp
from footnote_testing.workspace import make_caller, make_database

NOBODY = "redis://127.0.0.1:1/0"
router = APIRouter()


@router.get("/who")
async def who(caller: Reader) -> str:
    return caller.avatar_id


@router.post("/echo")
async def echo(body: Annotated[object, Body()]) -> object:
    return body


@router.post("/upload")
@body_limit(uploads=True)
async def upload(file: UploadFile) -> int:
    return len(await file.read())


@asynccontextmanager
async def _nothing(app: FastAPI, edge: EdgeResources) -> AsyncIterator[Mapping[str, Check]]:
    yield {}


class Clock:
    """A clock that stands still until the test moves it."""

    seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@dataclass
class Edge:
    """Several processes' worth of one service over the same stores."""

    urls: list[str]
    database: Database
    key: str

    def get(self, key: str | None = None, *, process: int = 0) -> httpx.Response:
        headers = {"Authorization": f"Bearer {key or self.key}"}
        return httpx.get(
            f"{self.urls[process]}/who",
            headers=headers,
            trust_env=False,
            verify=NO_CERTIFICATES,
            timeout=LIMIT_S,
        )


Serve = Callable[..., Edge]


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine Redis takes longer, and the count would go on in the process."""
    monkeypatch.setattr(rates, "_REDIS_ANSWERS_WITHIN_S", 60.0)


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Starts processes whose limits count for a day, so that no test is too slow to reach them."""
    monkeypatch.setattr(admission, "_SPAN_S", 86_400.0)
    with ExitStack() as stack:

        def start(redis_url: str, *, processes: int = 1, **limits: Any) -> Edge:
            database = make_database(f"sqlite:///{tmp_path / 'edge.db'}")
            stack.callback(database.close)
            _, key = make_caller(database)
            settings = Settings(data=tmp_path, database_url=database.url, redis_url=redis_url, **limits)
            urls = []
            for _ in range(processes):
                served = ServedApp(build_app("retriever", "For tests.", settings, [router], _nothing)).start()
                stack.callback(served.stop)
                urls.append(served.url)
            return Edge(urls, database, key)

        yield start


class TestRequests:
    def test_of_a_key_are_counted_over_all_processes(self, serve: Serve, redis_server: RedisProcess) -> None:
        edge = serve(redis_server.url, processes=2, requests_per_key=6)
        answers = [edge.get(process=number % 2) for number in range(8)]
        assert [answer.status_code for answer in answers] == [200] * 6 + [429] * 2
        assert int(answers[-1].headers["Retry-After"]) >= 1
        assert answers[-1].json()["code"] == "too_many_requests"

    def test_tell_what_is_left_with_every_answer(self, serve: Serve, redis_server: RedisProcess) -> None:
        edge = serve(redis_server.url, requests_per_key=3, requests_per_workspace=10)
        answers = [edge.get() for _ in range(4)]
        assert {answer.headers["RateLimit-Policy"] for answer in answers} == {
            '"key";q=3;w=86400, "workspace";q=10;w=86400'
        }
        left = [[int(one) for one in re.findall(r";r=(\d+)", a.headers["RateLimit"])] for a in answers]
        assert left == [[2, 9], [1, 8], [0, 7], [0, 7]]
        assert answers[-1].status_code == 429

    def test_of_one_key_leave_room_for_another(self, serve: Serve, redis_server: RedisProcess) -> None:
        edge = serve(redis_server.url, requests_per_key=2)
        other = make_caller(edge.database, "other")[1]
        assert [edge.get().status_code for _ in range(3)] == [200, 200, 429]
        assert edge.get(other).status_code == 200

    def test_of_all_keys_of_a_workspace_are_counted_together(
        self, serve: Serve, redis_server: RedisProcess
    ) -> None:
        edge = serve(redis_server.url, requests_per_key=100, requests_per_workspace=3)
        caller, first = make_caller(edge.database, "third")
        with edge.database.write() as session:
            second = make_key(session, caller, "second", ["read"])
        answers = [edge.get(key).status_code for key in (first, second, first, second)]
        assert answers == [200, 200, 200, 429]

    def test_are_counted_in_each_process_while_redis_is_gone(self, serve: Serve) -> None:
        before = _value(metrics.RATES_LOCAL)
        edge = serve(NOBODY, processes=2, requests_per_key=2)
        answers = [edge.get(process=number % 2).status_code for number in range(6)]
        assert answers == [200] * 4 + [429] * 2
        assert _value(metrics.RATES_LOCAL) - before == 6

    def test_of_a_process_that_answers_alone_are_counted_in_it_for_all_of_its_services(
        self, serve: Serve
    ) -> None:
        before = _value(metrics.RATES_LOCAL)
        edge = serve(NOBODY, processes=2, requests_per_key=6, answers_alone=True)
        answers = [edge.get(process=number % 2) for number in range(8)]
        assert [answer.status_code for answer in answers] == [200] * 6 + [429] * 2
        assert answers[0].headers["RateLimit"].startswith('"key";r=5;')
        assert _value(metrics.RATES_LOCAL) == before, "nobody has to be told that Redis is away"

    def test_a_failed_one_costs_as_much_as_one_that_succeeds(
        self, serve: Serve, redis_server: RedisProcess
    ) -> None:
        edge = serve(redis_server.url, requests_per_key=2)
        with httpx.Client(
            base_url=edge.urls[0], trust_env=False, timeout=LIMIT_S, verify=NO_CERTIFICATES
        ) as http:
            headers = {"Authorization": f"Bearer {edge.key}", "Content-Type": "application/json"}
            answers = [http.post("/echo", content=b"{", headers=headers).status_code for _ in range(3)]
        assert answers == [422, 422, 429]


class TestKeysThatFail:
    def test_are_counted_by_address_and_hold_up_no_key_that_was_good(
        self, serve: Serve, redis_server: RedisProcess
    ) -> None:
        edge = serve(redis_server.url, failed_keys_per_address=3)
        assert edge.get().status_code == 200
        answers = [edge.get(f"fn_{number}") for number in range(5)]
        assert [answer.status_code for answer in answers] == [401] * 3 + [429] * 2
        assert "RateLimit" not in answers[0].headers
        assert int(answers[-1].headers["Retry-After"]) >= 1
        assert edge.get().status_code == 200


class TestABodyThatDoesNotCome:
    @pytest.mark.parametrize("path", ["/echo", "/upload"])
    def test_is_given_up_with_its_connection(
        self, serve: Serve, redis_server: RedisProcess, path: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(body_limits, "_BODY_GRACE_S", 0.3)
        edge = serve(redis_server.url)
        kind = "application/json" if path == "/echo" else "multipart/form-data; boundary=x"
        head = (
            f"POST {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {edge.key}\r\n"
            f"Content-Type: {kind}\r\nContent-Length: 1000\r\n\r\n--x\r\n"
        )
        host, _, port = edge.urls[0].removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port)), timeout=LIMIT_S) as connection:
            connection.sendall(head.encode())
            answer = b""
            while part := connection.recv(4096):
                answer += part
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert b"\r\nretry-after: 1\r\n" in answer
        assert b"\r\nconnection: close\r\n" in answer

    def test_an_upload_that_is_too_large_midway_ends_its_connection(
        self, serve: Serve, redis_server: RedisProcess
    ) -> None:
        edge = serve(redis_server.url, max_upload_bytes=100_000)

        first = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
        pieces = [first, *[b"x" * 10_000] * 40]
        head = (
            f"POST /upload HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {edge.key}\r\n"
            "Content-Type: multipart/form-data; boundary=x\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        host, _, port = edge.urls[0].removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port)), timeout=LIMIT_S) as connection:
            connection.sendall(head.encode())
            # The end of the body is never sent, so the server cannot have read it to its end.
            with suppress(OSError):
                for piece in pieces:
                    connection.sendall(b"%x\r\n%b\r\n" % (len(piece), piece))
            answer = connection.recv(4096)
        assert answer.startswith(b"HTTP/1.1 413 ")
        assert b"\r\nconnection: close\r\n" in answer


class TestTheCount:
    def test_has_room_again_when_time_has_gone(self) -> None:
        clock = Clock()
        counted = LocalRates(clock)
        allowance = Allowance("k", 3, span_s=60)
        assert [counted.take([allowance]) for _ in range(4)] == [0, 0, 0, 20]
        clock.seconds += 20
        assert [counted.take([allowance]) for _ in range(2)] == [0, 20]
        clock.seconds += 3600
        assert [counted.take([allowance]) for _ in range(4)] == [0, 0, 0, 20]

    def test_takes_from_all_or_from_none(self) -> None:
        counted = LocalRates(Clock())
        narrow, wide = Allowance("narrow", 1, 60), Allowance("wide", 2, 60)
        assert counted.take([narrow, wide]) == 0
        assert counted.take([narrow, wide]) > 0
        assert counted.take([wide]) == 0
        assert counted.take([wide]) > 0

    def test_is_the_same_in_redis(self, redis_server: RedisProcess) -> None:
        async def taken() -> list[bool]:
            client = connect_async(redis_server.url)
            counted = Rates(client)
            narrow, wide = Allowance("narrow", 1, 3600), Allowance("wide", 2, 3600)
            waits = [await counted.take(group) for group in ([narrow, wide], [narrow, wide], [wide], [wide])]
            await client.aclose()
            return [0 < wait <= 3600 for wait in waits]

        assert asyncio.run(taken()) == [False, True, False, True]


def _value(counter: Any) -> float:
    return float(counter._value.get())
