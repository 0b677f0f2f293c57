"""`footnote avatars`: list the people of a workspace, delete one, and see what has gone."""

from typing import Annotated

import typer

from footnote_cli.api_client import connect, items_of
from footnote_cli.commands.receipts import Receipt, follow_deletion, show_receipt
from footnote_cli.render import console, outside, print_json, table
from footnote_cli.typer_app import typer_app

app = typer_app(invoke_without_command=True)
_Json = Annotated[bool, typer.Option("--json", help="Print the API's own answer.")]
_Id = Annotated[str, typer.Argument(help="Id of the avatar.")]

_ROUTE = "/v1/avatars"


@app.callback()
def list_avatars(context: typer.Context, as_json: _Json = False) -> None:
    """List the people of your workspace. This needs a key with the scope `admin`.

    Example: `footnote avatars delete 01a2019d-3c0a-7b6e-8d1f-5a4e90b7c2d1`

    Exit status: 0 when it is done, 1 when the request failed, 2 on wrong use, 3 when no server answers.
    """
    if context.invoked_subcommand is not None:
        return
    found = list(items_of(connect(), _ROUTE))
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
    found: Receipt = api.request("DELETE", f"{_ROUTE}/{avatar}", params=asked).json()
    if wait:
        found = follow_deletion(api, found, f"{_ROUTE}/{avatar}/receipt", _sentence)
    show_receipt(found, _sentence, as_json=as_json)


@app.command("receipt")
def receipt(avatar: _Id, as_json: _Json = False) -> None:
    """Show what has gone of a person who was deleted, store by store."""
    show_receipt(connect().get(f"{_ROUTE}/{avatar}/receipt"), _sentence, as_json=as_json)


def _sentence(found: Receipt) -> str:
    kept = found.get("kept", 0)
    stay = f" Shared documents that stay: {kept:,}." if kept else ""
    if found.get("gone_at"):
        return f"All that was theirs is gone since {found['gone_at']}.{stay}"
    rows = sum(found["removed"]["rows"].values())
    return f"Nobody comes in as them any more; {rows:,} rows are gone so far.{stay}"
