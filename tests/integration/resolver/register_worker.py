"""A process of its own for the races of the registry: registers over its own connections and prints what it was told."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor

from footnote_resolver.registry.register import register, units_of
from footnote_shared.contracts.evidence import EvidenceItem
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database

SHARED = 40


def work(database: Database, caller: Principal, conversation: str, worker: int) -> list[tuple[str, int]]:
    """Shared and own units, in batches with duplicates, each worker in another order."""
    names = [f"shared-{(i * 7 + worker * 11) % SHARED}" for i in range(SHARED)] + [
        f"own-{worker}-{i}" for i in range(10)
    ]
    told = []
    for start in range(0, len(names), 5):
        batch = [*names[start : start + 5], names[start]]
        items = [
            EvidenceItem(
                source_type="connector_item",
                locator={"connector_id": "c", "external_id": n},
                text=f"text of {n}",
            )
            for n in batch
        ]
        units = units_of(items)
        with database.write() as session:
            numbers = register(session, caller, conversation, units, turn_id="t", agent=f"a{worker}")
        told += list(zip(batch, numbers, strict=True))
    return told


def main(url: str, principal: str, conversation: str, first: int, threads: int) -> None:
    database = Database(url)
    caller = Principal.model_validate_json(principal)
    with ThreadPoolExecutor(threads) as pool:
        told = [
            pair
            for pairs in pool.map(
                lambda w: work(database, caller, conversation, w), range(first, first + threads)
            )
            for pair in pairs
        ]
    database.close()
    print(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
