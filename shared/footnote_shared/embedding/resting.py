"""A runtime that rests: a model that nobody uses for a while gives its memory back, and is opened again."""

import threading
import time
from collections.abc import Callable

from footnote_shared.embedding.embedder import Forward, Padded
from footnote_shared.embedding.protocol import Vectors
from footnote_shared.kernel.idle_memory import give_back_memory

OpenModel = Callable[[], Forward]


class RestingForward:
    """A `Forward` whose model is closed when it has had no batch for `rest_after_s` seconds.

    The next batch opens it again and waits for that. Batches may come from several threads.
    """

    def __init__(self, opened: Forward, open_again: OpenModel, rest_after_s: float) -> None:
        self._open_again = open_again
        self._rest_after_s = rest_after_s
        self._changed = threading.Condition()
        self._forward: Forward | None = None
        self._running = 0
        self._last = 0.0
        with self._changed:
            self._work_with(opened)

    @property
    def rests(self) -> bool:
        """Whether the model is closed."""
        return self._forward is None

    def __call__(self, batch: Padded) -> Vectors:
        """Raises what opening the model raises, and OurFault if the model cannot be run."""
        forward = self._begin()
        try:
            return forward(batch)
        finally:
            with self._changed:
                self._running -= 1
                self._last = time.monotonic()

    def _begin(self) -> Forward:
        with self._changed:
            forward = self._forward
            if forward is None:
                forward = self._open_again()
                self._work_with(forward)
            self._running += 1
            return forward

    def _work_with(self, opened: Forward) -> None:
        self._forward = opened
        self._last = time.monotonic()
        threading.Thread(target=self._close_when_idle, name="rest", daemon=True).start()

    def _close_when_idle(self) -> None:
        with self._changed:
            while True:
                idle_s = 0.0 if self._running else time.monotonic() - self._last
                if idle_s >= self._rest_after_s:
                    break
                self._changed.wait(self._rest_after_s - idle_s)
            self._forward = None
        give_back_memory()
