"""`footnote workspaces`: list the workspaces of the deployment, delete one, and see what has gone."""

from typing import Annotated

import typer

from footnote_cli.api_client import connect, items_of
from footnote_cli.commands.receipts import Receipt, follow_deletion, show_receipt
from footnote_cli.render import console, outside, print_json, table
from footnote_cli.typer_app import typer_app

app = typer_app(invoke_without_command=True)
_Json = Annotated[bool, typer.Option("--json", help="Print the API's own answer.")]
_Id = Annotated[str, typer.Argument(help="Id of the workspace.")]

_ROUTE = "/v1/workspaces"


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
    found = list(items_of(connect(), _ROUTE))
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
    found: Receipt = api.request("DELETE", f"{_ROUTE}/{workspace}", params={"name": name}).json()
    if wait:
        found = follow_deletion(api, found, f"{_ROUTE}/{workspace}/receipt", _sentence)
    show_receipt(found, _sentence, as_json=as_json)


@app.command("receipt")
def receipt(workspace: _Id, as_json: _Json = False) -> None:
    """Show what has gone of a workspace that was deleted, store by store."""
    show_receipt(connect().get(f"{_ROUTE}/{workspace}/receipt"), _sentence, as_json=as_json)


def _sentence(found: Receipt) -> str:
    rows = sum(found["removed"]["rows"].values())
    if found.get("gone_at"):
        return f"{found['name']} is gone since {found['gone_at']}."
    return f"{found['name']} is closed; {rows:,} rows are gone so far."
