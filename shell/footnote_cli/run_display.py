"""How a sync of a connector is told on a terminal: while it runs, and its report."""

from typing import Any

from footnote_cli.api_client import Api, read_events
from footnote_cli.render import console, errors, outside

_COUNTS = ("seen", "new", "changed", "unchanged", "skipped", "failed", "deleted")


def follow(api: Api, connector_id: str, run_id: str | None = None) -> dict[str, Any] | None:
    """Tell how the runs go on until none is open; return the last report of the run, or of the newest one."""
    found: dict[str, Any] | None = None
    path = f"/v1/connectors/{connector_id}/runs"
    with api.stream("GET", path, headers={"Accept": "text/event-stream"}) as response:
        for run in read_events(response.iter_lines()):
            if run_id in (None, run["id"]) or found is None:
                found = run
            errors.print(outside(progress(run)))
    return found


def progress(run: dict[str, Any]) -> str:
    """A run on one line: its state, what is not zero, and why it waits or ended."""
    counts = ", ".join(f"{run[name]} {name}" for name in _COUNTS if run.get(name))
    reason = f": {run['reason']}" if run.get("reason") else ""
    return f"{run['status']}{f', {counts}' if counts else ''}{reason}"


def print_report(run: dict[str, Any]) -> None:
    """The report of a run that has ended, with the items that were left out or failed."""
    console.print(outside(progress(run)))
    for note in run.get("errors") or ():
        console.print(f"  {outside(note['outcome'])}: {outside(note['item'])}: {outside(note['reason'])}")
    if run["status"] == "held":
        console.print(f"Confirm it: footnote connectors run CONNECTOR --confirm {outside(run['id'])}")
