"""Dashboards and rules are as their plans say, and name only what the code measures."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from deploy.monitoring.__main__ import FILES, files
from deploy.monitoring.dashboards import DASHBOARDS
from deploy.monitoring.objectives import OBJECTIVES
from deploy.monitoring.rules import CAUSES, RUNBOOKS, rules, runbooks
from prometheus_client.metrics import MetricWrapperBase

from footnote_shared.telemetry import metrics

ROOT = Path(__file__).parents[3]
_NAME = re.compile(r"\bfootnote[_:][\w:]+")
_SUFFIXES = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}


def exported() -> set[str]:
    """The names of all series that the code can export, as Prometheus sees them."""
    declared = [metric for metric in vars(metrics).values() if isinstance(metric, MetricWrapperBase)]
    abouts = [about for metric in declared for about in metric.describe()]
    return {about.name + suffix for about in abouts for suffix in _SUFFIXES[about.type]}


def all_rules() -> list[dict[str, Any]]:
    return [rule for group in rules()["groups"] for rule in group["rules"]]


def expressions() -> Iterator[tuple[str, str]]:
    """Each expression with the panel or the rule that it belongs to."""
    for board in DASHBOARDS:
        for panel in board.panels:
            yield from ((f"{board.name}: {panel.title}", expr) for expr in panel.lines.values())
    for rule in all_rules():
        yield rule.get("record") or rule["alert"], rule["expr"]


def test_the_files_in_the_chart_are_what_the_plans_give() -> None:
    found = {
        path.relative_to(FILES).as_posix(): path.read_text("utf-8")
        for path in FILES.rglob("*")
        if path.is_file()
    }
    assert found == files(), "run `python -m deploy.monitoring`"


def test_every_expression_names_only_metrics_and_recordings_that_are_made() -> None:
    known = exported() | {rule["record"] for rule in all_rules() if "record" in rule}
    unknown = [
        (place, name) for place, expr in expressions() for name in _NAME.findall(expr) if name not in known
    ]
    assert not unknown


def test_every_metric_is_on_a_dashboard_or_in_a_rule() -> None:
    used = {name for _, expr in expressions() for name in _NAME.findall(expr)}
    of_a_service = [
        about.name
        for metric in vars(metrics).values()
        if isinstance(metric, MetricWrapperBase)
        for about in metric.describe()
    ]
    unused = {name for name in of_a_service if not any(name in one for one in used)}
    # How long a sentence waits for its source and how long a task runs is asked while tuning, not at night.
    assert unused == {
        "footnote_injection_duration_seconds",
        "footnote_task_duration_seconds",
        "footnote_citations_registered",
    }


@pytest.mark.parametrize("board", DASHBOARDS, ids=lambda board: board.name)
def test_a_dashboard_answers_five_to_twelve_questions_with_units_and_legends(board: Any) -> None:
    drawn = json.loads((FILES / f"dashboards/{board.name}.json").read_text("utf-8"))
    assert 5 <= len(drawn["panels"]) <= 12
    for panel in drawn["panels"]:
        assert panel["description"].endswith((".", "?"))
        assert panel["fieldConfig"]["defaults"]["unit"]
        assert all(target["legendFormat"] for target in panel["targets"])


def test_each_alert_leads_to_its_runbook_and_to_a_panel_that_leads_there_too() -> None:
    linked = {(board.name, panel.alert) for board in DASHBOARDS for panel in board.panels}
    for alert, dashboard in [(o.alert, o.dashboard) for o in OBJECTIVES] + [
        (c.alert, c.dashboard) for c in CAUSES
    ]:
        page = ROOT / RUNBOOKS / runbooks()[alert]
        assert page.is_file(), f"{alert} has no runbook"
        assert alert in page.read_text("utf-8")
        assert (dashboard, alert) in linked, f"no panel of {dashboard} leads to the runbook of {alert}"


def test_every_runbook_belongs_to_an_alert() -> None:
    pages = {path.name for path in (ROOT / RUNBOOKS).glob("*.md")} - {"README.md"}
    assert pages == set(runbooks().values())


def test_alerts_say_how_loud_they_are_and_what_happened() -> None:
    for rule in all_rules():
        if "alert" in rule:
            assert rule["labels"]["severity"] in {"page", "ticket"}
            assert rule["annotations"]["summary"].endswith((".", "lately."))


def test_the_rules_are_read_by_yaml_as_they_were_written() -> None:
    assert yaml.safe_load((FILES / "rules.yaml").read_text("utf-8")) == rules()
