"""A client of a server whose answers are known beforehand."""

from collections.abc import Iterator
from pathlib import Path

import httpx
from pydantic import SecretStr

from footnote_cli.api_client import Api
from footnote_shared.settings.base import Settings


def api_of(tmp_path: Path, *answers: httpx.Response | Exception) -> tuple[Api, list[httpx.Request]]:
    """A client of a server that gives these answers in turn, and what it was asked."""
    asked: list[httpx.Request] = []
    waiting: Iterator[httpx.Response | Exception] = iter(answers)

    def answer(request: httpx.Request) -> httpx.Response:
        request.read()
        asked.append(request)
        found = next(waiting)
        if isinstance(found, Exception):
            raise found
        return found

    settings = Settings(data=tmp_path, api_key=SecretStr("fn_test"), url="http://footnote.test")
    return Api(settings, httpx.MockTransport(answer)), asked
