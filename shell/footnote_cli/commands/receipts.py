"""Following a deletion to its end, and showing what has gone, store by store: of a person or a workspace."""

import time
from collections.abc import Callable
from typing import Any

from rich.table import Table

from footnote_cli.api_client import Api
from footnote_cli.render import console, errors, grid, outside, print_json

_LOOK_EVERY_S = 1.0

Receipt = dict[str, Any]
"""The receipt of a deletion, as the API answers it."""


def follow_deletion(api: Api, receipt: Receipt, route: str, sentence: Callable[[Receipt], str]) -> Receipt:
    """The receipt once all has gone; until then a line says how far it is. `route` answers it anew."""
    with errors.status("") as line:
        while receipt.get("gone_at") is None:
            line.update(outside(receipt.get("reason") or sentence(receipt)))
            time.sleep(_LOOK_EVERY_S)
            receipt = api.get(route)
    return receipt


def show_receipt(receipt: Receipt, sentence: Callable[[Receipt], str], *, as_json: bool) -> None:
    """The receipt for people, or as the API answers it."""
    if as_json:
        print_json(receipt)
        return
    console.print(outside(sentence(receipt)))
    console.print(_removed_counts(receipt["removed"]))


def _removed_counts(removed: dict[str, Any]) -> Table:
    counts = grid()
    for store, count in removed.items():
        if store != "rows":
            counts.add_row(outside(store), f"{count:,}")
    for name, count in sorted(removed["rows"].items()):
        counts.add_row(outside(f"rows of {name}"), f"{count:,}")
    return counts
