"""`footnote automations`: questions that are asked by a schedule, and what became of their runs."""

import time
from typing import Annotated, Any

import typer

from footnote_cli.api_client import Api, items_of
from footnote_cli.api_client import connect as reach
from footnote_cli.commands.named_one import ask_to_delete, named_one
from footnote_cli.document_ids import full_id, short_id
from footnote_cli.render import console, grid, neutral, outside, print_json, table
from footnote_cli.typer_app import typer_app
from footnote_shared.kernel.errors import InvalidRequest

app = typer_app(invoke_without_command=True)
_Json = Annotated[bool, typer.Option("--json", help="Print the API's own answer.")]
_Automation = Annotated[str, typer.Argument(help="Its name, or its id or the first or last digits of it.")]
_Schedule = Annotated[
    str | None, typer.Option(help="Five fields of cron: minute, hour, day, month, day of the week.")
]
_Zone = Annotated[str | None, typer.Option(help="Time zone of the schedule, such as Europe/Berlin.")]
_Missed = Annotated[str | None, typer.Option(help="What was missed: run_once for all of it, or skip.")]
_PAGE = 200
_RUNS_SHOWN = 10
_LOOK_EVERY_S = 1.0
_OPEN = ("queued", "running")


@app.callback()
def list_automations(context: typer.Context, as_json: _Json = False) -> None:
    """List automations; or make, show, change, run, pause, resume or delete one.

    Example: `footnote automations make News "What changed in our contracts?" --schedule "0 9 * * mon-fri"`

    Exit status: 0 also when there are none, 1 when a run has failed or you say no, 2 on wrong use, 3 when no
    server answers.
    """
    if context.invoked_subcommand is not None:
        return
    found = list(items_of(reach(), "/v1/automations"))
    if as_json:
        print_json({"items": found})
        return
    if not found:
        console.print("There are no automations yet. `footnote automations make` makes one.")
        return
    rows = table("", "id", "schedule", "next run", "last run", "name")
    for one in found:
        last = one.get("last_run")
        said = "none yet" if last is None else _told(last)
        coming = "paused" if one["paused"] else one.get("next_due_at") or "none"
        facts = (short_id(one["id"]), f"{one['schedule']} ({one['time_zone']})", coming, said, one["name"])
        rows.add_row(*map(outside, facts))
    console.print(rows)


@app.command("make")
def make(
    name: Annotated[str, typer.Argument(help="What it is called.")],
    question: Annotated[str, typer.Argument(help="What it asks.")],
    schedule: Annotated[
        str, typer.Option(help="Five fields of cron: minute, hour, day, month, day of the week.")
    ],
    zone: _Zone = None,
    missed: _Missed = None,
    thread: Annotated[str | None, typer.Option(help="Answer in this thread; else in one of its own.")] = None,
    doc: Annotated[
        str | None, typer.Option("--doc", help="Only from this document (its id, or an end of it).")
    ] = None,
    as_json: _Json = False,
) -> None:
    """Make an automation. It runs in your name, in UTC unless a time zone is given."""
    api = reach()
    body: dict[str, Any] = {"name": name, "text": question, "schedule": schedule}
    given = {"time_zone": zone, "missed": missed, "thread_id": thread}
    body |= {key: value for key, value in given.items() if value is not None}
    if doc is not None:
        body["mentions"] = [{"type": "document", "id": full_id(api, doc)}]
    made = api.post("/v1/automations", body)
    if as_json:
        print_json(made)
        return
    console.print(
        f"Made {outside(made['name'])}. Its first run: {outside(made.get('next_due_at') or 'none')}"
    )


