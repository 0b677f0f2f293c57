"""`footnote connectors`: list connectors, show their reports, sync, pause and delete them."""

from typing import Annotated

import typer

from footnote_cli.api_client import Api, items_of
from footnote_cli.api_client import connect as reach
from footnote_cli.commands.named_one import ask_to_delete, is_end, named_one
from footnote_cli.document_ids import short_id
from footnote_cli.render import console, grid, neutral, outside, print_json, table
from footnote_cli.run_display import follow, print_report, progress
from footnote_cli.typer_app import typer_app
from footnote_shared.kernel.errors import InvalidRequest

app = typer_app(invoke_without_command=True)
_Json = Annotated[bool, typer.Option("--json", help="Print the API's own answer.")]
_Connector = Annotated[str, typer.Argument(help="Its name, or its id or the first or last digits of it.")]
_RUNS_SHOWN = 10


@app.callback()
def list_connectors(context: typer.Context, as_json: _Json = False) -> None:
    """List connectors; or show, run, pause, resume or delete one. `footnote connect` makes one.

    Example: `footnote connectors run Handbook`

    Exit status: 0 also when there are none, 1 when the sync failed or was held, 2 on wrong use, 3 when no
    server answers.
    """
    if context.invoked_subcommand is not None:
        return
    found = list(items_of(reach(), "/v1/connectors"))
    if as_json:
        print_json({"items": found})
        return
    if not found:
        console.print("There are no connectors yet. `footnote connect` makes one.")
        return
    rows = table("", "id", "kind", "status", "documents", "name", "what its owner has to do")
    for one in found:
        count = str(sum(one["documents"].values()))
        said = one.get("problem") or ""
        facts = (short_id(one["id"]), one["kind"], one["status"], count, one["name"], said)
        rows.add_row(*map(outside, facts))
    console.print(rows)


@app.command("show")
def show(connector: _Connector, as_json: _Json = False) -> None:
    """Show one connector and the reports of its last runs."""
    api = reach()
    found = named_one(api, "connector", connector)
    runs = api.get(f"/v1/connectors/{found['id']}/runs", limit=_RUNS_SHOWN)["items"]
    if as_json:
        print_json({**found, "runs": runs})
        return
    facts = grid()
    for key, value in found.items():
        if value not in (None, {}, []):
            facts.add_row(outside(key), outside(str(value)))
    console.print(facts)
    rows = table("Last runs", "id", "asked by", "begun", "report")
    for run in runs:
        told = (short_id(run["id"]), run["trigger"], run.get("started_at") or "", progress(run))
        rows.add_row(*map(outside, told))
    console.print(rows)


@app.command("run")
def run(
    connector: _Connector,
    confirm: Annotated[
        str | None, typer.Option(help="A run that was held: delete as much as it would have.")
    ] = None,
    as_json: _Json = False,
) -> None:
    """Sync now, and follow it to its end."""
    api = reach()
    found = named_one(api, "connector", connector)
    held = None if confirm is None else _run_id(api, found["id"], confirm)
    body = {} if held is None else {"confirm_deletions_of": held}
    started = api.post(f"/v1/connectors/{found['id']}:sync", body)
    report = follow(api, found["id"], started["run_id"])
    if report is None:
        raise typer.Exit(1)
    if as_json:
        print_json(report)
    else:
        print_report(report)
    raise typer.Exit(0 if report["status"] == "succeeded" else 1)


@app.command("pause")
def pause(connector: _Connector) -> None:
    """Let it sync no more until `resume`. What web hooks say is kept until then."""
    _set_paused(connector, paused=True)


@app.command("resume")
def resume(connector: _Connector) -> None:
    """Let a paused connector go on."""
    _set_paused(connector, paused=False)


@app.command("delete")
def delete(
    connector: _Connector,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: _Json = False,
) -> None:
    """Delete a connector with all of its documents."""
    api = reach()
    found = named_one(api, "connector", connector)
    count = sum(found["documents"].values())
    question = f"Delete {neutral(found['name'])} with its {count} documents?"
    ask_to_delete(question, f"its {count} documents", yes=yes)
    answer = api.request("DELETE", f"/v1/connectors/{found['id']}").json()
    if as_json:
        print_json(answer)
        return
    deleted = answer["documents"].get("deleting", 0)
    console.print(
        f"Deleted {outside(found['name'])} with {deleted} documents. No answer cites them any more."
    )
    if answer.get("problem"):
        console.print(outside(answer["problem"]))


@app.command("handshake")
def handshake(connector: _Connector, as_json: _Json = False) -> None:
    """Take the token that its system has sent to the web hook, and print it this once (kind `notion`)."""
    api = reach()
    found = named_one(api, "connector", connector)
    taken = api.post(f"/v1/connectors/{found['id']}:handshake", {})
    if as_json:
        print_json(taken)
        return
    console.print(
        f"The token of {outside(found['name'])}, shown this once: {outside(taken['verification_token'])}"
    )
    console.print("Paste it where that system asks for it. If it refuses it, the token was somebody else's.")


def _set_paused(connector: str, *, paused: bool) -> None:
    api = reach()
    found = named_one(api, "connector", connector)
    api.request("PATCH", f"/v1/connectors/{found['id']}", json={"paused": paused})
    console.print(f"{outside(found['name'])} {'is paused' if paused else 'goes on'}.")


def _run_id(api: Api, connector_id: str, given: str) -> str:
    runs = api.get(f"/v1/connectors/{connector_id}/runs", limit=_RUNS_SHOWN)["items"]
    found = [str(run["id"]) for run in runs if is_end(run["id"], given)]
    if len(found) != 1:
        raise InvalidRequest(f"No run of the last ones is `{neutral(given)}`.")
    return found[0]
