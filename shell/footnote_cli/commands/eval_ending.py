"""What every `footnote eval` is given, and how it ends: it says which figures fell below their floors."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from footnote_cli.evaluation.floors import Floors, broken
from footnote_cli.render import errors, outside
from footnote_shared.settings.base import datasets_dir

FloorsFile = Annotated[
    Path | None,
    typer.Option(exists=True, dir_okay=False, help="Fail when a figure is below its floor in this file."),
]
OwnSet = Annotated[
    Path | None,
    typer.Option(
        "--set",
        exists=True,
        dir_okay=False,
        help="Your own questions instead of covidqa, as JSON lines (docs/evaluation.md).",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")]


def judged_set(given: str) -> Path:
    """The folder or file of a set: a path, or the name of a folder below `FOOTNOTE_DATASETS`.

    Raises BadParameter where neither is there.
    """
    for place in (Path(given), datasets_dir() / given):
        if place.exists():
            return place
    raise typer.BadParameter(f"There is no {given} here, and none in {datasets_dir()} (FOOTNOTE_DATASETS).")


def say(line: str) -> None:
    """A line for people, beside the figures."""
    errors.print(outside(line))


def end(figures: Mapping[str, Mapping[str, float]], floors: Floors) -> None:
    """Raises typer.Exit with 1 where a figure is below its floor."""
    fallen = broken(figures, floors)
    for line in fallen:
        say(line)
    if fallen:
        raise typer.Exit(1)
