"""A web process: how it stops, how long it waits for a request, and where it takes calls of neighbours."""

import base64
import contextlib
import re
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import httpx
import jwt
import pytest

from footnote_cli.embedded.ports import NO_CERTIFICATES, accepts_connections
from footnote_shared.contracts.identity import Principal
from footnote_shared.security.service_identity import sign
from footnote_testing.child_process import ChildProcess
from footnote_testing.eventually import LIMIT_S, eventually
from footnote_testing.ports import free_port
from footnote_testing.workspace import make_caller, make_database

SECRET = "s" * 40
SMALL_SERVICE = "tests.integration.shared.small_service"


@dataclass
class Small:
    """A small service that runs, and a key for it."""

    process: ChildProcess
    port: int
    neighbour_port: int
    key: str

    def ask(self, method: str, path: str, more: Mapping[str, str]) -> httpx.Response:
        """With the key."""
        url = f"http://127.0.0.1:{self.port}{path}"
        headers = {"Authorization": f"Bearer {self.key}", **more}
        return httpx.request(
            method, url, headers=headers, trust_env=False, timeout=LIMIT_S, verify=NO_CERTIFICATES
        )

    def get(self, path: str, token: str = "none", *, port: int = 0) -> httpx.Response:
        url = f"http://127.0.0.1:{port or self.port}{path}"
        return httpx.get(
            url,
            headers={"Authorization": f"Bearer {token}"},
            trust_env=False,
            verify=NO_CERTIFICATES,
            timeout=LIMIT_S,
        )


Start = Callable[..., Small]


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    folder = tmp_path_factory.mktemp("small")
    database = make_database(f"sqlite:///{folder / 'small.db'}")
    _, key = make_caller(database)
    started: list[ChildProcess] = []

    def one(*, neighbour_port: int = 0, **settings: str) -> Small:
        port = free_port()
        environment = {
            "FOOTNOTE_DATA": str(folder),
            "FOOTNOTE_DATABASE_URL": database.url,
            "FOOTNOTE_SERVICE_SECRET": SECRET,
            **{f"FOOTNOTE_{name.upper()}": value for name, value in settings.items()},
        }
        command = [sys.executable, "-m", SMALL_SERVICE, str(port), str(neighbour_port)]
        process = ChildProcess(command, folder / f"{port}.log", environment=environment)
        started.append(process)
        process.wait_until(lambda: accepts_connections(port), "the small service listens")
        return Small(process, port, neighbour_port, key)

    yield one
    for process in started:
        process.kill()
    database.close()


def _in_hand(small: Small) -> float:
    """The requests that the process works on, the one that asks for them among them."""
    told = small.get("/metrics").text
    (line,) = re.findall(r"^footnote_http_requests_in_progress\{.*\} (.+)$", told, re.MULTILINE)
    return float(line)


def _asked_for(small: Small, function: str) -> str:
    """Ask the process where it stands, again: a request in hand need not have come to this function yet.

    What is returned is the line of a task that stands in it, empty as long as the log has none.
    """
    small.process.process.send_signal(signal.SIGUSR1)
    lines = [line for line in small.process.log.read_text().splitlines() if "process.task_stands" in line]
    return next((line for line in lines if function in line), "")


def test_a_storm_of_questions_where_it_stands_is_answered_once_a_second(start: Start) -> None:
    small = start()
    begun = time.monotonic()
    for _ in range(300):
        small.process.process.send_signal(signal.SIGUSR1)
        assert small.get("/healthz").status_code == 200
    lasted_s = time.monotonic() - begun
    answers = small.process.log.read_text().count("process.asked_where_it_stands")
    assert 1 <= answers <= lasted_s + 1


