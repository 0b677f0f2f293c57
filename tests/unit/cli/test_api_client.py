"""How the commands reach the server."""

import asyncio
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from footnote_cli.api_client import Api, api_key, read_events
from footnote_shared.kernel.errors import Misconfigured, NotFound, TooMany, Unavailable
from footnote_shared.settings.base import Settings
from footnote_testing.raw_site import serving
from footnote_testing.self_signed import certificate


def settings(tmp_path: Path, key: str = "fn_given") -> Settings:
    return Settings(data=tmp_path, api_key=SecretStr(key), url="http://footnote.test")


def test_the_key_of_the_environment_goes_before_that_of_the_data_folder(tmp_path: Path) -> None:
    (tmp_path / "api_key").write_text("fn_of_the_folder\n")
    assert api_key(settings(tmp_path)) == "fn_given"
    assert api_key(settings(tmp_path, "")) == "fn_of_the_folder"


def test_without_a_key_the_user_learns_what_to_set(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="FOOTNOTE_API_KEY"):
        api_key(settings(tmp_path, ""))


def test_a_call_carries_the_key_and_leaves_out_what_is_not_given(tmp_path: Path) -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"items": []})

    api = Api(settings(tmp_path), httpx.MockTransport(answer))
    assert api.get("/v1/documents", status="failed", folder=None) == {"items": []}
    assert seen[0].headers["Authorization"] == "Bearer fn_given"
    assert str(seen[0].url) == "http://footnote.test/v1/documents?status=failed"


async def test_a_server_for_which_nobody_vouches_gets_no_key(tmp_path: Path) -> None:
    server, _ = certificate("localhost", tmp_path)
    async with serving(tls=server) as site:
        own = settings(tmp_path).model_copy(update={"url": f"https://localhost:{site.port}"})
        with pytest.raises(Unavailable):
            await asyncio.to_thread(Api(own).get, "/v1/documents")
    assert site.requests == []


def test_a_server_that_is_not_there_is_given_up_after_three_seconds_and_a_silent_one_after_a_minute(
    tmp_path: Path,
) -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        raise httpx.ConnectTimeout("too late")

    api = Api(settings(tmp_path), httpx.MockTransport(answer))
    with pytest.raises(Unavailable) as gone:
        api.post("/v1/search", {})
    assert gone.value.part == "footnote"
    with pytest.raises(Unavailable), api.stream("POST", "/v1/x"):
        pass
    assert [request.extensions["timeout"]["connect"] for request in seen] == [3.0, 3.0]
    assert [request.extensions["timeout"]["read"] for request in seen] == [60.0, 60.0]


def test_a_stream_that_is_refused_is_the_error_that_the_server_gave(tmp_path: Path) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(404, json={"title": "Not found", "status": 404, "detail": "no"})

    api = Api(settings(tmp_path), httpx.MockTransport(answer))
    with pytest.raises(NotFound), api.stream("POST", "/v1/threads/x/turns"):
        pass


def test_events_are_the_data_of_a_stream() -> None:
    lines = ["id: 1", "event: text.delta", 'data: {"type": "text.delta"}', "", ": heartbeat", 'data:{"n":1}']
    assert list(read_events(lines)) == [{"type": "text.delta"}, {"n": 1}]


def _busy(seen: list[str], times: int, retry_after: str) -> httpx.MockTransport:
    """A server that has too many requests for so many times."""

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.method)
        if len(seen) <= times:
            return httpx.Response(429, json={"detail": "busy"}, headers={"Retry-After": retry_after})
        return httpx.Response(200, json={"ok": True})

    return httpx.MockTransport(answer)


def test_a_server_that_asks_for_patience_is_asked_again(tmp_path: Path) -> None:
    seen: list[str] = []
    pauses: list[float] = []
    api = Api(settings(tmp_path), _busy(seen, 3, "2"), pause=pauses.append)
    assert api.post("/v1/documents:lookup", {"ids": []}) == {"ok": True}
    assert pauses == [2, 2, 2]


@pytest.mark.parametrize(("retry_after", "asked"), [("10", 11), ("11", 1)])
def test_patience_has_an_end(tmp_path: Path, retry_after: str, asked: int) -> None:
    seen: list[str] = []
    api = Api(settings(tmp_path), _busy(seen, 1000, retry_after), pause=lambda seconds: None)
    with pytest.raises(TooMany):
        api.get("/v1/documents")
    assert len(seen) == asked
