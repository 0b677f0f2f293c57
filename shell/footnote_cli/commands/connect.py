"""`footnote connect`: make a connector by asking, look at its first items, then sync."""

import sys
from typing import Annotated, Any

import typer

from footnote_cli.api_client import Api
from footnote_cli.api_client import connect as reach
from footnote_cli.connector_answers import (
    Given,
    asked_again,
    asked_for,
    fields_named,
    kinds_named,
    schedule_asked,
)
from footnote_cli.render import console, errors, outside, print_json, table
from footnote_cli.run_display import follow, print_report
from footnote_shared.kernel.errors import CallerError, InvalidRequest


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
    body, preview = _tested(api, body, may_ask=not yes and sys.stdin.isatty())
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


def _tested(api: Api, body: dict[str, Any], *, may_ask: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """The connector as it works, and its first items. What does not work is asked for again.

    What was typed is kept: an address with a wrong letter costs no token that was typed before.
    """
    while True:
        wrong: list[str] = []
        try:
            preview: dict[str, Any] = api.post("/v1/connectors:preview", body)
            problem = preview.get("problem")
        except CallerError as refused:
            if not may_ask:
                raise
            said = [refused.detail, *(f"{one.field} {one.message}" for one in refused.errors)]
            problem, wrong = " ".join(said), [part for one in refused.errors for part in one.field.split(".")]
        if not problem:
            return body, preview
        errors.print(f"It does not work yet: {outside(problem)}")
        if not may_ask or not typer.confirm("Answer again?", default=True, err=True):
            raise typer.Exit(1)
        body = asked_again(body, wrong)


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
