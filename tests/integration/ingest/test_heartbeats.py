"""A live timeline on which nothing happens."""

from itertools import pairwise

import pytest

from footnote_ingest.api.events import follow
from footnote_ingest.api.timeline_readers import TimelineReaders
from footnote_shared.web.sse import HEARTBEAT
from footnote_testing.own_clock import now_s, run_on_own_clock
from tests.integration.ingest.statements import statements
from tests.integration.ingest.workshop import Workshop


async def quiet_times(workshop: Workshop, document_id: str, count: int) -> list[float]:
    """When the first heartbeats come, on the loop's clock."""
    stream = follow(workshop.database, TimelineReaders(), workshop.caller, document_id, after=0)
    first = await anext(stream)
    assert b"queued" in first
    times = [now_s()]
    for _ in range(count):
        assert await anext(stream) == HEARTBEAT
        times.append(now_s())
    return times


def test_shows_every_15_seconds_that_it_is_alive(workshop: Workshop) -> None:
    accepted = workshop.accept("a.txt", "One.")
    times = run_on_own_clock(quiet_times(workshop, accepted.id, 3), threads=True)
    assert [later - earlier for earlier, later in pairwise(times)] == [pytest.approx(15)] * 3


def test_is_looked_at_four_times_a_second(sqlite_workshop: Workshop) -> None:
    accepted = sqlite_workshop.accept("a.txt", "One.")
    with statements(sqlite_workshop.database) as seen:
        run_on_own_clock(quiet_times(sqlite_workshop, accepted.id, 1), threads=True)
    looks = [s for s in seen if "document_timeline" in s.text]
    assert len(looks) == 1 + 15 * 4
