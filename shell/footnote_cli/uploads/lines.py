"""The progress of `footnote ingest` as lines, where standard error is a file or a log and no bar can move."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from footnote_cli.uploads.bars import server_away_line, waiting_line
from footnote_cli.uploads.follow import StagesDone

_FIRST_AFTER_S = 10.0
"""A run that is shorter says nothing before its summary."""

_SHARE_OF_TIME = 0.05
"""Between two lines goes by at least this share of the time so far, so that a log of hours stays short."""

_SLOW = 0.1
"""Files a second below which a minute is told."""


class UploadLines:
    """A line now and then: how many files are there, how fast it goes, how long it may take, what is in work.

    Safe in several threads, since files are uploaded by several.
    """

    def __init__(self, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._say = say
        self._clock = clock
        self._lock = threading.Lock()
        self._begun = clock()
        self._said = self._begun

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is left behind: the summary follows."""

    def uploads(self, total: int) -> Callable[[], None]:
        """Begin to upload; what is returned counts one."""
        phase = _Phase("uploaded", total, self._clock(), before=0)
        done = 0

        def advance() -> None:
            nonlocal done
            with self._lock:
                done += 1
                self._tell(phase, done, "")

        return advance

    def server_away(self, away: bool) -> None:
        """Say that the server has gone away, or that it is back."""
        self._say(server_away_line(away))

    def stages(self, total: int) -> Callable[[StagesDone], None]:
        """Begin to follow; what is returned tells how far the files are."""
        phase = _Phase("indexed", total, self._clock())

        def show(now: StagesDone) -> None:
            with self._lock:
                self._tell(phase, now.done[-1], waiting_line(now))

        return show

    def _tell(self, phase: "_Phase", done: int, waits: str) -> None:
        now = self._clock()
        if phase.before is None:
            phase.before = done
        if now - self._said < max(_FIRST_AFTER_S, _SHARE_OF_TIME * (now - self._begun)):
            return
        self._said = now
        self._say("· " + phase.line(done, now) + (f"; {waits}" if waits else ""))


@dataclass(slots=True)
class _Phase:
    """Files on their way through one part of a run, which began at `begun`.

    `before` is how many were there when it was looked first: they are no work of this run.
    """

    what: str
    total: int
    begun: float
    before: int | None = None

    def line(self, done: int, now: float) -> str:
        """How far it is, with the rate of this run and what follows from it."""
        parts = [f"{self.what} {done:,} of {self.total:,}"]
        own, seconds = done - (self.before or 0), now - self.begun
        if own > 0 and seconds > 0:
            rate = own / seconds
            parts.append(f"{rate:.1f}/s" if rate >= _SLOW else f"{60 * rate:.1f}/min")
            if done < self.total:
                parts.append(f"about {duration((self.total - done) / rate)} left")
        return ", ".join(parts)


def duration(seconds: float) -> str:
    """Seconds as a person says them: "40 s", "12 min", "3 h 5 min"."""
    whole = round(seconds)
    if whole < 100:
        return f"{whole} s"
    minutes = round(whole / 60)
    if minutes < 100:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"
