"""`footnote eval agent`: whether tools, numbering and limits carry a model through its tasks."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from footnote_cli.commands.eval_ending import AsJson, FloorsFile, end, say
from footnote_cli.evaluation.agent import AgentResult, evaluate_agent
from footnote_cli.evaluation.agent_tasks import read_tasks
from footnote_cli.evaluation.floors import read_floors
from footnote_cli.render import console, print_json, table

_COLUMNS = ("done", "arrived", "right_numbers", "calls", "failed_calls", "model_calls", "dropped")


def agent(
    kind: Annotated[
        list[str] | None, typer.Option(help="A kind of task; repeat it for several. All when left out.")
    ] = None,
    floors: FloorsFile = None,
    as_json: AsJson = False,
) -> None:
    """Measure how an agent does tasks with known answers, with a scripted model that makes no mistake.

    It starts a run of its own in an empty folder, with a small corpus and a model behind it that plans right.
    So what is measured is the rest: tools, numbering, limits. docs/evaluation.md says what the figures mean.

    Example: `footnote eval agent --kind multi_hop`

    Exit status: 0 when all is measured, 1 when a run failed or a figure fell below its floor, 2 on wrong use.
    """
    given = read_tasks()
    known = {task.kind for task in given.tasks}
    unknown = sorted(set(kind or ()) - known)
    if unknown:
        raise typer.BadParameter(f"There are the kinds {', '.join(sorted(known))}.", param_hint="--kind")
    if kind:
        given = given.model_copy(update={"tasks": [task for task in given.tasks if task.kind in kind]})
    wanted = read_floors(floors) if floors is not None else {}
    with tempfile.TemporaryDirectory(prefix="footnote-eval-") as folder:
        result = evaluate_agent(given, Path(folder), say)
    if as_json:
        print_json({"figures": result.figures(), "impossible": result.impossible})
    else:
        _print(result)
    end(result.figures(), wanted)


def _print(result: AgentResult) -> None:
    rows = table("footnote eval agent", "kind", "tasks", *(name.replace("_", " ") for name in _COLUMNS))
    for kind, figures in result.figures().items():
        tasks = str(result.counts[kind]["tasks"]) if kind in result.counts else ""
        rows.add_row(kind, tasks, *(f"{figures[name]:.2f}" if name in figures else "" for name in _COLUMNS))
    console.print(rows)
    if result.impossible:
        console.print(f"This system has no tools for: {', '.join(result.impossible)}.")
