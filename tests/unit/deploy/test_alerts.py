"""What makes each alert fire and what does not, judged by Prometheus' own `promtool`."""

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from deploy.monitoring.__main__ import FILES
from deploy.monitoring.rules import runbooks

PROMTOOL = shutil.which("promtool")
pytestmark = pytest.mark.skipif(PROMTOOL is None, reason="promtool of Prometheus is not installed")

MINUTES = 65
_EVERY = 5
Series = Mapping[str, str]


def per_minute(count: float) -> str:
    """A counter that grows by so much each minute."""
    return f"0+{count}x{MINUTES}"


def held(value: float) -> str:
    """A gauge that stays."""
    return f"{value}x{MINUTES}"


def requests(good: float, bad: float) -> Series:
    name = 'footnote_http_requests_total{service="agent",route="/v1/threads",status="%s"}'
    return {name % 200: per_minute(good), name % 503: per_minute(bad)}


def timed(metric: str, labels: str, fast: float, every: float, le: str) -> Series:
    return {
        f'{metric}_bucket{{{labels}le="{le}"}}': per_minute(fast),
        f"{metric}_count{{{labels}}}": per_minute(every),
    }


def first_signs(fast: float, every: float) -> Series:
    return timed("footnote_turn_first_event_seconds", "", fast, every, "1.0")


def searches(fast: float, every: float) -> Series:
    labels = 'service="retriever",route="/v1/search",'
    return timed("footnote_http_request_duration_seconds", labels, fast, every, "0.5")


def census(old: Series, current: Series) -> Series:
    """Two workers: the one that swept last has `current`, the other kept `old`."""
    last = "footnote_census_timestamp_seconds"
    both = {f'{last}{{job="w",instance="a"}}': held(0), f'{last}{{job="w",instance="b"}}': f"60+60x{MINUTES}"}
    at = {f'{name}{{job="w",instance="a"}}': value for name, value in old.items()}
    return both | at | {f'{name}{{job="w",instance="b"}}': value for name, value in current.items()}


def turns(good: float, failed: float) -> Series:
    name = 'footnote_turns_total{engine="pipeline",status="%s"}'
    return {name % "completed": per_minute(good), name % "failed": per_minute(failed)}


def markers(resolved: float, dropped: float) -> Series:
    name = 'footnote_citations_total{outcome="%s"}'
    return {name % "resolved": per_minute(resolved), name % "dropped": per_minute(dropped)}


def ended(well: float, failed: float) -> Series:
    name = 'footnote_documents_ended_total{status="%s",reason=""}'
    return {name % "indexed": per_minute(well), name % "failed": per_minute(failed)}


def model(failures: float) -> Series:
    return {'footnote_model_failures_total{reason="timeout"}': per_minute(failures), **turns(100, 0)}


def takeovers(each: float) -> Series:
    names = "footnote_turns_taken_over_total", "footnote_stream_takeovers_total"
    return dict.fromkeys(names, per_minute(each))


OLDEST, DELETED = "footnote_documents_oldest_waiting_seconds", "footnote_deletions_oldest_waiting_seconds"
IDLE = 'footnote_worker_idle_beside_work_seconds{job="footnote-worker",instance="a"}'
UP = 'up{job="footnote-agent",instance="a"}'
STORE = 'footnote_dependency_up{service="agent",dependency="redis"}'
LOST = 'footnote_hints_lost_total{reason="full"}'
BOTH, PAGE, TICKET, NONE = {"page", "ticket"}, {"page"}, {"ticket"}, set[str]()


@dataclass(frozen=True)
class Case:
    """What Prometheus sees for 65 minutes, and the severities with which the alert then fires."""

    alert: str
    what: str
    series: Series
    fires: set[str]


