"""Asking the person at the terminal whether a tool may do what it was told to ask about (spec 5.5)."""

import sys
from collections.abc import Mapping
from typing import Any

from footnote_cli.api_client import Api
from footnote_cli.render import errors, outside, shorten
from footnote_shared.kernel.errors import Conflict

_ARGUMENT_WIDTH = 400
_YES = frozenset({"y", "yes"})


def somebody_is_there() -> bool:
    """Whether a person types what this program reads."""
    return sys.stdin.isatty()


def ask_person(api: Api, turn_id: str, needed: Mapping[str, Any]) -> None:
    """Show what would be done, and send the answer. No answer is a no."""
    errors.print(f"\n[bold]? {outside(needed['label'])}[/bold] [dim]({outside(needed['tool'])})[/dim]")
    for name, value in (needed.get("arguments") or {}).items():
        errors.print(f"  {outside(name)}: {outside(shorten(str(value), _ARGUMENT_WIDTH))}")
    errors.print("  Allow it? \\[y/N] ", end="")
    approve = sys.stdin.readline().strip().lower() in _YES
    try:
        api.post(f"/v1/turns/{turn_id}:approve", {"call_id": needed["call_id"], "approve": approve})
    except Conflict as error:
        # Somebody has answered elsewhere, or the turn has ended meanwhile.
        errors.print(f"[dim]{outside(error.detail)}[/dim]")
