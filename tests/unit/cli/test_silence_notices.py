"""Somebody who waits is told for what."""

import httpx
import pytest
from pydantic import SecretStr

from footnote_cli.api_client import Api
from footnote_cli.silence_notices import Waiting, WaitingTogether
from footnote_shared.settings.base import Settings
from footnote_testing.eventually import eventually


def test_silence_is_told_with_what_is_waited_for() -> None:
    said: list[str] = []
    with Waiting("the first step", pauses_s=(0.01, 60.0), say=said.append) as waiting:
        eventually(lambda: said[-1:], "silence is told", until=bool)
        waiting.heard("the answer")
        eventually(lambda: said[1:], "silence is told again", until=bool)
    assert [notice.partition("; ")[2] for notice in said] == [
        "waiting for the first step.",
        "waiting for the answer.",
    ]


def test_nothing_is_told_where_the_answer_comes() -> None:
    said: list[str] = []
    with Waiting("the answer", pauses_s=(60.0,), say=said.append) as waiting:
        waiting.heard()
    assert said == []


def test_calls_at_the_same_time_are_waited_for_by_one_line() -> None:
    """Each of several uploads at once said the same line, and what came for one was silence to the others."""
    made: list[_Heard] = []

    def make() -> _Heard:
        made.append(_Heard("the answer", pauses_s=(60.0,)))
        return made[-1]

    together = WaitingTogether(make)
    made.clear()
    with together.call():
        with together.call():
            pass
        assert [waiting.times for waiting in made] == [1]
    with together.call():
        pass
    assert [waiting.times for waiting in made] == [1, 0]


class _Heard(Waiting):
    """Counts how often something came."""

    times = 0

    def heard(self, what: str | None = None) -> None:
        self.times += 1
        super().heard(what)


def test_a_server_that_hangs_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    told: list[str] = []

    def everything_told() -> str:
        told.append(capsys.readouterr().err)
        return "".join(told)

    def answer(request: httpx.Request) -> httpx.Response:
        eventually(everything_told, "the wait is told", until=lambda text: "http://gulls.test" in text)
        return httpx.Response(200, json={"ok": True})

    settings = Settings(api_key=SecretStr("fn_test"), url="http://gulls.test")
    api = Api(settings, httpx.MockTransport(answer), pauses_s=(0.01, 60.0))
    assert api.get("/x") == {"ok": True}
