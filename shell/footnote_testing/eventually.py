"""Wait for a fact: the one loop by which tests wait for what other threads and processes do.

The limit is far beyond what a busy machine needs, so it ends a test only where the fact never comes.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import httpx

from footnote_shared.kernel.errors import TryLater

T = TypeVar("T")

LIMIT_S = 180.0
_FIRST_PAUSE_S, _PAUSE_S, _LONGEST_PAUSE_S, _GROWTH, _SHARE = 0.01, 0.1, 0.5, 1.2, 0.05
"""A fact that comes soon is seen soon, and a long wait takes little from what it waits for.

A pause grows to a tenth of a second, and from two seconds on it is a twentieth of the wait, to half a second.
Up to half of it is left out by chance: pauses of one length fall in step with what happens ten times a
second, and then every look sees the same moment of it.
"""

_CHANCE = random.SystemRandom()

# What a look may raise while what it looks for is not there yet. Any other error is a mistake and ends it.
NOT_YET = (AssertionError, LookupError, OSError, httpx.HTTPError, TryLater)


class NeverHappened(AssertionError):
    """The limit passed; the message says what the test waited for and what it saw last."""


def eventually(
    look: Callable[[], T], what: str, *, until: Callable[[T], object] = bool, limit_s: float = LIMIT_S
) -> T:
    """Look until `until` holds of what is seen, and return that; by default until it is true.

    Raises `NeverHappened` when `limit_s` seconds have passed.
    """
    wait = _Wait(what, until, limit_s)
    while True:
        wait.begin_look()
        try:
            if wait.satisfied_by(seen := look()):
                return seen
        except NOT_YET as error:
            wait.failed(error)
        time.sleep(wait.next_pause_s())


async def eventually_async(
    look: Callable[[], Awaitable[T]],
    what: str,
    *,
    until: Callable[[T], object] = bool,
    limit_s: float = LIMIT_S,
) -> T:
    """`eventually` for a look that is awaited; other tasks run between the looks."""
    wait = _Wait(what, until, limit_s)
    while True:
        wait.begin_look()
        try:
            if wait.satisfied_by(seen := await look()):
                return seen
        except NOT_YET as error:
            wait.failed(error)
        await asyncio.sleep(wait.next_pause_s())


def patient(pause_s: float, waited_s: float) -> float:
    """The pause before the next look: half of `pause_s` to all of it by chance, or more after a long wait."""
    return max(pause_s, min(_SHARE * waited_s, _LONGEST_PAUSE_S)) * _CHANCE.uniform(0.5, 1.0)


class _Wait(Generic[T]):
    """When to give up, and what to say then."""

    def __init__(self, what: str, until: Callable[[T], object], limit_s: float) -> None:
        self._what = what
        self._until = until
        self._limit_s = limit_s
        self._begun = time.monotonic()
        self._end = self._begun + limit_s
        self._last_look = False
        self._pause_s = _FIRST_PAUSE_S
        self._saw = "nothing"
        self._error: Exception | None = None

    def begin_look(self) -> None:
        """Raises when the look before this one was the last. One look always begins after the limit."""
        if self._last_look:
            raise NeverHappened(
                f"{self._what}: not within {self._limit_s:g} s; last seen: {self._saw}"
            ) from self._error
        self._last_look = time.monotonic() >= self._end

    def satisfied_by(self, seen: T) -> bool:
        self._saw, self._error = repr(seen), None
        return bool(self._until(seen))

    def next_pause_s(self) -> float:
        pause_s, self._pause_s = self._pause_s, min(self._pause_s * _GROWTH, _PAUSE_S)
        return patient(pause_s, time.monotonic() - self._begun)

    def failed(self, error: Exception) -> None:
        self._saw, self._error = f"{type(error).__name__}: {error}", error