class TestToldToStop:
    def test_a_process_is_not_ready_but_still_takes_requests(self, start: Start) -> None:
        small = start(drain_s="60")
        assert small.get("/readyz").status_code == small.get("/acceptz").status_code == 200
        with httpx.Client(
            base_url=f"http://127.0.0.1:{small.port}",
            trust_env=False,
            timeout=LIMIT_S,
            verify=NO_CERTIFICATES,
        ) as kept:
            assert "connection" not in kept.get("/healthz").headers
            small.process.signal_group(signal.SIGTERM)
            eventually(lambda: small.get("/readyz").status_code == 503, "it says that it is not ready")
            assert small.get("/acceptz").status_code == 503
            for answer in (kept.get("/healthz"), small.get("/v1/who", small.key)):
                assert (answer.status_code, answer.headers["connection"]) == (200, "close")

    def test_it_ends_in_order_when_the_time_is_over(self, start: Start) -> None:
        small = start(drain_s="0.3")
        assert small.process.stop() == 0
        assert not accepts_connections(small.port)

    def test_who_asks_it_where_it_stands_up_to_its_last_moment_does_not_kill_it(self, start: Start) -> None:
        small = start(drain_s="0.1")
        small.process.signal_group(signal.SIGTERM)
        while small.process.alive:
            with contextlib.suppress(ProcessLookupError):
                small.process.signal_group(signal.SIGUSR1)
        assert small.process.process.returncode == 0

    def test_who_tells_it_again_and_again_does_not_kill_it(self, start: Start) -> None:
        """Up to its last moment: what is behind the server's end would be cut off."""
        small = start(drain_s="0.1")
        while small.process.alive:
            with contextlib.suppress(ProcessLookupError):
                small.process.signal_group(signal.SIGTERM)
            time.sleep(0.002)
        assert small.process.process.wait(LIMIT_S) == 0

    def test_who_has_no_answer_when_the_time_is_over_hears_whether_to_come_again(self, start: Start) -> None:
        small = start(drain_s="0.3", requests_end_s="1")
        asked = [
            ("GET", "/v1/who/never", {}),
            ("POST", "/v1/who/never", {"Idempotency-Key": "kept by nobody"}),
            ("POST", "/v1/who/never/kept", {"Idempotency-Key": "mine"}),
            ("POST", "/v1/who/never/kept", {}),
        ]
        with ThreadPoolExecutor() as waiting:
            answers = [waiting.submit(small.ask, *one) for one in asked]
            eventually(lambda: _in_hand(small) > len(asked), "the requests are in hand")
            assert small.process.stop() == 0
            got = [answer.result(LIMIT_S) for answer in answers]
        assert [answer.status_code for answer in got] == [503, 500, 503, 500]
        assert [answer.json()["code"] for answer in got] == ["unavailable", "internal"] * 2
        assert ["retry-after" in answer.headers for answer in got] == [True, False] * 2
        assert {answer.headers["connection"] for answer in got} == {"close"}

    def test_what_is_cut_off_is_a_line_in_the_log_and_no_fault(self, start: Start) -> None:
        small = start(drain_s="0.1", requests_end_s="1")
        with ThreadPoolExecutor() as waiting:
            for path in ("/v1/who/never", "/v1/who/never/streamed"):
                waiting.submit(small.ask, "GET", path, {})
            eventually(lambda: _in_hand(small) > 2, "the requests are in hand")
            assert small.process.stop() == 0
        told = small.process.log.read_text()
        assert told.count("process.cut_off") == 2
        assert "Traceback" not in told
        assert "ASGI" not in told

    def test_a_person_need_not_wait(self, start: Start) -> None:
        small = start(drain_s="600")
        small.process.signal_group(signal.SIGINT)
        small.process.process.wait(LIMIT_S)


class TestAClientThatIsSlow:
    @pytest.mark.parametrize(
        "sent", [b"", b"GET /healthz HTTP/1.1\r\nHo", b"GET /healthz HTTP/1.1\r\nHost: a\r\nX: "]
    )
    def test_loses_its_connection_before_the_head_is_whole(self, start: Start, sent: bytes) -> None:
        small = start(headers_within_s="0.5")
        with socket.create_connection(("127.0.0.1", small.port), timeout=LIMIT_S) as connection:
            connection.sendall(sent)
            answer = _all_of(connection)
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert b"\r\nretry-after: 1\r\n" in answer
        assert b'"code":"request_timeout"' in answer

    def test_loses_it_in_the_second_request_too(self, start: Start) -> None:
        # Long enough for a busy machine to send another byte before the time is over.
        small = start(headers_within_s="12")
        with socket.create_connection(("127.0.0.1", small.port), timeout=LIMIT_S) as connection:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /healthz HTTP/1.1\r\n")
            first = connection.recv(4096)
            connection.sendall(b"X")
            answer = _all_of(connection)
        assert first.startswith(b"HTTP/1.1 200 ")
        assert b"HTTP/1.1 408 " in answer


