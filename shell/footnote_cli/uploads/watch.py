"""`footnote ingest --watch`: run again whenever something in the folders has changed."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from watchfiles import watch

from footnote_cli.render import errors, outside
from footnote_shared.kernel.errors import TryLater

_DEBOUNCE_MS = 1600
"""Changes that follow each other within this time are one: an editor saves in several steps."""

_LOOK_UP_MS = 5000
"""How often a run that the server could not serve is tried again."""


def changes_in(paths: Sequence[Path]) -> Iterator[bool]:
    """True after something has changed, False after a quiet while."""
    for changes in watch(
        *paths, debounce=_DEBOUNCE_MS, rust_timeout=_LOOK_UP_MS, yield_on_timeout=True, recursive=True
    ):
        yield bool(changes)


def keep_in_step(changes: Iterable[bool], run: Callable[[], None]) -> None:
    """Run after each change. A run that the server cannot serve is made up for after a quiet while."""
    owed = False
    for changed in changes:
        if not (changed or owed):
            continue
        try:
            run()
            owed = False
        except TryLater as error:
            owed = True
            errors.print(f"{outside(error.detail)} The folder is looked at again once it answers.")
