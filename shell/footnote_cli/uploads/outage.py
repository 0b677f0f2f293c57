"""How long the server has been away during uploads that several threads share."""

import threading
import time
from collections.abc import Callable

PATIENCE_S = 300.0
"""A server that restarts is back within a minute; who waits longer than this would wait for nothing."""


class Outage:
    """Begins with the first call that nobody answers, and ends with the first file that is taken or refused.

    `tell` hears True when it begins and False when it ends. `clock` is in seconds.
    """

    def __init__(
        self,
        tell: Callable[[bool], None] = lambda away: None,
        patience_s: float = PATIENCE_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tell = tell
        self._patience_s = patience_s
        self._clock = clock
        self._began: float | None = None
        self._lock = threading.Lock()

    @property
    def lasts(self) -> bool:
        """Whether the server is away, or was and has taken nothing since."""
        with self._lock:
            return self._began is not None

    def unanswered(self) -> bool:
        """Note a call that led to nothing; return whether it is worth while to try again."""
        with self._lock:
            if self._began is None:
                self._began = self._clock()
                self._tell(True)
            return self._clock() - self._began < self._patience_s

    def answered(self) -> None:
        """Note that the server is there and works."""
        with self._lock:
            if self._began is not None:
                self._began = None
                self._tell(False)
