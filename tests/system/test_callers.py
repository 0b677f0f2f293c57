"""Who connects to whom while the roles run apart: no more than the chart's network policies let through."""

import re
from pathlib import Path
from typing import Any

import psutil
import pytest
import yaml

from footnote_testing.eventually import eventually
from tests.system.stacks import DistributedStack

pytestmark = pytest.mark.system

TEMPLATE = Path(__file__).parents[2] / "deploy/helm/footnote/templates/_helpers.tpl"
WORKERS = ("parser", "embedder", "indexer")
AT_LEAST = {
    ("agent", "retriever"),
    ("agent", "resolver"),
    ("retriever", "ingest"),
    ("retriever", "qdrant"),
    ("worker", "qdrant"),
    ("worker", "redis"),
    ("beat", "redis"),
}
"""What an upload and a question need: where one of these is not seen, too little was looked at."""


def allowed() -> set[tuple[str, str]]:
    """Pairs of a role and what it may reach, as the chart has them."""
    block = re.search(r'define "footnote\.calls" -\}\}\n(.*?)\{\{', TEMPLATE.read_text("utf-8"), re.DOTALL)
    assert block is not None
    calls: dict[str, dict[str, Any]] = yaml.safe_load(block[1])
    return {(role, name) for role, its in calls.items() for name in (*its["services"], *its["stores"])}


def connections(stack: DistributedStack) -> set[tuple[str, str]]:
    """Pairs of a role and what one of its processes has a connection to at this moment."""
    names = {port: name.rstrip("0123456789") for name, port in stack.ports.items() if name != "vectors"}
    names |= {stack.ports["vectors"]: "qdrant", stack.redis.port: "redis"}
    found = set()
    for name, role in stack.roles.items():
        if name == "vectors":
            continue
        caller = "worker" if name in WORKERS else name.rstrip("0123456789")
        for process in role.family():
            try:
                ends = [one.raddr.port for one in process.net_connections("tcp") if one.raddr]
            except psutil.NoSuchProcess:
                continue
            found |= {(caller, names[port]) for port in ends if port in names}
    return found


def test_no_role_connects_where_the_chart_does_not_let_it(distributed: DistributedStack) -> None:
    seen: set[tuple[str, str]] = set()

    def look() -> set[tuple[str, str]]:
        user = distributed.client()
        made = user.upload("caller.txt", b"The lantern of the harbour was lit by Ida Brandt.")
        user.wait_ended([made["id"]])
        seen.update(connections(distributed))
        distributed.client("agent0").ask("Who lit the lantern of the harbour?")
        seen.update(connections(distributed))
        return AT_LEAST - seen

    eventually(look, "every connection that is needed was seen", until=lambda missing: not missing)
    assert seen <= allowed()
