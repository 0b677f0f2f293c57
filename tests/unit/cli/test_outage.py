"""Uploads while the server is away: each file is tried again under one key, for minutes."""

from pathlib import Path

import httpx
import pytest

from footnote_cli.uploads.local_files import LocalFile
from footnote_cli.uploads.outage import Outage
from footnote_cli.uploads.upload import upload
from footnote_shared.kernel.errors import Unavailable
from tests.unit.cli.scripted_api import api_of

GONE = httpx.ConnectError("refused")
ACCEPTED = httpx.Response(202, json={"id": "d1", "status": "queued"})
BUSY = httpx.Response(503, headers={"Retry-After": "1"}, json={"title": "Starting", "status": 503})


class PausedClock:
    """Seconds that pass only when somebody pauses."""

    def __init__(self) -> None:
        self.now = 0.0

    def pause(self, seconds: float) -> None:
        self.now += seconds

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def file(tmp_path: Path) -> LocalFile:
    path = tmp_path / "gulls.txt"
    path.write_text("Gulls steal bread.")
    return LocalFile(path, "/birds")


def test_a_server_that_restarts_is_waited_for_with_one_key(tmp_path: Path, file: LocalFile) -> None:
    api, asked = api_of(tmp_path, *[GONE] * 20, *[BUSY] * 20, ACCEPTED)
    told: list[bool] = []
    clock = PausedClock()
    done = upload(api, file, clock.pause, Outage(told.append, clock=clock))
    assert done.document == {"id": "d1", "status": "queued"}
    assert told == [True, False]
    assert len({request.headers["Idempotency-Key"] for request in asked}) == 1
    assert b"Gulls steal bread." in asked[-1].content


def test_a_server_that_stays_away_is_given_up_after_minutes(tmp_path: Path, file: LocalFile) -> None:
    api, _ = api_of(tmp_path, *[GONE] * 1000)
    clock = PausedClock()
    with pytest.raises(Unavailable):
        upload(api, file, clock.pause, Outage(clock=clock))
    assert 300 <= clock.now <= 305


def test_a_file_that_is_refused_ends_the_outage(tmp_path: Path, file: LocalFile) -> None:
    refused = httpx.Response(415, json={"title": "No", "status": 415, "detail": "Not a type we read."})
    api, _ = api_of(tmp_path, GONE, refused)
    clock = PausedClock()
    outage = Outage(clock=clock)
    assert upload(api, file, clock.pause, outage).reason == "Not a type we read."
    assert not outage.lasts


def test_each_outage_has_minutes_of_its_own() -> None:
    clock = PausedClock()
    told: list[bool] = []
    outage = Outage(told.append, clock=clock)
    assert outage.unanswered()
    clock.pause(299.0)
    assert outage.unanswered()
    outage.answered()
    clock.pause(299.0)
    assert outage.unanswered()
    clock.pause(300.0)
    assert not outage.unanswered()
    assert told == [True, False, True]