@app.command("show")
def show(automation: _Automation, as_json: _Json = False) -> None:
    """Show one automation and its last runs."""
    api = reach()
    found = named_one(api, "automation", automation)
    runs = api.get(f"/v1/automations/{found['id']}/runs", limit=_RUNS_SHOWN)["items"]
    if as_json:
        print_json({**found, "runs": runs})
        return
    facts = grid()
    for key, value in found.items():
        if key != "last_run" and value not in (None, {}, []):
            facts.add_row(outside(key), outside(str(value)))
    console.print(facts)
    rows = table("Last runs", "due", "begun by", "what became of it", "turn")
    for run in runs:
        rows.add_row(*map(outside, (run["due_at"], run["trigger"], _told(run), run.get("turn_id") or "")))
    console.print(rows)


@app.command("change")
def change(
    automation: _Automation,
    name: Annotated[str | None, typer.Option(help="What it is called from now on.")] = None,
    question: Annotated[str | None, typer.Option(help="What it asks from now on.")] = None,
    schedule: _Schedule = None,
    zone: _Zone = None,
    missed: _Missed = None,
    as_json: _Json = False,
) -> None:
    """Change an automation. If somebody else has changed it meanwhile, nothing is done."""
    api = reach()
    found = named_one(api, "automation", automation)
    given = {"name": name, "text": question, "schedule": schedule, "time_zone": zone, "missed": missed}
    body = {key: value for key, value in given.items() if value is not None}
    if not body:
        raise InvalidRequest("Say what is to change: --name, --question, --schedule, --zone or --missed.")
    changed = _patch(api, found, {**body, "if_version": found["version"]})
    if as_json:
        print_json(changed)
        return
    console.print(f"{outside(changed['name'])} is at version {changed['version']}.")


@app.command("run")
def run(automation: _Automation, as_json: _Json = False) -> None:
    """Run it now, paused or not, and wait for the end of the run."""
    api = reach()
    found = named_one(api, "automation", automation)
    begun = api.request("POST", f"/v1/automations/{found['id']}:run").json()
    ended = _wait(api, found["id"], begun)
    if as_json:
        print_json(ended)
    else:
        console.print(outside(_told(ended)))
        if ended.get("thread_id"):
            console.print(f"The answer: `footnote chat --thread {outside(ended['thread_id'])}`")
    raise typer.Exit(0 if ended["status"] == "completed" else 1)


@app.command("pause")
def pause(automation: _Automation) -> None:
    """Let it run no more by itself until `resume`."""
    _set_paused(automation, paused=True)


@app.command("resume")
def resume(automation: _Automation) -> None:
    """Let a paused automation go on. What passed meanwhile was not missed."""
    _set_paused(automation, paused=False)


@app.command("delete")
def delete(
    automation: _Automation,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete an automation with the list of its runs. Its answers stay in their thread."""
    api = reach()
    found = named_one(api, "automation", automation)
    ask_to_delete(f"Delete {neutral(found['name'])}?", "it", yes=yes)
    api.request("DELETE", f"/v1/automations/{found['id']}")
    console.print(f"Deleted {outside(found['name'])}.")


def _set_paused(automation: str, *, paused: bool) -> None:
    api = reach()
    found = named_one(api, "automation", automation)
    _patch(api, found, {"paused": paused})
    console.print(f"{outside(found['name'])} {'is paused' if paused else 'goes on'}.")


def _patch(api: Api, found: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    changed: dict[str, Any] = api.request("PATCH", f"/v1/automations/{found['id']}", json=body).json()
    return changed


def _wait(api: Api, automation_id: str, begun: dict[str, Any]) -> dict[str, Any]:
    """The run when it has ended."""
    run: dict[str, Any] = begun
    while run["status"] in _OPEN:
        time.sleep(_LOOK_EVERY_S)
        runs = api.get(f"/v1/automations/{automation_id}/runs", limit=_PAGE)["items"]
        run = next((one for one in runs if one["id"] == begun["id"]), {**run, "status": "gone"})
    return run


def _told(run: dict[str, Any]) -> str:
    """A run in a few words: how it stands, for what was missed, and why it failed."""
    missed = f", for all since {run['missed_since']}" if run.get("missed_since") else ""
    reason = f": {run['reason']}" if run.get("reason") else ""
    return f"{run['status']}{missed}{reason}"
