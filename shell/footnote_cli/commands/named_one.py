"""The one thing of a list that somebody has named, and the question before it is deleted."""

import sys
from typing import Any

import typer

from footnote_cli.api_client import Api, items_of
from footnote_cli.render import neutral
from footnote_shared.kernel.errors import InvalidRequest

_SHORTEST = 4


def named_one(api: Api, kind: str, given: str) -> dict[str, Any]:
    """The one thing of a `kind`, such as `connector`, that has this name or id.

    Raises InvalidRequest if there is none, or several.
    """
    found = [one for one in items_of(api, f"/v1/{kind}s") if one["name"] == given or is_end(one["id"], given)]
    if len(found) == 1:
        return found[0]
    said = f"Several {kind}s are called" if found else f"There is no {kind}"
    raise InvalidRequest(f"{said} `{neutral(given)}`. `footnote {kind}s` lists them with their ids.")


def is_end(whole: str, given: str) -> bool:
    """Whether an id begins or ends with what was given of it."""
    text = given.strip().lower()
    return len(text) >= _SHORTEST and (whole.startswith(text) or whole.endswith(text))


def ask_to_delete(question: str, lost: str, *, yes: bool) -> None:
    """Go on with a deletion only if somebody says so, by `yes` or now. `lost` is what would be deleted.

    Raises InvalidRequest where nobody can be asked, and ends the command after a no.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise InvalidRequest(f"Nobody can be asked here: add --yes to delete {lost}.")
    if not typer.confirm(question, err=True):
        raise typer.Exit(1)
