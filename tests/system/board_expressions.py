"""The expressions of dashboards and rules, and which of them find data on which stack of the tests."""

import re
from collections.abc import Collection, Mapping
from typing import Any

import httpx
from deploy.monitoring.dashboards import DASHBOARDS
from deploy.monitoring.rules import rules

from footnote_testing.eventually import eventually

WITH_MODELS: Mapping[str, str] = {
    "footnote_answers_cut_total": "a chat model",
    "footnote_automation_runs_total": "an automation",
    "footnote_connector_runs_total": "a connector",
    "footnote_degraded_total": "a part that is away",
    "footnote_denials_total": "a key that allows less than is asked",
    "footnote_document_retries_total": "a model for media that is away",
    "footnote_fetches_total": "something outside to fetch from",
    "footnote_hooks_total": "a connector",
    "footnote_issuer_fetches_total": "an issuer of tokens",
    "footnote_model_cost_total": "prices",
    "footnote_model_failures_total": "a chat model",
    "footnote_model_switches_total": "a second chat model",
    "footnote_model_tokens_total": "a chat model",
    "footnote_spans_total": "a backend for traces",
    "footnote_tool_calls_total": "a chat model",
    "footnote_tool_duration_seconds": "a chat model",
}
"""Metrics that show nothing without this, which the stack of `planted.py` has."""

EMPTY_EVERYWHERE: Mapping[str, str] = {
    "footnote_fact_extractions_total": "no document is read for facts",
    "footnote_facts_read_total": "no document is read for facts",
    "footnote_hints_lost_total": "Redis is there",
    "footnote_reconciled_total": "the tidying that counts runs each hour",
    "footnote_refused_total": "nobody runs into a limit",
    "footnote_tasks_left_running_total": "everything ends when it is told to",
}
"""Metrics with labels that show nothing on any stack of these tests, and why."""

_METRIC = re.compile(r"\bfootnote[_:][\w:]+")


def expressions() -> dict[str, str]:
    """Each expression of a panel or a recording, by itself; of an alert, what it looks at."""
    found: dict[str, str] = {}
    for board in DASHBOARDS:
        for panel in board.panels:
            found |= {expr.replace("$__rate_interval", "1m"): panel.title for expr in panel.lines.values()}
    for rule in (rule for group in rules()["groups"] for rule in group["rules"]):
        if "record" in rule:
            found[rule["expr"]] = rule["record"]
        else:
            found |= {f"count({name})": rule["alert"] for name in _METRIC.findall(rule["expr"])}
    return found


def names_one_of(expr: str, metrics: Collection[str]) -> bool:
    """Whether the expression asks for one of these metrics."""
    return any(name in expr for name in metrics)


def all_find_data(prometheus: httpx.Client, wanted: Mapping[str, str]) -> None:
    """Wait until each of the expressions finds something in Prometheus."""
    open_ones = dict(wanted)

    def answer(expr: str) -> Any:
        said = prometheus.get("/api/v1/query", params={"query": expr}).json()
        assert said["status"] == "success", f"{expr}: {said}"
        return said["data"]["result"]

    def without_data() -> dict[str, str]:
        for expr in [expr for expr in open_ones if answer(expr)]:
            del open_ones[expr]
        return open_ones

    eventually(without_data, "every expression finds data", until=lambda empty: not empty)
