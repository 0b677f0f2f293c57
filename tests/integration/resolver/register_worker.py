"""A process for the races of the registry: it registers, and prints what it was told.

Each line of its output is the JSON of `[[name, number], ...]`, written when the numbers are committed. So
what a process was told can be read even if it was killed. An empty list is a refusal: the database was too
busy for as long as it may wait, and the caller was told so (503) and tries again, as any caller would.
"""

import json
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from footnote_resolver.registry.register import Unit, register, units_of
from footnote_resolver.store.entries import entries_of
from footnote_shared.contracts.evidence import EvidenceItem
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.kernel.errors import Unavailable

_POOL = 5
"""Connections of a process, doubled under load: PostgreSQL has a hundred, for eight processes."""

_ATTEMPTS = 100
"""A machine with much else to do refuses often."""

T = TypeVar("T")


def item(name: str) -> EvidenceItem:
    return EvidenceItem(
        source_type="connector_item",
        locator={"connector_id": "c", "external_id": name},
        text=f"text of {name}",
    )


def names_of(registrar: int, shared: int, own: int) -> list[str]:
    """What a registrar shows: units that all show, each in another order, between units of its own."""
    common = [f"shared-{(i * 7 + registrar * 11) % shared}" for i in range(shared)]
    return [
        name
        for i in range(max(shared, own))
        for name in (*common[i : i + 1], *([f"own-{registrar}-{i}"] if i < own else ()))
    ]


def patiently(call: Callable[[], T], tell: threading.Lock) -> T:
    """What the call returns; a refusal is told, and the call made again."""
    for _ in range(_ATTEMPTS):
        try:
            return call()
        except Unavailable:
            with tell:
                print("[]", flush=True)
    return call()


def work(
    database: Database,
    caller: Principal,
    conversation: str,
    registrar: int,
    sizes: tuple[int, int, int],
    tell: threading.Lock,
) -> None:
    """Register everything in batches with a duplicate in each; every number that is told resolves at once."""
    shared, own, batch = sizes
    names = names_of(registrar, shared, own)
    for start in range(0, len(names), batch):
        shown = [*names[start : start + batch], *([names[start]] if batch > 1 else ())]
        units = units_of([item(name) for name in shown])

        def show(units: list[Unit] = units) -> list[int]:
            with database.write() as session:
                return register(session, caller, conversation, units, turn_id="t", agent=f"a{registrar}")

        numbers = patiently(show, tell)
        with tell:
            print(json.dumps(list(zip(shown, numbers, strict=True))), flush=True)

        def look(numbers: list[int] = numbers) -> dict[int, str]:
            with database.read() as session:
                entries = entries_of(session, conversation, numbers=numbers)
                return {e.n: e.locator["external_id"] for e in entries}

        unit_of = patiently(look, tell)
        if [unit_of.get(n) for n in numbers] != shown:
            raise AssertionError(f"{shown} were told {numbers}, which are {unit_of}")


def main(url: str, principal: str, conversation: str, first: int, registrars: int, *sizes: int) -> None:
    shared, own, batch = sizes
    database = Database(url, pool=_POOL)
    caller = Principal.model_validate_json(principal)
    tell = threading.Lock()
    with ThreadPoolExecutor(registrars) as pool:
        done = [
            pool.submit(work, database, caller, conversation, first + i, (shared, own, batch), tell)
            for i in range(registrars)
        ]
        for future in done:
            future.result()
    database.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], *map(int, sys.argv[4:]))
