"""`footnote docs`: list, show, delete, hold, retry and rechunk documents."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from footnote_cli.api_client import Api, connect, items_of
from footnote_cli.commands.named_one import ask_to_delete
from footnote_cli.commands.rechunk import rechunk
from footnote_cli.document_ids import full_id, id_or_part, short_id
from footnote_cli.render import console, errors, grid, outside, print_json, table
from footnote_cli.typer_app import typer_app
from footnote_shared.contracts.documents import ENDED
from footnote_shared.kernel.errors import Conflict, InvalidRequest, NotFound

app = typer_app(invoke_without_command=True)
_Json = Annotated[bool, typer.Option("--json", help="Print the API's own answer.")]
_DocumentId = Annotated[
    str, typer.Argument(help="The id, or its first or last digits, which `footnote docs` shows.")
]
_DocumentIds = Annotated[
    list[str] | None, typer.Argument(help="Ids, or their first or last digits, which `footnote docs` shows.")
]


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
    """List documents, newest first; or show, delete or retry some.

    The ids are shown by their last digits, which are enough wherever an id is asked for.

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
    rows = table("", "id", "status", "chunks", "lang", "file", "title or reason")
    for item in page["items"]:
        path = f"{item['folder'].rstrip('/')}/{item['filename']}"
        said = item["error"]["reason"] if item.get("error") else item["title"]
        rows.add_row(
            outside(short_id(item["id"])),
            outside(item["status"]),
            str(item["chunks"]),
            outside(item.get("language") or ""),
            outside(path),
            outside(said),
        )
    console.print(rows)
    if page.get("next_cursor"):
        console.print(f"[dim]more: --cursor {outside(page['next_cursor'])}[/dim]")


@app.command("show")
def show(document_id: _DocumentId, as_json: _Json = False) -> None:
    """Show one document, and what has happened to it since it was accepted."""
    api = connect()
    path = f"/v1/documents/{full_id(api, document_id)}"
    document: dict[str, Any] = api.get(path)
    timeline = api.get(f"{path}/events")
    if as_json:
        print_json({**document, "timeline": timeline["items"]})
        return
    facts = grid()
    for key, value in document.items():
        if value not in (None, {}, []):
            facts.add_row(outside(key), outside(_shown(key, value)))
    console.print(facts)
    rows = table("Timeline", "at", "version", "status", "ms", "detail")
    for item, ms in zip(timeline["items"], stage_times(timeline["items"]), strict=True):
        rows.add_row(
            outside(item["at"]),
            str(item["version"]),
            outside(item["status"]),
            "" if ms is None else f"{ms:.0f}",
            outside(item.get("detail") or ""),
        )
    console.print(rows)


def _shown(key: str, value: Any) -> str:
    match key:
        case "error":
            return str(value["reason"])
        case "summary":
            maker = "written by a model" if value["made_by"] == "model" else "sentences of the document"
            return f"{value['text']} ({maker})"
        case _:
            return str(value)


def stage_times(items: Sequence[dict[str, Any]]) -> list[float | None]:
    """The milliseconds that each row's own stage took.

    The API gives the time of a stage in the row that ended it. None for a note, for a stage that goes on, and
    for an end: what passes until the next version or try is nobody's work.
    """
    times: list[float | None] = []
    following: float | None = None
    for place, item in reversed(list(enumerate(items))):
        ended = item.get("duration_ms")
        begins = ended is not None or place == 0
        times.append(following if begins and item["status"] not in ENDED else None)
        following = ended if begins else following
    return times[::-1]


def _documents(count: int) -> str:
    return f"{count} document" if count == 1 else f"{count} documents"


