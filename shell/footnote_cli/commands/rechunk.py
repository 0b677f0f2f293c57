"""`footnote docs rechunk`: cut documents again after a change of the settings for chunks."""

import time
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from footnote_cli.api_client import Api, connect
from footnote_cli.render import console, errors, print_json
from footnote_cli.uploads.bars import RateColumn

_ROUTE = "/v1/documents:rechunk"
_BETWEEN_LOOKS_S = 1.0


def rechunk(
    status: Annotated[
        bool, typer.Option("--status", help="Only say how many there are, and how far it is.")
    ] = False,
    stop: Annotated[bool, typer.Option("--stop", help="Begin no more; those in work are ended.")] = False,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Follow it, or only begin.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print the API's own answer.")] = False,
) -> None:
    """Cut documents again whose chunks other settings have made. Needs the scope admin.

    They stay searchable meanwhile, and text that is cut as before keeps its ids and vectors. The work goes on
    in the server, also after Ctrl-C.

    Example: `footnote docs rechunk --status`

    Exit status: 0 also when there are none, 1 when documents could not be read again or the request failed,
    2 on wrong use, 3 when no server answers.
    """
    api = connect()
    if stop:
        found = api.request("DELETE", _ROUTE).json()
    elif status:
        found = api.get(_ROUTE)
    else:
        found = api.post(_ROUTE, {})
        if wait:
            found = _follow(api, found, quiet=as_json)
    if as_json:
        print_json(found)
    else:
        console.print(_sentence(found))
    if wait and not (stop or status) and found["failed"]:
        raise typer.Exit(1)


def _follow(api: Api, found: dict[str, Any], *, quiet: bool) -> dict[str, Any]:
    columns = (TextColumn("cut again"), BarColumn(bar_width=24), MofNCompleteColumn(), RateColumn())
    with Progress(*columns, TimeRemainingColumn(), console=errors, disable=quiet) as progress:
        bar = progress.add_task("", total=found["total"])
        while found["running"]:
            time.sleep(_BETWEEN_LOOKS_S)
            found = api.get(_ROUTE)
            if found["running"]:
                progress.update(bar, total=found["total"], completed=found["total"] - found["left"])
    return found


def _sentence(found: dict[str, Any]) -> str:
    failed = f" {found['failed']} could not be read again and stay as they were." if found["failed"] else ""
    if found["running"]:
        return f"{found['left']} of {found['total']} documents are still to be cut again.{failed}"
    if found["outdated"]:
        return f"Other settings have cut {found['outdated']} documents. Nothing is running.{failed}"
    return f"All documents are cut by the settings of now.{failed}"
