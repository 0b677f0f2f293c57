"""`footnote lanes`: build the next version of a lane beside the live one, follow it, switch, roll back."""

import json
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from footnote_cli.api_client import connect
from footnote_cli.render import console, grid, outside, print_json, table
from footnote_cli.typer_app import typer_app
from footnote_shared.kernel.errors import InvalidRequest

app = typer_app(invoke_without_command=True)
_Json = Annotated[bool, typer.Option("--json", help="Print the API's own answer.")]
_Lane = Annotated[str, typer.Option("--lane", help="The lane.")]
_Follow = Annotated[bool, typer.Option("--follow/--no-follow", help="Wait until it is done.")]

_DOCUMENTS = "document"
_LOOK_EVERY_S = 1.0
_AT_WORK = ("building", "checking", "switching")


@app.callback()
def list_lanes(context: typer.Context, as_json: _Json = False) -> None:
    """List the lanes: what is searched, and how far the next version is.

    A lane holds the documents of all workspaces, so this needs a key with the scope `admin` in the workspace
    of the operator.

    Example: `footnote lanes reembed --model bge-small-en-v1.5`

    Exit status: 0 when it is done, 1 when the version failed or waits for you, 2 on wrong use, 3 when no
    server answers.
    """
    if context.invoked_subcommand is not None:
        return
    found = connect().get("/v1/lanes")
    if as_json:
        print_json(found)
        return
    if not found["items"]:
        console.print("Nothing has been embedded yet.")
    for lane in found["items"]:
        _print(lane)


@app.command("reembed")
def reembed(
    model: Annotated[
        str | None, typer.Option(help="One of the models that are set. Without it: that of the live version.")
    ] = None,
    queries: Annotated[
        Path | None,
        typer.Option(help="JSON Lines with `query`, and `relevant` as a list of ids of documents if known."),
    ] = None,
    hold: Annotated[bool, typer.Option("--hold", help="Do not switch to it: wait for `switch`.")] = False,
    min_overlap: Annotated[
        float, typer.Option(min=0, max=1, help="Share of the former results below which it waits for you.")
    ] = 0.0,
    query_prefix: Annotated[str, typer.Option(help="Text before each query. Empty: the model's own.")] = "",
    document_prefix: Annotated[
        str, typer.Option(help="Text before each passage. Empty: the model's own.")
    ] = "",
    lane: _Lane = _DOCUMENTS,
    as_json: _Json = False,
) -> None:
    """Build the next version beside the live one, check it, and switch to it.

    Searches go on in the live version, and uploads, changes and deletions go on as ever. The work goes on
    too when this command is interrupted.
    """
    body = {
        "model": model,
        "queries": _read_queries(queries) if queries is not None else [],
        "switch": not hold,
        "min_overlap": min_overlap,
        "query_prefix": query_prefix,
        "document_prefix": document_prefix,
    }
    begun = connect().post(f"/v1/lanes/{lane}:reembed", body)
    number = begun["versions"][0]["number"]
    _end(_followed(lane, number), number, as_json=as_json)


@app.command("switch")
def switch(lane: _Lane = _DOCUMENTS, follow: _Follow = True, as_json: _Json = False) -> None:
    """Make the version that waits the live one."""
    _act(lane, "switch", ("ready", "switching"), follow=follow, as_json=as_json)


@app.command("rollback")
def rollback(lane: _Lane = _DOCUMENTS, follow: _Follow = True, as_json: _Json = False) -> None:
    """Make the former version the live one again, with all that came since."""
    _act(lane, "rollback", ("ready", "switching"), follow=follow, as_json=as_json)


@app.command("cancel")
def cancel(lane: _Lane = _DOCUMENTS, as_json: _Json = False) -> None:
    """Give up the version that is being built. What is searched does not change."""
    _act(lane, "cancel", (), follow=False, as_json=as_json)


@app.command("retire")
def retire(lane: _Lane = _DOCUMENTS, as_json: _Json = False) -> None:
    """Remove the former version. After that there is no way back to it."""
    _act(lane, "retire", (), follow=False, as_json=as_json)


@app.command("follow")
def follow_lane(lane: _Lane = _DOCUMENTS, as_json: _Json = False) -> None:
    """Wait until nothing happens to the newest version any more.

    Example: `footnote lanes follow --lane fact`
    """
    number = connect().get(f"/v1/lanes/{lane}")["versions"][0]["number"]
    _end(_followed(lane, number), number, as_json=as_json)


def _act(lane: str, what: str, waits_in: tuple[str, ...], *, follow: bool, as_json: bool) -> None:
    found = connect().post(f"/v1/lanes/{lane}:{what}", {})
    moving = [version["number"] for version in found["versions"] if version["status"] in waits_in]
    if not follow or not moving:
        _show(found, as_json=as_json)
        return
    _end(_followed(lane, moving[0]), moving[0], as_json=as_json)


def _followed(lane: str, number: int) -> dict[str, Any]:
    """Look until nothing happens to the version any more. One line, written over."""
    api = connect()
    with console.status("") as line:
        while True:
            found: dict[str, Any] = api.get(f"/v1/lanes/{lane}")
            version = _version(found, number)
            line.update(outside(_progress(version)))
            goes_on = version["status"] == "ready" and version["takes_over"]
            if version["status"] not in _AT_WORK and not goes_on:
                return found
            time.sleep(_LOOK_EVERY_S)


def _end(found: dict[str, Any], number: int, *, as_json: bool) -> None:
    _show(found, as_json=as_json)
    version = _version(found, number)
    stuck = version["status"] == "ready" and version.get("reason")
    raise typer.Exit(1 if version["status"] in ("failed", "cancelled") or stuck else 0)


def _show(lane: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(lane)
    else:
        _print(lane)


def _print(lane: dict[str, Any]) -> None:
    rows = table(
        f"Lane {outside(lane['name'])}: version {lane['live']} is searched", "", "status", "model", ""
    )
    for version in lane["versions"]:
        told = (str(version["number"]), version["status"], version["model"], _progress(version))
        rows.add_row(*map(outside, told))
    console.print(rows)
    newest = lane["versions"][0]
    if newest.get("checks"):
        facts = grid()
        for name, value in newest["checks"].items():
            if value is not None:
                shown = f"{value:.3f}" if isinstance(value, float) else str(value)
                facts.add_row(outside(name.replace("_", " ")), outside(shown))
        console.print(facts)
    if lane.get("follows"):
        console.print(f"It follows the model of the lane {outside(lane['follows'])} by itself.")
    else:
        console.print(f"Models that are set: {outside(', '.join(lane['models']))}")


def _progress(version: dict[str, Any]) -> str:
    """How far it is, in a phrase."""
    if version.get("reason"):
        return str(version["reason"])
    if version["status"] == "building":
        said = f"{version['chunks']} of {version['chunks_total']} chunks"
        if version.get("per_second"):
            said += f", {version['per_second']:.0f} a second, {version['seconds_left']:.0f} s left"
        return said
    if version["changes"]:
        return f"{version['changes']} changes to follow"
    return {"checking": "being compared", "switching": "taking over"}.get(version["status"], "")


def _version(lane: dict[str, Any], number: int) -> dict[str, Any]:
    return next(version for version in lane["versions"] if version["number"] == number)


def _read_queries(path: Path) -> list[dict[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        return [dict(json.loads(line)) for line in lines if line.strip()]
    except (OSError, ValueError, TypeError) as error:
        raise InvalidRequest(f"{path} cannot be read as JSON Lines.") from error
