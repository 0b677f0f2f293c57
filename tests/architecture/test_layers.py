"""The pages that tell of the layers tell what the import contracts check."""

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.test_names import imported, modules

ROOT = Path(__file__).parents[2]
SERVICES = ("ingest", "retriever", "agent", "resolver")
AT_THE_EDGES = frozenset({"app", "worker", "passages", "api", "tasks", "store", "contracts"})
"""Rooms that CONTRIBUTING.md tells of once for all services."""

Layers = list[frozenset[str]]


def _contract(package: str) -> Layers:
    """The layers of a package, high to low, as `pyproject.toml` has them. Every room stands in one."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (found,) = (one for one in contracts if one.get("containers") == [package])
    assert found["exhaustive"]
    return [frozenset(re.findall(r"\w+", layer)) for layer in found["layers"]]


def _told(text: str, below: str) -> Layers:
    """The layers of a text in which `below` stands between two layers, and rooms in backticks."""
    return [frozenset(re.findall(r"`(\w+)`", layer)) for layer in text.split(below)]


def _between(page: str, start: str, end: str) -> str:
    """What stands between two marks of a page. The first is there once."""
    text = (ROOT / page).read_text("utf-8")
    assert text.count(start) == 1, f"{page} has to say {start!r} once"
    return text.partition(start)[2].partition(end)[0]


@pytest.mark.parametrize("service", SERVICES)
def test_the_architecture_tells_the_layers_of_a_service(service: str) -> None:
    rows = _between(
        "docs/architecture.md", "| service | layers | what the rooms are |\n|---|---|---|\n", "\n\n"
    )
    (row,) = re.findall(rf"^\| {service} \| (.+?) \|", rows, re.MULTILINE)
    assert _told(row, ">") == _contract(f"footnote_{service}")


@pytest.mark.parametrize("service", SERVICES)
def test_contributing_tells_them_without_the_edges(service: str) -> None:
    rows = _between("CONTRIBUTING.md", "| service | high to low |\n|---|---|\n", "\n\n")
    (row,) = re.findall(rf"^\| {service} \| (.+?) (?:\(\[ADR|\|)", rows, re.MULTILINE)
    inner = [layer - AT_THE_EDGES for layer in _contract(f"footnote_{service}")]
    assert _told(row, "->") == [layer for layer in inner if layer]


def test_both_tell_the_layers_of_what_services_share() -> None:
    expected = _contract("footnote_shared")
    drawn = _between("docs/architecture.md", "\nshared/    ", "```")
    assert [frozenset(re.findall(r"\w+", layer)) for layer in drawn.split(">")] == expected
    assert _told(_between("CONTRIBUTING.md", "Its layers, high to low:", "\n\n"), "->") == expected


def test_contributing_tells_the_layers_of_the_command_line() -> None:
    told = _between("CONTRIBUTING.md", "- `footnote_cli`:", "It finds the services")
    assert _told(told, "->") == _contract("footnote_cli")


ADAPTERS = ("blobs", "clients", "embedding", "models", "vectors")
"""Rooms of `shared` that may have one user: no service may import what they reach (docs/adr/0015)."""


def test_what_lies_in_shared_serves_two() -> None:
    """Two services, or a service and what people run. What has one user belongs to that user."""
    lonely = {}
    for name, path in modules().items():
        room = name.split(".")[1:2]
        if not name.startswith("footnote_shared") or path.name == "__init__.py" or room[0] in ADAPTERS:
            continue
        if "migrations" not in path.parts and len(users := _users(name)) < 2:
            lonely[name] = users
    assert not lonely


def _users(name: str) -> set[str]:
    """The packages that need a module of `shared`, also by way of others there. Tests do not count."""
    reached, left = set[str](), [name]
    while left:
        reached.add(module := left.pop())
        left += [user for user in _importers()[module] if user not in reached]
    packages = {module.partition(".")[0] for module in reached}
    return packages - {"footnote_shared", "footnote_testing"}


@cache
def _importers() -> dict[str, set[str]]:
    """By each module, those that import it."""
    found: dict[str, set[str]] = {name: set() for name in modules()}
    for name, path in modules().items():
        for needed in imported(name, path):
            found[needed].add(name)
    return found
