"""The bars of `footnote ingest`: how far the files are, how fast it goes, and what is waited for."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from footnote_cli.render import errors
from footnote_cli.uploads.follow import STAGES, StagesDone

_SHORTEST_S = 0.5
"""A rate over less time than this would say nothing, and could be any number."""


class RateColumn(ProgressColumn):
    """Files a second since the bar began.

    The rate of the last moments would be that of files which are there already, thousands a second.
    """

    def render(self, task: Task) -> Text:
        seconds = task.finished_time or task.elapsed or 0.0
        tells = task.completed > 0 and seconds >= _SHORTEST_S
        return Text(f"{task.completed / seconds:.1f}/s" if tells else "")


class UploadBars(AbstractContextManager["UploadBars"]):
    """A bar for the uploads, and one for each stage of ingest. They go to standard error."""

    def __init__(self, *, quiet: bool) -> None:
        self._progress = Progress(
            TextColumn("{task.description:10}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            RateColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[waits]}"),
            console=errors,
            disable=quiet,
        )
        self._stages: list[TaskID] = []

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def uploads(self, total: int) -> Callable[[], None]:
        """Begin the bar of uploads; what is returned moves it by one."""
        task = self._progress.add_task("uploaded", total=total, waits="")
        return lambda: self._progress.advance(task)

    def server_away(self, away: bool) -> None:
        """Say that the server has gone away, or that it is back."""
        self._progress.console.print(server_away_line(away))

    def stages(self, total: int) -> Callable[[StagesDone], None]:
        """Begin the bars of the stages; what is returned shows how far they are."""
        self._stages = [self._progress.add_task(stage, total=total, waits="") for stage in STAGES]
        return self._show

    def _show(self, now: StagesDone) -> None:
        for task, count in zip(self._stages, now.done, strict=True):
            self._progress.update(task, completed=count)
        self._progress.update(self._stages[-1], waits=waiting_line(now))


def server_away_line(away: bool) -> str:
    """That the server has gone away, or that it is back."""
    if away:
        return "· Footnote does not answer. What is left is sent when it is back; Ctrl-C ends the waiting."
    return "· Footnote answers again."


def waiting_line(now: StagesDone) -> str:
    """What is waited for, in a few words; empty when nothing is."""
    if now.silent:
        return "the server does not answer; asking again"
    return ", ".join(f"{count} {status}" for status, count in sorted(now.waiting.items()))
