"""The policies of the chart let only those talk who do so in the code."""

import ast
import re
from functools import cache
from typing import Any

from tests.unit.deploy.rendered_chart import BUNDLED, ROOT, of_kind

_STORE_OF_MODULE = {
    "footnote_shared.vectors.qdrant": "qdrant",
    "footnote_ingest.store.sealed_blobs": "objects",
}


def policies(row: str) -> dict[str, dict[str, Any]]:
    return {
        policy["metadata"]["labels"]["app.kubernetes.io/component"]: policy
        for policy in of_kind(row, "NetworkPolicy")
    }


def peers(policy: dict[str, Any], way: str, key: str) -> set[tuple[str, Any]]:
    """Components that a policy lets in or out, with the port."""
    return {
        (peer["podSelector"]["matchLabels"]["app.kubernetes.io/component"], rule["ports"][0]["port"])
        for rule in policy["spec"][way] or []
        for peer in rule.get(key, [])
        if "podSelector" in peer and rule.get("ports")
    }


def open_to(row: str, ports: list[int]) -> set[str]:
    """The roles that reach any address at these ports."""
    found = (
        (role, rule) for role, policy in policies(row).items() for rule in policy["spec"]["egress"] or []
    )
    return {role for role, rule in found if "to" not in rule and [p["port"] for p in rule["ports"]] == ports}


@cache
def code_calls(package: str) -> tuple[set[str], set[str]]:
    """The services whose client, and the stores whose adapter, a package imports."""
    services: set[str] = set()
    stores: set[str] = set()
    for path in (ROOT / "services" / package).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                found = re.fullmatch(r"footnote_shared\.clients\.(?!base|in_process)(\w+)", node.module)
                # A service takes the paths of its own routes from its client, and does not call itself.
                if found and found[1] != package:
                    services.add(found[1])
                if node.module in _STORE_OF_MODULE and path.name in ("app.py", "resources.py"):
                    stores.add(f"{path.name}:{_STORE_OF_MODULE[node.module]}")
    return services, stores


def test_a_redis_of_streams_that_the_chart_does_not_run_is_reached_by_whom_it_is_told() -> None:
    ports = [5432, 6379, 6333, 443]
    workers = {f"worker-{name}" for name in ("parse", "embed", "index")}
    assert open_to("streams elsewhere", ports) == {"agent", "resolver"} | workers
    assert open_to("bundled", ports) == set()


def test_only_who_needs_them_reaches_models_the_issuer_vault_and_the_traces() -> None:
    workers = {"worker-parse", "worker-media", "worker-embed", "worker-index"}
    services, asking = {"ingest", "retriever", "agent", "resolver"}, {"agent", "retriever"}
    assert open_to("everything", [8200]) == open_to("everything", [4318]) == services | workers
    assert open_to("everything", [8443]) == services
    assert (open_to("everything", [443]), open_to("defaults", [443])) == ({*asking, "worker-media"}, asking)
    assert open_to("a master key", [8200]) == open_to("defaults", [4318]) == set()


def test_each_service_may_reach_the_neighbours_whose_clients_it_has_and_no_others() -> None:
    made = policies("defaults")
    for service in ("ingest", "retriever", "agent", "resolver"):
        called, _ = code_calls(service)
        assert peers(made[service], "egress", "to") == {(callee, "neighbours") for callee in called}
        callers = {
            caller
            for caller in ("ingest", "retriever", "agent", "resolver")
            if service in code_calls(caller)[0]
        }
        let_in = {name for name, port in peers(made[service], "ingress", "from") if port == "neighbours"}
        assert let_in == callers


def test_only_who_serves_connectors_reaches_the_systems_that_they_bring_in() -> None:
    def open_to(row: str) -> set[str]:
        return {
            role
            for role, policy in policies(row).items()
            for rule in policy["spec"]["egress"] or []
            if "to" not in rule and [port["port"] for port in rule["ports"]] == [443, 8443]
        }

    assert open_to("everything bundled") == {"ingest", "worker-index"}
    assert open_to("defaults") == set()


def test_each_role_may_reach_the_bundled_stores_whose_adapters_it_has() -> None:
    made = policies("bundled")

    def allowed(role: str) -> set[str]:
        return {name for name, _ in peers(made[role], "egress", "to")} & set(BUNDLED["bundled"])

    adapters = {
        "ingest": {s.partition(":")[2] for s in code_calls("ingest")[1] if s.startswith("app.py")},
        "retriever": {s.partition(":")[2] for s in code_calls("retriever")[1]},
        "agent": set(),
        "resolver": set(),
        "worker-parse": {
            s.partition(":")[2] for s in code_calls("ingest")[1] if s.startswith("resources.py")
        },
    }
    for role, own in adapters.items():
        # Every role has the database, and the limits of requests or the hints of work in Redis.
        assert allowed(role) == {"postgres", "redis"} | own, role
    for store in BUNDLED["bundled"]:
        let_in = {name for name, _ in peers(made[store], "ingress", "from")}
        assert let_in == {role for role in made if role not in BUNDLED["bundled"] and store in allowed(role)}
