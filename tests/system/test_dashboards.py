"""Every expression of the dashboards and rules finds data in a real Prometheus over a real stack."""

from collections.abc import Iterator

import httpx
import pytest

from footnote_testing.eventually import eventually
from tests.system.board_expressions import (
    EMPTY_EVERYWHERE,
    WITH_MODELS,
    all_find_data,
    expressions,
    names_one_of,
)
from tests.system.prometheus import PROMETHEUS, prometheus_over
from tests.system.stacks import Client, EmbeddedStack

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(PROMETHEUS is None, reason="Prometheus is not installed"),
]


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


def test_every_panel_and_every_rule_finds_data(user: Client, prometheus: httpx.Client) -> None:
    use(user)
    elsewhere = WITH_MODELS.keys() | EMPTY_EVERYWHERE.keys()
    found = expressions()
    assert [name for name in elsewhere if not any(name in expr for expr in found)] == []
    all_find_data(
        prometheus, {expr: place for expr, place in found.items() if not names_one_of(expr, elsewhere)}
    )


def test_prometheus_reads_every_process_and_no_rule_fails(prometheus: httpx.Client) -> None:
    def down() -> list[str]:
        targets = prometheus.get("/api/v1/targets").json()["data"]["activeTargets"]
        assert len(targets) == 4
        return [target["lastError"] or "not read yet" for target in targets if target["health"] != "up"]

    eventually(down, "every process is read", until=lambda errors: not errors)
    groups = prometheus.get("/api/v1/rules").json()["data"]["groups"]
    failed = {rule["name"]: rule["lastError"] for g in groups for rule in g["rules"] if rule.get("lastError")}
    assert not failed
