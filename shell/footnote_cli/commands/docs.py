"""`footnote docs`: list, show, delete and retry documents."""

from typing import Annotated, Any

import typer

from footnote_cli.api_client import connect
from footnote_cli.render import console, outside, print_json, table
from footnote_cli.typer_app import typer_app

app = typer_app(invoke_without_command=True)
_Json = Annotated[bool, typer.Option("--json", help="Print the API's own answer.")]
_DocumentId = Annotated[str, typer.Argument(help="The id that `footnote docs` shows.")]


@app.callback()
def list_documents(
    context: typer.Context,
    status: Annotated[str | None, typer.Option(help="Only with this status, e.g. failed.")] = None,
    folder: Annotated[str | None, typer.Option(help="Only below this folder.")] = None,
    q: Annotated[
        str | None, typer.Option(help="Only with this text in the title or the file's name.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="Documents on one page.")] = 50,
    cursor: Annotated[str | None, typer.Option(help="Go on where the last page ended.")] = None,
    as_json: _Json = False,
) -> None:
    """List documents, newest first; or show, delete or retry one.

    Example: `footnote docs --status failed`

    Exit status: 0 also when there are none, 1 when the document is not there or the request failed, 2 on
    wrong use, 3 when no server answers.
    """
    if context.invoked_subcommand is not None:
        return
    page = connect().get("/v1/documents", status=status, folder=folder, q=q, limit=limit, cursor=cursor)
    if as_json:
        print_json(page)
        return
    rows = table("", "id", "status", "chunks", "folder", "title")
    for item in page["items"]:
        folder_and_title = outside(item["folder"]), outside(item["title"])
        rows.add_row(outside(item["id"]), outside(item["status"]), str(item["chunks"]), *folder_and_title)
    console.print(rows)
    if page.get("next_cursor"):
        console.print(f"[dim]more: --cursor {outside(page['next_cursor'])}[/dim]")


@app.command("show")
def show(document_id: _DocumentId, as_json: _Json = False) -> None:
    """Show one document, and what has happened to it since it was accepted."""
    api = connect()
    document: dict[str, Any] = api.get(f"/v1/documents/{document_id}")
    timeline = api.get(f"/v1/documents/{document_id}/events")
    if as_json:
        print_json({**document, "timeline": timeline["items"]})
        return
    for key, value in document.items():
        if value not in (None, {}, []):
            console.print(f"{outside(key):13} {outside(str(value))}")
    rows = table("Timeline", "at", "version", "status", "ms", "detail")
    for item in timeline["items"]:
        ms = f"{item['duration_ms']:.0f}" if item.get("duration_ms") is not None else ""
        detail = outside(item.get("detail") or "")
        rows.add_row(outside(item["at"]), str(item["version"]), outside(item["status"]), ms, detail)
    console.print(rows)


@app.command("delete")
def delete(document_id: _DocumentId) -> None:
    """Delete a document: it is gone from answers at once, and from disk soon after."""
    connect().request("DELETE", f"/v1/documents/{document_id}")
    console.print(f"Deleted {outside(document_id)}.")


@app.command("retry")
def retry(document_id: _DocumentId) -> None:
    """Try a failed document again."""
    document = connect().post(f"/v1/documents/{document_id}:retry", {})
    console.print(f"{outside(document['title'])}: {outside(document['status'])}")
