"""`footnote avatars`: list the people of a workspace, delete one, and see what has gone."""

import time
from typing import Annotated, Any

import typer

from footnote_cli.api_client import connect
from footnote_cli.commands.workspaces import removed_counts
from footnote_cli.render import console, errors, outside, print_json, table
from footnote_cli.typer_app import typer_app

app = typer_app(invoke_without_command=True)
_Json = Annotated[bool, typer.Option("--json", help="Print the API's own answer.")]
_Id = Annotated[str, typer.Argument(help="Id of the avatar.")]

_ROUTE = "/v1/avatars"
_LOOK_EVERY_S = 1.0


@app.callback()
def list_avatars(context: typer.Context, as_json: _Json = False) -> None:
    """List the people of your workspace. This needs a key with the scope `admin`.

    Example: `footnote avatars delete 01a2019d-3c0a-7b6e-8d1f-5a4e90b7c2d1`

    Exit status: 0 when it is done, 1 when the request failed, 2 on wrong use, 3 when no server answers.
    """
    if context.invoked_subcommand is not None:
        return
    found = _all()
    if as_json:
        print_json({"items": found})
        return
    rows = table("", "id", "name", "made", "keys", "connectors", "")
    for one in found:
        state = "being deleted" if one.get("deletion_asked_at") else ""
        cells = (one["id"], one["name"], one["created_at"][:10], one["keys"], one["connectors"], state)
        rows.add_row(*(outside(str(cell)) for cell in cells))
    console.print(rows)


@app.command("delete")
def delete(
    avatar: _Id,
    name: Annotated[
        str | None, typer.Option(help="Its name, to confirm without a question.", metavar="NAME")
    ] = None,
    shared: Annotated[
        bool, typer.Option("--shared", help="Also delete the documents that they shared with the workspace.")
    ] = False,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Follow it, or only begin.")] = True,
    as_json: _Json = False,
) -> None:
    """Delete a person for ever: private documents, memory, conversations, automations, connectors with all
    that they brought, and keys. You are asked for the name.

    What they shared with the workspace stays, without an owner. The keys are useless at once. Refused while
    a document that would go is under legal hold.

    Example: `footnote avatars delete 01a2019d-3c0a-7b6e-8d1f-5a4e90b7c2d1 --name anna`
    """
    if name is None:
        name = typer.prompt("All that is theirs goes, for ever. The name of the person", err=True)
    api = connect()
    asked = {"name": name, "shared": "delete" if shared else "keep"}
    found: dict[str, Any] = api.request("DELETE", f"{_ROUTE}/{avatar}", params=asked).json()
    if wait:
        with errors.status("") as line:
            while found.get("gone_at") is None:
                line.update(outside(found.get("reason") or _sentence(found)))
                time.sleep(_LOOK_EVERY_S)
                found = api.get(f"{_ROUTE}/{avatar}/receipt")
    _show(found, as_json=as_json)


@app.command("receipt")
def receipt(avatar: _Id, as_json: _Json = False) -> None:
    """Show what has gone of a person who was deleted, store by store."""
    _show(connect().get(f"{_ROUTE}/{avatar}/receipt"), as_json=as_json)


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


def _sentence(found: dict[str, Any]) -> str:
    kept = found.get("kept", 0)
    stay = f" Shared documents that stay: {kept:,}." if kept else ""
    if found.get("gone_at"):
        return f"All that was theirs is gone since {found['gone_at']}.{stay}"
    rows = sum(found["removed"]["rows"].values())
    return f"Nobody comes in as them any more; {rows:,} rows are gone so far.{stay}"
