"""Pairs of a claim and a passage that supports it or, by one kind of mistake, does not.

`development` is the set by which the rules are tuned. `held_out` was written before them and is only
measured. `examined` was written by somebody who had not read the rules: sentence forms, subjects and
languages of its own. The rules were then extended by it; its `limits` are what they still do not see.
The cosines beside them are what the bundled model gave (`tests.benchmarks.verification --write`).
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("entailment_pairs")
SETS = ("development", "held_out", "examined")


@dataclass(frozen=True, slots=True)
class Pair:
    """`mistake` is None where the passage supports the claim; a `limit` is one that the rules do not see."""

    field: str
    passage: str
    claim: str
    mistake: str | None
    similarity: float
    limit: bool = False


@cache
def pairs(name: str) -> list[Pair]:
    rows = [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()]
    cosines = _cosines().get(name, {})
    return [
        Pair(
            row["field"],
            row["passage"],
            claim,
            mistake,
            cosines.get(key_of(number, claim), 0.0),
            limit=[mistake, claim] in row.get("limits", []),
        )
        for number, row in enumerate(rows)
        for mistake, claim in labelled(row)
    ]


def labelled(row: dict[str, Any]) -> list[tuple[str | None, str]]:
    """The claims of a row, the true ones first, each with its mistake."""
    wrong = [*row["false"], *row.get("limits", [])]
    return [*((None, claim) for claim in row["true"]), *((mistake, claim) for mistake, claim in wrong)]


def key_of(row: int, claim: str) -> str:
    """The name of a pair in the file of cosines."""
    return f"{row}: {claim}"


def _cosines() -> dict[str, Any]:
    path = FOLDER / "cosines.json"
    found: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return found
