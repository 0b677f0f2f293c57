"""How a sync of a connector is told: a bar on a terminal, lines elsewhere, and its report."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from footnote_cli.api_client import Api, read_events
from footnote_cli.render import console, errors, neutral, outside

_SHORTEST_S = 1.0
"""A rate over less time than this would say nothing."""

_COUNTS = ("seen", "new", "changed", "unchanged", "skipped", "failed", "deleted")


def follow(api: Api, connector_id: str, run_id: str | None = None) -> dict[str, Any] | None:
    """Tell how the runs go on until none is open; return the last report of the run, or of the newest one."""
    found: dict[str, Any] | None = None
    path = f"/v1/connectors/{connector_id}/runs"
    with (
        _shown() as show,
        api.stream("GET", path, headers={"Accept": "text/event-stream"}) as response,
    ):
        for run in read_events(response.iter_lines()):
            if run_id in (None, run["id"]) or found is None:
                found = run
            show(run)
    return found


@contextmanager
def _shown() -> Iterator[Callable[[dict[str, Any]], None]]:
    """What shows each state of a run."""
    if not errors.is_terminal:
        yield lambda run: errors.print(outside(progress(run)))
        return
    columns = BarColumn(bar_width=16), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    with Progress(*columns, console=errors, transient=True) as bars:
        # How many items there will be nobody knows before the last page, so the bar only moves.
        bar = bars.add_task("queued", total=None)

        def show(run: dict[str, Any]) -> None:
            seconds = bars.tasks[0].elapsed or 0.0
            rate = f", {run['seen'] / seconds:.1f} a second" if run["seen"] and seconds >= _SHORTEST_S else ""
            bars.update(bar, description=neutral(f"{progress(run)}{rate}"))

        yield show


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
