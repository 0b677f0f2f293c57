"""One of two processes has a machine whose clock is wrong: neither takes what the other holds or waits a day.

All go by the clock of the database (docs/adr/0099).
"""

import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from footnote_ingest.hints.queues import Task
from footnote_ingest.work.take import release_leases_of, take
from footnote_shared.kernel.clock import now
from footnote_testing.child_process import ChildProcess
from footnote_testing.eventually import LIMIT_S, eventually
from footnote_testing.wrong_clock import wrong_clock
from tests.integration.ingest.workshop import PARSING, Workshop

ROOT = Path(__file__).parents[3]
SKEWED = ROOT / "tests/chaos/skewed"
A_DAY = timedelta(days=1)
MINUTES = timedelta(minutes=30)

off = pytest.mark.parametrize("ahead", [A_DAY, MINUTES, -A_DAY], ids=["day", "minutes", "day-behind"])


@off
def test_what_a_living_worker_holds_is_not_taken(workshop: Workshop, ahead: timedelta) -> None:
    held = workshop.accept("a.txt", "One.").id
    (leased,) = take(workshop.work("living"), PARSING, held).documents
    with wrong_clock(ahead):
        assert workshop.sweep().again == 0
        assert take(workshop.work("wrong"), PARSING, held).documents == []
    assert (leased.attempt, workshop.row(held).attempts) == (1, 1)


@off
def test_what_its_worker_holds_is_not_taken(workshop: Workshop, ahead: timedelta) -> None:
    held = workshop.accept("a.txt", "One.").id
    with wrong_clock(ahead):
        assert take(workshop.work("wrong"), PARSING, held).documents
    assert workshop.sweep().again == 0
    assert take(workshop.work("living"), PARSING, held).documents == []
    assert workshop.row(held).attempts == 1


@off
def test_what_its_worker_gives_back_is_taken_at_once(workshop: Workshop, ahead: timedelta) -> None:
    held = workshop.accept("a.txt", "One.").id
    with wrong_clock(ahead):
        take(workshop.work("wrong"), PARSING, held)
        release_leases_of(workshop.database, "wrong")
    # The two differ by as long as the database took to tell its time, at most.
    living = workshop.work("living")
    eventually(lambda: take(living, PARSING, held).documents, "what was given back is taken", limit_s=30)


@off
def test_the_pause_after_its_failure_is_as_long_as_any(workshop: Workshop, ahead: timedelta) -> None:
    failing = workshop.accept("a.txt", "One.").id
    workshop.run_all(Task.PARSE)
    workshop.embedder.broken = True
    with wrong_clock(ahead), pytest.raises(ZeroDivisionError):
        workshop.run_all(Task.EMBED)
    row = workshop.row(failing)
    assert (row.attempts, row.lease_token) == (1, None)
    assert timedelta(minutes=-1) < row.available_at - now() < timedelta(minutes=1)


@pytest.mark.parametrize("ahead", [A_DAY, -A_DAY], ids=["day", "day-behind"])
def test_a_whole_process_of_its_own_leaves_the_lease_as_it_is(
    workshop: Workshop, ahead: timedelta, tmp_path: Path
) -> None:
    held = workshop.accept("a.txt", "One.").id
    take(workshop.work("living"), PARSING, held)
    # Not a fork of what the tests have imported: that has its clock already.
    command = [str(Path(sys.executable).with_name("python3")), "-m", "tests.integration.ingest.lone_sweeper"]
    path = ":".join([str(SKEWED), *(one for one in sys.path if one)])
    environment = {"PYTHONPATH": path, "CHAOS_CLOCK_OFF_S": str(ahead.total_seconds())}
    log = tmp_path / "sweeper.log"
    sweeper = ChildProcess([*command, workshop.database.url], log, environment=environment, cwd=ROOT)
    assert sweeper.process.wait(LIMIT_S) == 0, sweeper.tail()
    *said, last = log.read_text().splitlines()
    by_its_machine, again = last.split()
    assert abs(datetime.fromisoformat(by_its_machine) - now() - ahead) < MINUTES / 2
    assert int(again) == 0
    assert any("clock.corrected" in line for line in said)
