"""`footnote workspaces`: list the workspaces of the deployment, delete one, and see what has gone."""

import time
from typing import Annotated, Any

import typer
from rich.table import Table

from footnote_cli.api_client import connect
from footnote_cli.render import console, errors, grid, outside, print_json, table
from footnote_cli.typer_app import typer_app

app = typer_app(invoke_without_command=True)
_Json = Annotated[bool, typer.Option("--json", help="Print the API's own answer.")]
_Id = Annotated[str, typer.Argument(help="Id of the workspace.")]

_ROUTE = "/v1/workspaces"
_LOOK_EVERY_S = 1.0


@app.callback()
def list_workspaces(context: typer.Context, as_json: _Json = False) -> None:
    """List the workspaces of the deployment.

    This needs a key with the scope `admin` in the workspace of the operator, which
    FOOTNOTE_OPERATOR_WORKSPACE names where there are several.

    Example: `footnote workspaces delete 01a2019d-3c0a-7b6e-8d1f-5a4e90b7c2d1`

    Exit status: 0 when it is done, 1 when the request failed, 2 on wrong use, 3 when no server answers.
    """
    if context.invoked_subcommand is not None:
        return
    found = _all()
    if as_json:
        print_json({"items": found})
        return
    rows = table("", "id", "name", "made", "")
    for one in found:
        state = "being deleted" if one.get("deletion_asked_at") else ""
        rows.add_row(*map(outside, (one["id"], one["name"], one["created_at"][:10], state)))
    console.print(rows)


@app.command("delete")
def delete(
    workspace: _Id,
    name: Annotated[
        str | None, typer.Option(help="Its name, to confirm without a question.", metavar="NAME")
    ] = None,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Follow it, or only begin.")] = True,
    as_json: _Json = False,
) -> None:
    """Delete a workspace with all that it has, for ever. You are asked for its name.

    Its keys are useless at once. Refused while one of its documents is under legal hold.

    Example: `footnote workspaces delete 01a2019d-3c0a-7b6e-8d1f-5a4e90b7c2d1 --name "Harbour office"`
    """
    if name is None:
        name = typer.prompt("All documents and conversations of it go, for everybody. Its name", err=True)
    api = connect()
    found: dict[str, Any] = api.request("DELETE", f"{_ROUTE}/{workspace}", params={"name": name}).json()
    if wait:
        with errors.status("") as line:
            while found.get("gone_at") is None:
                line.update(outside(found.get("reason") or _sentence(found)))
                time.sleep(_LOOK_EVERY_S)
                found = api.get(f"{_ROUTE}/{workspace}/receipt")
    _show(found, as_json=as_json)


@app.command("receipt")
def receipt(workspace: _Id, as_json: _Json = False) -> None:
    """Show what has gone of a workspace that was deleted, store by store."""
    _show(connect().get(f"{_ROUTE}/{workspace}/receipt"), as_json=as_json)


def _all() -> list[dict[str, Any]]:
    api = connect()
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    while True:
        page = api.get(_ROUTE, limit=200, **({"cursor": cursor} if cursor else {}))
        found += page["items"]
        cursor = page.get("next_cursor")
        if not cursor:
            return found


def _show(found: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    console.print(outside(_sentence(found)))
    console.print(removed_counts(found["removed"]))


def removed_counts(removed: dict[str, Any]) -> Table:
    """What has gone, store by store."""
    counts = grid()
    for store, count in removed.items():
        if store != "rows":
            counts.add_row(outside(store), f"{count:,}")
    for name, count in sorted(removed["rows"].items()):
        counts.add_row(outside(f"rows of {name}"), f"{count:,}")
    return counts


def _sentence(found: dict[str, Any]) -> str:
    rows = sum(found["removed"]["rows"].values())
    if found.get("gone_at"):
        return f"{found['name']} is gone since {found['gone_at']}."
    return f"{found['name']} is closed; {rows:,} rows are gone so far."
