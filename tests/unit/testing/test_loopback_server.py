"""What a stand-in's server prints, and what it keeps to itself."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import httpx
import pytest

from footnote_cli.embedded.ports import NO_CERTIFICATES
from footnote_testing.eventually import LIMIT_S
from footnote_testing.loopback_server import LoopbackServer


class Failing(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        raise BrokenPipeError if self.path == "/gone" else ValueError("a mistake of the test's")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        return


@pytest.fixture
def url() -> Iterator[str]:
    server = LoopbackServer(Failing)
    # So that `server_close` waits for whoever is still being answered.
    server.daemon_threads = False
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.url
    server.shutdown()
    thread.join()
    server.server_close()


def ask(url: str, path: str) -> None:
    with pytest.raises(httpx.RemoteProtocolError):
        httpx.get(url + path, trust_env=False, timeout=LIMIT_S, verify=NO_CERTIFICATES)


def test_a_client_that_has_gone_is_not_told(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    ask(url, "/gone")
    ask(url, "/gone")
    assert capsys.readouterr().err == ""


def test_any_other_error_is_printed(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    ask(url, "/mistake")
    assert "a mistake of the test's" in capsys.readouterr().err
