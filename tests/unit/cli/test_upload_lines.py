"""What `footnote ingest` says of its progress where no bar can move: in a file, a log, a job."""

import pytest

from footnote_cli.uploads.follow import StagesDone
from footnote_cli.uploads.lines import UploadLines, duration


class Run:
    """The lines of a run whose clock is set by hand."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.said: list[str] = []
        self.lines = UploadLines(self.said.append, lambda: self.now)


def test_a_short_run_says_nothing_before_its_summary() -> None:
    run = Run()
    with run.lines as lines:
        advance = lines.uploads(3)
        for _ in range(3):
            run.now += 3
            advance()
    assert run.said == []


def test_it_tells_how_far_it_is_how_fast_how_long_and_what_is_waited_for() -> None:
    run = Run()
    advance = run.lines.uploads(400)
    for _ in range(60):
        run.now += 0.5
        advance()
    assert run.said[0] == "· uploaded 20 of 400, 2.0/s, about 3 min left"
    show = run.lines.stages(400)
    show(StagesDone([100, 100, 100, 100], {"queued": 300}))
    run.now += 50
    show(StagesDone([250, 240, 200, 150], {"embedding": 50, "queued": 200}))
    assert run.said[-1] == "· indexed 150 of 400, 1.0/s, about 4 min left; 50 embedding, 200 queued"


def test_what_was_there_before_makes_no_rate() -> None:
    run = Run()
    show = run.lines.stages(1000)
    show(StagesDone([900] * 4, {"queued": 100}))
    run.now += 20
    show(StagesDone([900] * 4, {"queued": 100}))
    assert run.said == ["· indexed 900 of 1,000; 100 queued"]


def test_a_slow_run_is_told_by_the_minute() -> None:
    run = Run()
    show = run.lines.stages(10)
    show(StagesDone([0] * 4, {"queued": 10}))
    run.now += 60
    show(StagesDone([4] * 4, {"queued": 6}))
    assert run.said == ["· indexed 4 of 10, 4.0/min, about 90 s left; 6 queued"]


def test_a_server_that_is_away_is_told_at_once_and_named_in_the_lines() -> None:
    run = Run()
    run.lines.server_away(True)
    show = run.lines.stages(2)
    run.now += 11
    show(StagesDone([0] * 4, silent=True))
    run.lines.server_away(False)
    assert [line.partition(".")[0] for line in run.said] == [
        "· Footnote does not answer",
        "· indexed 0 of 2; the server does not answer; asking again",
        "· Footnote answers again",
    ]


def test_lines_of_a_run_of_hours_come_ever_more_seldom() -> None:
    run = Run()
    show = run.lines.stages(100_000)
    for second in range(4 * 3600):
        run.now += 1
        show(StagesDone([second] * 4, {"queued": 1}))
    assert 60 < len(run.said) < 200


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.2, "0 s"), (99.4, "99 s"), (100, "2 min"), (5999, "1 h 40 min"), (11_100, "3 h 5 min")],
)
def test_a_duration_is_told_as_a_person_says_it(seconds: float, told: str) -> None:
    assert duration(seconds) == told