@app.command("delete")
def delete(
    document_ids: _DocumentIds = None,
    folder: Annotated[
        str | None, typer.Option(help="Delete this folder with everything below it that you see.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: _Json = False,
) -> None:
    """Delete documents: they are gone from answers at once, and from disk soon after.

    Example: `footnote docs delete --folder /handbook/drafts`
    """
    api = connect()
    if (folder is None) == (not document_ids):
        raise InvalidRequest("Say which documents: their ids, or --folder.")
    if folder is not None:
        _delete_folder(api, folder, yes=yes, as_json=as_json)
        return
    ids = [full_id(api, given) for given in document_ids or []]
    answers = []
    for document_id in ids:
        answers.append(api.request("DELETE", f"/v1/documents/{document_id}").json())
        if not as_json:
            console.print(f"Deleted {document_id}.")
    if as_json:
        print_json({"items": answers})


def _delete_folder(api: Api, folder: str, *, yes: bool, as_json: bool) -> None:
    path = "/" + folder.strip("/")
    if path == "/":
        raise InvalidRequest("The root is not deleted as a whole: name a folder in it.")
    inside = [one for one in items_of(api, "/v1/folders") if f"{one['path']}/".startswith(f"{path}/")]
    found = next((one for one in inside if one["path"] == path), None)
    if found is None:
        raise InvalidRequest(f"There is no folder {path}. `footnote docs` shows the folders of documents.")
    count = sum(one["documents"] for one in inside)
    documents = _documents(count)
    below = "" if len(inside) == 1 else f" in {len(inside)} folders"
    question = f"Delete {outside(path)} with {documents}{below}?"
    ask_to_delete(question, f"the {documents}", yes=yes)
    receipt = api.request("DELETE", f"/v1/folders/{found['id']}").json()
    if as_json:
        print_json(receipt)
        return
    console.print(
        f"Deleted {_documents(receipt['documents'])} below {outside(receipt['path'])}. No answer cites them "
        "from now on; their files and vectors go within minutes."
    )


@app.command("receipt")
def receipt(
    document_id: Annotated[
        str, typer.Argument(help="The id of a deleted document, or its first or last digits.")
    ],
    as_json: _Json = False,
) -> None:
    """Say what a deletion has removed so far, store by store."""
    found = connect().get(f"/v1/documents/{id_or_part(document_id)}/receipt")
    if as_json:
        print_json(found)
        return
    counts = ", ".join(f"{count} {name}" for name, count in found["removed"].items())
    parts = f" and {found['children']} found in it" if found["children"] else ""
    state = f"gone at {found['gone_at']}" if found.get("gone_at") else "not all gone yet"
    console.print(outside(f"{found['document_id']}{parts}: {state}; removed: {counts}."))


@app.command("hold")
def hold(
    document_ids: Annotated[list[str], typer.Argument(help="Ids, or their first or last digits.")],
    lift: Annotated[bool, typer.Option("--lift", help="Lift the hold.")] = False,
) -> None:
    """Put documents under legal hold: nobody can delete them, and no sync does. Needs the scope admin."""
    api = connect()
    for given in document_ids:
        path = f"/v1/documents/{full_id(api, given)}"
        document = api.request("PATCH", path, json={"legal_hold": not lift}).json()
        state = "is under legal hold" if document["legal_hold"] else "can be deleted again"
        console.print(f"{outside(document['title'])} {state}.")


app.command("rechunk")(rechunk)


@app.command("retry")
def retry(
    document_ids: _DocumentIds = None,
    status: Annotated[
        str | None, typer.Option(help="Try all with this status again; only `failed` can be.")
    ] = None,
    folder: Annotated[str | None, typer.Option(help="With --status: only below this folder.")] = None,
) -> None:
    """Try failed documents again.

    Example: `footnote docs retry --status failed`
    """
    api = connect()
    if (status is None) == (not document_ids) or status not in (None, "failed"):
        raise InvalidRequest("Say which documents: their ids, or --status failed.")
    if status is None:
        for given in document_ids or []:
            document = api.post(f"/v1/documents/{full_id(api, given)}:retry", {})
            console.print(f"{outside(document['title'])}: {outside(document['status'])}")
        return
    failed = [one["id"] for one in items_of(api, "/v1/documents", status=status, folder=folder)]
    queued = 0
    for document_id in failed:
        try:
            api.post(f"/v1/documents/{document_id}:retry", {})
            queued += 1
        except (Conflict, NotFound) as error:
            # Somebody else was faster: it is in work again, or gone.
            errors.print(f"{document_id}: {outside(error.detail)}")
    console.print(f"{_documents(queued)} queued again. `footnote status` says how far they are.")