def test_a_process_that_is_asked_where_it_stands_tells_and_goes_on(start: Start) -> None:
    small = start()
    secret = "nobody-else-may-read-this"
    with ThreadPoolExecutor() as waiting:
        waiting.submit(small.ask, "GET", f"/v1/who/never?word={secret}", {})
        eventually(lambda: _in_hand(small) > 1, "the request is in hand")
        stands = eventually(lambda: _asked_for(small, " never"), "it tells where the request stands")
        assert small.get("/healthz").status_code == 200
        told = small.process.log.read_text()
        small.process.kill()
    assert "Current thread" in told, "the threads are told too"
    assert "asyncio/locks.py" in stands, "to the innermost line that is ours to see"
    assert secret not in told


def test_what_is_no_request_is_told_so_in_a_problem_document(start: Start) -> None:
    with socket.create_connection(("127.0.0.1", start().port), timeout=LIMIT_S) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nName with spaces: x\r\n\r\n")
        answer = _all_of(connection)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"application/problem+json" in answer


class TestATokenOfANeighbour:
    CALLER = Principal(workspace_id="w", avatar_id="anna", scopes=frozenset({"read"}))

    def test_counts_where_neighbours_call_and_nowhere_else(self, start: Start) -> None:
        small = start(neighbour_port=free_port())
        token = sign(self.CALLER, "ingest", SECRET)
        inside = small.get("/v1/who", token, port=small.neighbour_port)
        assert (inside.status_code, inside.json()) == (200, "anna")
        assert small.get("/v1/who", token).status_code == 401
        assert small.get("/v1/who", small.key).status_code == 200

    def test_that_was_made_for_another_service_or_badly_is_refused(self, start: Start) -> None:
        small = start()
        moment = int(time.time())
        claims = {"aud": "footnote-ingest", "iat": moment, "exp": moment + 60, "sub": "a", "ws": "w"}
        whole = {**claims, "scopes": ["read"], "groups": []}
        bad: list[dict[str, object]] = [
            claims,
            {**whole, "ws": 7},
            {**whole, "ws": ""},
            {**whole, "scopes": ["everything"]},
            {**whole, "groups": None},
            {**whole, "exp": moment + 86_400},
            {**whole, "exp": float("inf")},
            {**whole, "aud": ["footnote-ingest", "footnote-agent"]},
            *(
                {name: value for name, value in whole.items() if name != left}
                for left in ("aud", "exp", "iat")
            ),
        ]
        deep = base64.urlsafe_b64encode(b"[" * 20_000).decode().rstrip("=")
        tokens = [
            sign(self.CALLER, "agent", SECRET),
            f"{deep}.{deep}.x",
            *(jwt.encode(one, SECRET, algorithm="HS256") for one in bad),
        ]
        answers = [small.get("/v1/who", token) for token in tokens]
        assert [answer.status_code for answer in answers] == [401] * len(tokens)
        assert small.get("/v1/who", jwt.encode(whole, SECRET, algorithm="HS256")).json() == "a"


def _all_of(connection: socket.socket) -> bytes:
    parts = []
    while part := connection.recv(4096):
        parts.append(part)
    return b"".join(parts)


class TestLongHeads:
    @pytest.mark.parametrize("beginning", [b"GET /", b"GET / HTTP/1.1\r\nHost: x\r\nX: "])
    def test_are_refused_before_they_cost_anything(self, start: Start, beginning: bytes) -> None:
        small = start(headers_within_s="600")
        with socket.create_connection(("127.0.0.1", small.port), timeout=LIMIT_S) as connection:
            connection.sendall(beginning + b"a" * (64 * 1024 + 1 - len(beginning)))
            answer = connection.recv(4096)
        assert answer.startswith(b"HTTP/1.1 413 ")
        assert small.get("/healthz").status_code == 200


@pytest.mark.parametrize("service", ["ingest", "all"])
def test_a_service_that_its_settings_keep_from_starting_says_so_in_a_sentence(
    tmp_path: Path, service: str
) -> None:
    """And ends with the status of wrong use, not with that of a server that is not there."""
    settings = {"FOOTNOTE_DATA": str(tmp_path), "FOOTNOTE_CREDENTIALS_KEY": "too short"}
    command = [sys.executable, "-m", "footnote_cli", "serve", service, "--port", str(free_port())]
    ended = ChildProcess(command, tmp_path / "log", environment=settings)
    assert ended.process.wait(LIMIT_S) == 2
    assert ended.tail(1).startswith("footnote: A key of FOOTNOTE_CREDENTIALS_KEY")
    assert "too short" not in ended.log.read_text()
