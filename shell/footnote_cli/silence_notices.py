"""Saying what is waited for, once nothing has come for a few seconds."""

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, repeat
from types import TracebackType
from typing import Self

PAUSES_S = (7.0, 8.0, 15.0, 30.0)
"""Seconds of silence before each notice; the last pause repeats. A service says after 5 s what it does."""


def _say(notice: str) -> None:
    print(notice, file=sys.stderr, flush=True)


class Waiting:
    """Within the block, silence is told to people: `what` is waited for, for this many seconds.

    `heard` begins the silence anew. A thread of its own speaks, since the block itself waits.
    """

    def __init__(
        self, what: str, *, pauses_s: Sequence[float] = PAUSES_S, say: Callable[[str], None] = _say
    ) -> None:
        self._what = what
        self._pauses_s = pauses_s
        self._say = say
        self._news = threading.Event()
        self._over = False
        self._thread = threading.Thread(target=self._speak, daemon=True, name="waiting")

    def heard(self, what: str | None = None) -> None:
        """Something came. From now on `what` is waited for, or the same as before."""
        self._what = what or self._what
        self._news.set()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over = True
        self._news.set()
        self._thread.join()

    def _speak(self) -> None:
        while not self._over:
            self._news.clear()
            silent_s = 0.0
            for pause_s in chain(self._pauses_s, repeat(self._pauses_s[-1])):
                if self._over or self._news.wait(pause_s):
                    break
                silent_s += pause_s
                self._say(f"· Nothing for {silent_s:.0f} s; waiting for {self._what}.")


class WaitingTogether:
    """One `Waiting` for calls that run at the same time: the end of any of them ends the silence of all.

    `make` gives the one that is entered with the first call and left with the last. Safe in several threads.
    """

    def __init__(self, make: Callable[[], Waiting]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._calls = 0
        self._waiting = make()

    @contextmanager
    def call(self) -> Iterator[None]:
        """Within the block, one of the calls is waited for."""
        with self._lock:
            self._calls += 1
            if self._calls == 1:
                self._waiting = self._make()
                self._waiting.__enter__()
        try:
            yield
        finally:
            with self._lock:
                self._calls -= 1
                if self._calls == 0:
                    self._waiting.__exit__(None, None, None)
                else:
                    self._waiting.heard()
