"""The rules of Prometheus: recordings, alerts of the objectives, and alerts of causes, as one mapping."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from deploy.monitoring.objectives import CENSUS, OBJECTIVES, WINDOWS, Objective, Window

RUNBOOKS = "docs/operate/runbooks"
"""Begins the address of each runbook. The Helm chart puts the address of your copy in its place."""

_SECONDS = {"m": 60, "h": 3600, "d": 86400}
_LONG = ("1d", "3d")


@dataclass(frozen=True, slots=True)
class CauseAlert:
    """An alert that names a cause instead of what users notice."""

    alert: str
    expr: str
    patience: str
    severity: str
    summary: str
    dashboard: str

    @property
    def runbook(self) -> str:
        words = "".join(f"-{c.lower()}" if c.isupper() else c for c in self.alert.removeprefix("Footnote"))
        return f"{words[1:]}.md"


CAUSES = (
    CauseAlert(
        "FootnoteProcessDown",
        'up{job=~"footnote.*"} == 0',
        "2m",
        "page",
        "Prometheus does not reach {{ $labels.instance }} of {{ $labels.job }}.",
        "infrastructure",
    ),
    CauseAlert(
        "FootnoteSweepStopped",
        "time() - max(footnote_census_timestamp_seconds) > 120"
        " or absent(footnote_census_timestamp_seconds) == 1",
        "3m",
        "page",
        "No worker has swept for over two minutes: lost work is found by nobody.",
        "ingest",
    ),
    CauseAlert(
        "FootnoteWorkerTakesNothing",
        "max by (job, instance) (footnote_worker_idle_beside_work_seconds) > 60",
        "1m",
        "page",
        "Messages wait while {{ $labels.instance }} is idle and takes none.",
        "ingest",
    ),
    CauseAlert(
        "FootnoteDependencyDown",
        "min by (service, dependency) (footnote_dependency_up) == 0",
        "2m",
        "page",
        "{{ $labels.dependency }} does not answer a process of {{ $labels.service }}.",
        "infrastructure",
    ),
    CauseAlert(
        "FootnoteDocumentsFail",
        'sum(increase(footnote_documents_ended_total{status="failed"}[1h]))'
        " / sum(increase(footnote_documents_ended_total[1h])) > 0.2"
        " and sum(increase(footnote_documents_ended_total[1h])) > 20",
        "10m",
        "ticket",
        "More than a fifth of the documents of the last hour failed.",
        "ingest",
    ),
    CauseAlert(
        "FootnoteModelFails",
        "sum(rate(footnote_model_failures_total[10m])) / sum(rate(footnote_turns_total[10m])) > 0.1",
        "10m",
        "ticket",
        "The chat model fails in more than a tenth of the turns.",
        "answers",
    ),
    CauseAlert(
        "FootnoteTakeovers",
        "sum(increase(footnote_turns_taken_over_total[30m]))"
        " + sum(increase(footnote_stream_takeovers_total[30m])) > 10",
        "0m",
        "ticket",
        "Processes of the agent or the resolver die: their turns were taken over more than ten times.",
        "answers",
    ),
    CauseAlert(
        "FootnoteHintsLost",
        "sum(increase(footnote_hints_lost_total[15m])) > 100",
        "5m",
        "ticket",
        "Hints do not reach the broker, so that documents wait for the sweep.",
        "ingest",
    ),
)

_GAUGES = {
    "footnote:documents_oldest_waiting_seconds": f"max(footnote_documents_oldest_waiting_seconds {CENSUS})",
    "footnote:deletions_oldest_waiting_seconds": f"max(footnote_deletions_oldest_waiting_seconds {CENSUS})",
    "footnote:documents": f"max by (status) (footnote_documents {CENSUS})",
    "footnote:queue_messages": f"max by (queue) (footnote_queue_messages {CENSUS})",
    "footnote:documents_late": "footnote:documents_oldest_waiting_seconds > bool 300",
    "footnote:deletions_late": "footnote:deletions_oldest_waiting_seconds > bool 300",
}


def rules() -> dict[str, Any]:
    """All groups, as Prometheus reads them from a file of rules."""
    windows = sorted({w for window in WINDOWS for w in (window.long, window.short)}, key=_seconds)
    return {
        "groups": [
            {"name": "footnote-census", "interval": "15s", "rules": [_recorded(*g) for g in _GAUGES.items()]},
            {"name": "footnote-budgets", "interval": "1m", "rules": [_budget(o) for o in OBJECTIVES]},
            _shares("footnote-objectives", "30s", [w for w in windows if w not in _LONG]),
            _shares("footnote-objectives-of-days", "2m", [w for w in windows if w in _LONG]),
            {"name": "footnote-promises", "rules": [a for o in OBJECTIVES for a in _burn_alerts(o)]},
            {"name": "footnote-causes", "rules": [_cause_alert(cause) for cause in CAUSES]},
        ]
    }


def bad_share(objective: Objective, window: str) -> str:
    """PromQL of the share of bad events, or of bad time, in the window."""
    bad = objective.bad.replace("{window}", window)
    if not objective.all:
        return bad
    return f"({bad} or vector(0)) / ({objective.all.replace('{window}', window)})"


def runbooks() -> dict[str, str]:
    """The runbook's file of each alert, by the alert's name."""
    return {o.alert: o.runbook for o in OBJECTIVES} | {c.alert: c.runbook for c in CAUSES}


def _seconds(window: str) -> int:
    return int(window[:-1]) * _SECONDS[window[-1]]


def _recorded(name: str, expr: str, labels: Mapping[str, str] | None = None) -> dict[str, Any]:
    return {"record": name, "expr": expr, **({"labels": dict(labels)} if labels else {})}


def _budget(objective: Objective) -> dict[str, Any]:
    budget = f"vector({1 - objective.share:.6g})"
    return _recorded("footnote:budget", budget, {"objective": objective.name})


def _shares(name: str, interval: str, windows: list[str]) -> dict[str, Any]:
    recorded = [
        _recorded(f"footnote:bad_share:{window}", bad_share(objective, window), {"objective": objective.name})
        for objective in OBJECTIVES
        for window in windows
    ]
    return {"name": name, "interval": interval, "rules": recorded}


def _burn_alerts(objective: Objective) -> Iterator[dict[str, Any]]:
    for severity in ("page", "ticket"):
        burns = [_burns(objective, window) for window in WINDOWS if window.severity == severity]
        yield {
            "alert": objective.alert,
            "expr": " or ".join(burns),
            "for": "2m" if severity == "page" else "15m",
            "labels": {"severity": severity, "objective": objective.name},
            "annotations": _annotations(
                f'The budget of the promise "{objective.title}" burns too fast: '
                "{{ $value | humanizePercentage }} of it was bad lately.",
                objective.dashboard,
                objective.runbook,
            ),
        }


def _burns(objective: Objective, window: Window) -> str:
    limit = f"{window.factor * (1 - objective.share):.6g}"
    long, short = (
        f'footnote:bad_share:{w}{{objective="{objective.name}"}} > {limit}'
        for w in (window.long, window.short)
    )
    burns = f"{long} and {short}"
    if objective.least:
        events = objective.all.replace("{window}", window.long)
        burns += f" and on () {events} * {_seconds(window.long)} >= {objective.least}"
    return f"({burns})"


def _cause_alert(cause: CauseAlert) -> dict[str, Any]:
    return {
        "alert": cause.alert,
        "expr": cause.expr,
        "for": cause.patience,
        "labels": {"severity": cause.severity},
        "annotations": _annotations(cause.summary, cause.dashboard, cause.runbook),
    }


def _annotations(summary: str, dashboard: str, runbook: str) -> dict[str, str]:
    return {
        "summary": summary,
        "runbook_url": f"{RUNBOOKS}/{runbook}",
        "dashboard": f"/d/footnote-{dashboard}",
    }
