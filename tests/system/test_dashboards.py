"""Every expression of the dashboards and rules finds data in a real Prometheus over a real stack."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import httpx
import pytest
from deploy.monitoring.dashboards import DASHBOARDS
from deploy.monitoring.rules import rules

from footnote_testing.eventually import eventually
from tests.system.prometheus import PROMETHEUS, prometheus_over
from tests.system.stacks import Client, EmbeddedStack

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(PROMETHEUS is None, reason="Prometheus is not installed"),
]

MAY_BE_EMPTY: Mapping[str, str] = {
    "footnote_answers_cut_total": "no chat model is configured, so none is cut off",
    "footnote_automation_runs_total": "there is no automation",
    "footnote_connector_runs_total": "there is no connector",
    "footnote_degraded_total": "no part of the stack is away",
    "footnote_document_retries_total": "no store is away, so no stage is tried again",
    "footnote_fact_extractions_total": "no chat model is configured",
    "footnote_facts_read_total": "no chat model is configured",
    "footnote_fetches_total": "nothing is fetched from outside",
    "footnote_hints_lost_total": "Redis is there",
    "footnote_hooks_total": "there is no connector",
    "footnote_model_cost_total": "no prices are set",
    "footnote_model_failures_total": "no chat model is configured",
    "footnote_model_switches_total": "no chat model is configured",
    "footnote_model_tokens_total": "no chat model is configured",
    "footnote_reconciled_total": "the tidying that counts runs each hour",
    "footnote_refused_total": "nobody runs into a limit",
    "footnote_denials_total": "nobody asks for what their key does not allow",
    "footnote_issuer_fetches_total": "no issuer of tokens is set",
    "footnote_spans_total": "no backend for traces is set",
    "footnote_tool_calls_total": "no chat model is configured",
    "footnote_tool_duration_seconds": "no chat model is configured",
    "footnote_tasks_left_running_total": "everything ends when it is told to",
}
"""Metrics with labels that show nothing until something goes wrong, or until there is a model."""

_METRIC = re.compile(r"\bfootnote[_:][\w:]+")


@pytest.fixture(scope="module")
def prometheus(embedded: EmbeddedStack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with prometheus_over(embedded, tmp_path_factory.mktemp("prometheus")) as client:
        yield client


def use(user: Client) -> None:
    """What people do: documents that go in, fail, change and go, searches, and a turn with citations."""
    kept = user.upload("heron.md", b"# Herons\n\nThe grey heron nests in tall trees near water in spring.")
    again = user.upload("heron.md", b"# Herons\n\nThe grey heron nests in tall trees near water in spring.")
    empty = user.upload("nothing.txt", b"   ")
    gone = user.upload("goose.md", b"# Geese\n\nThe goose flies south in autumn.")
    user.wait_ended([document["id"] for document in (kept, again, empty, gone)])
    assert user.http.delete(f"/v1/documents/{gone['id']}").status_code < 300
    for _ in range(2):
        user.search("Where does the heron nest?")
    assert user.ask("Where does the grey heron nest?")


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


def test_every_panel_and_every_rule_finds_data(user: Client, prometheus: httpx.Client) -> None:
    use(user)
    open_ones = {
        expr: place for expr, place in expressions().items() if not any(name in expr for name in MAY_BE_EMPTY)
    }

    def answer(expr: str) -> Any:
        said = prometheus.get("/api/v1/query", params={"query": expr}).json()
        assert said["status"] == "success", f"{expr}: {said}"
        return said["data"]["result"]

    def without_data() -> dict[str, str]:
        for expr in [expr for expr in open_ones if answer(expr)]:
            del open_ones[expr]
        return open_ones

    eventually(without_data, "every expression finds data", until=lambda empty: not empty)


def test_prometheus_reads_every_process_and_no_rule_fails(prometheus: httpx.Client) -> None:
    def down() -> list[str]:
        targets = prometheus.get("/api/v1/targets").json()["data"]["activeTargets"]
        assert len(targets) == 4
        return [target["lastError"] or "not read yet" for target in targets if target["health"] != "up"]

    eventually(down, "every process is read", until=lambda errors: not errors)
    groups = prometheus.get("/api/v1/rules").json()["data"]["groups"]
    failed = {rule["name"]: rule["lastError"] for g in groups for rule in g["rules"] if rule.get("lastError")}
    assert not failed
