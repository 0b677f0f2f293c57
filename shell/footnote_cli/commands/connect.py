"""`footnote connect`: make a connector by asking, look at its first items, then sync."""

import sys
from typing import Annotated, Any

import typer

from footnote_cli.api_client import connect as reach
from footnote_cli.connector_answers import Given, asked_for, fields_named, kinds_named, schedule_asked
from footnote_cli.render import console, errors, outside, print_json, table
from footnote_cli.run_display import follow, print_report
from footnote_shared.kernel.errors import InvalidRequest


def connect(
    kind: Annotated[str | None, typer.Argument(help=f"One of {kinds_named()}; left out: asked for.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="A field of its configuration, as NAME=VALUE. "
            f"Those of each kind: {fields_named(secret=False)}.",
        ),
    ] = None,
    credentials: Annotated[
        list[str] | None,
        typer.Option(
            "--credential",
            help="A credential, as NAME=VALUE, or NAME=@FILE for its first line. "
            f"Those of each kind: {fields_named(secret=True)}.",
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="What people call it.")] = None,
    folder: Annotated[str | None, typer.Option(help="Where its documents are filed.")] = None,
    schedule: Annotated[
        str | None, typer.Option(help="Time between two syncs: 15m, 6h, 1d. Left out: when asked for.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the connector and its first run.")] = False,
) -> None:
    """Bring another system in: a folder, a feed, a site, a repository, chats, notes, or what a program sends.

    The first items are shown before anything is made. Fields are in docs/howto/add-a-connector.md.

    Example: `footnote connect web --set url=https://docs.example.com/ --schedule 1d --yes`

    Exit status: 0 when the first sync has succeeded, 1 when it or the test failed, 2 on wrong use, 3 when no
    server answers.
    """
    body = asked_for(Given(kind, settings or [], credentials or [], name, hurried=yes))
    if schedule is None and not yes and body["kind"] != "push":
        schedule = schedule_asked()
    body |= {key: value for key, value in (("folder", folder), ("schedule", schedule)) if value is not None}
    api = reach()
    preview = api.post("/v1/connectors:preview", body)
    if preview.get("problem"):
        errors.print(f"It does not work yet: {outside(preview['problem'])}")
        raise typer.Exit(1)
    if not as_json:
        _print_items(preview)
    if not yes and not _confirmed():
        raise typer.Exit(1)
    made: dict[str, Any] = api.post("/v1/connectors", body)
    if body["kind"] == "push":
        _print_made(made, None, as_json=as_json)
        return
    run = follow(api, made["id"])
    _print_made(made, run, as_json=as_json)
    raise typer.Exit(0 if run is not None and run["status"] == "succeeded" else 1)


def _confirmed() -> bool:
    if not sys.stdin.isatty():
        raise InvalidRequest("Nobody can be asked here: add --yes to make the connector.")
    return typer.confirm("Make this connector?", default=True, err=True)


def _print_items(preview: dict[str, Any]) -> None:
    if not preview["items"]:
        return
    rows = table("First items", "item", "folder", "title or why it is left out")
    for item in preview["items"]:
        said = item.get("left_out") or item.get("title") or ""
        rows.add_row(outside(item["id"]), outside(item["folder"]), outside(said))
    console.print(rows)
    if preview["more"]:
        console.print("[dim]and more[/dim]")


def _print_made(made: dict[str, Any], run: dict[str, Any] | None, *, as_json: bool) -> None:
    if as_json:
        print_json({"connector": made, "run": run})
        return
    console.print(f"Made connector {outside(made['id'])}, {outside(made['name'])}.")
    console.print(f"Its web hook: {outside(made['webhook_url'])}")
    console.print(f"The secret of the hook, shown this once: {outside(made.get('webhook_secret') or '')}")
    if run is not None:
        print_report(run)