CASES = (
    Case("FootnoteErrors", "every tenth request fails", requests(90, 10), BOTH),
    Case("FootnoteErrors", "four times the budget burns", requests(996, 4), TICKET),
    Case("FootnoteErrors", "half of the budget burns", requests(9995, 5), NONE),
    Case("FootnoteErrors", "one of few requests failed", requests(0.1, 0.1), NONE),
    Case("FootnoteFirstSignalSlow", "half of the turns are slow", first_signs(50, 100), BOTH),
    Case("FootnoteFirstSignalSlow", "all are fast", first_signs(100, 100), NONE),
    Case("FootnoteSearchSlow", "a fifth of the searches is slow", searches(80, 100), BOTH),
    Case("FootnoteSearchSlow", "four in a hundred are slow", searches(96, 100), TICKET),
    Case("FootnoteSearchSlow", "all are fast", searches(100, 100), NONE),
    Case("FootnoteDocumentsLate", "one has waited for long", census({}, {OLDEST: held(900)}), BOTH),
    Case(
        "FootnoteDocumentsLate",
        "only the worker that did not sweep last thinks so",
        census({OLDEST: held(900)}, {OLDEST: held(2)}),
        NONE,
    ),
    Case("FootnoteDeletionsLate", "one has waited for long", census({}, {DELETED: held(900)}), BOTH),
    Case("FootnoteDeletionsLate", "none waits", census({}, {DELETED: held(0)}), NONE),
    Case("FootnoteTurnsFail", "a fifth fails", turns(80, 20), BOTH),
    Case("FootnoteTurnsFail", "none fails", turns(100, 0), NONE),
    Case("FootnoteCitationsDropped", "nearly all are dropped", markers(1, 20), BOTH),
    Case("FootnoteCitationsDropped", "a fifth is dropped", markers(80, 20), TICKET),
    Case("FootnoteCitationsDropped", "one in fifty is dropped", markers(98, 2), NONE),
    Case("FootnoteProcessDown", "a process is gone", {UP: held(0)}, PAGE),
    Case("FootnoteProcessDown", "it is there", {UP: held(1)}, NONE),
    Case("FootnoteSweepStopped", "nobody has ever swept", {UP: held(1)}, PAGE),
    Case(
        "FootnoteSweepStopped",
        "the last sweep is long ago",
        {"footnote_census_timestamp_seconds": held(0)},
        PAGE,
    ),
    Case("FootnoteSweepStopped", "sweeps go on", census({}, {}), NONE),
    Case("FootnoteWorkerTakesNothing", "messages lie", {IDLE: held(120)}, PAGE),
    Case("FootnoteWorkerTakesNothing", "it takes them", {IDLE: held(0)}, NONE),
    Case("FootnoteDependencyDown", "Redis is away", {STORE: held(0)}, PAGE),
    Case("FootnoteDependencyDown", "Redis answers", {STORE: held(1)}, NONE),
    Case("FootnoteDocumentsFail", "a third fails", ended(2, 1), TICKET),
    Case("FootnoteDocumentsFail", "a tenth fails", ended(9, 1), NONE),
    Case("FootnoteModelFails", "a fifth of the calls", model(20), TICKET),
    Case("FootnoteModelFails", "one in a hundred", model(1), NONE),
    Case("FootnoteTakeovers", "one a minute", takeovers(1), TICKET),
    Case("FootnoteTakeovers", "none", takeovers(0), NONE),
    Case("FootnoteHintsLost", "a hundred a minute", {LOST: per_minute(100)}, TICKET),
    Case("FootnoteHintsLost", "a few", {LOST: per_minute(0.1)}, NONE),
)


def rounds() -> list[list[Case]]:
    """The cases, as many in a round as measure different things, since each round costs seconds."""
    made: list[list[Case]] = []
    for case in CASES:
        for others in made:
            if not {*measured(case)} & {name for other in others for name in measured(other)}:
                others.append(case)
                break
        else:
            made.append([case])
    return made


def measured(case: Case) -> set[str]:
    """The metrics of a case, and those that must not be there."""
    absent = {"footnote_census_timestamp_seconds"} if case.alert == "FootnoteSweepStopped" else set()
    return absent | {name.partition("{")[0] for name in case.series}


def as_promtool_reads(cases: list[Case]) -> dict[str, Any]:
    return {
        "interval": "1m",
        "input_series": [
            {"series": name, "values": values} for case in cases for name, values in case.series.items()
        ],
        "promql_expr_test": [expected(case) for case in cases],
    }


def expected(case: Case) -> dict[str, Any]:
    firing = f'count by (severity) (ALERTS{{alertname="{case.alert}",alertstate="firing"}})'
    found = [{"labels": f'{{severity="{severity}"}}', "value": 1} for severity in sorted(case.fires)]
    return {"expr": firing, "eval_time": f"{MINUTES - _EVERY}m", "exp_samples": found}


def test_each_alert_fires_when_it_should_and_only_then(tmp_path: Path) -> None:
    assert PROMTOOL is not None
    plan = {
        "rule_files": [str(FILES / "rules.yaml")],
        "evaluation_interval": f"{_EVERY}m",
        "tests": [as_promtool_reads(cases) for cases in rounds()],
    }
    file = tmp_path / "alerts_test.yaml"
    file.write_text(yaml.safe_dump(plan))
    told = subprocess.run([PROMTOOL, "test", "rules", str(file)], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr


def test_each_alert_has_a_case_in_which_it_fires_and_one_in_which_it_does_not() -> None:
    assert {case.alert for case in CASES if case.fires} == runbooks().keys()
    assert {case.alert for case in CASES if not case.fires} == runbooks().keys()
