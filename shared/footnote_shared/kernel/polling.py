"""Waiting for something that nobody announces: look again after growing pauses, and give up after a while."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

LONGEST_PAUSE_S = 2.0
"""A store that is back is noticed after this many seconds at the latest."""

Found = TypeVar("Found")


class GrowingPause:
    """Seconds before the next try: `first_s` at first, then twice as many each time, up to `longest_s`."""

    def __init__(self, first_s: float, longest_s: float = LONGEST_PAUSE_S) -> None:
        self._first_s = first_s
        self._longest_s = longest_s
        self._next_s = first_s

    def next_s(self) -> float:
        """The pause that is due now; the one after it is longer."""
        pause = self._next_s
        self._next_s = min(self._longest_s, pause * 2)
        return pause

    def reset(self) -> None:
        """A try has succeeded: begin with the first pause again."""
        self._next_s = self._first_s


async def look_until_found(
    look: Callable[[], Awaitable[Found | None]], pause: GrowingPause, *, patience_s: float
) -> Found | None:
    """What `look` finds, as soon as it finds something. None after `patience_s` seconds in vain.

    It looks at least once, and once more when the time is up. An error of `look` ends the wait.
    """
    clock = asyncio.get_running_loop().time
    deadline = clock() + patience_s
    while True:
        left_s = deadline - clock()
        found = await look()
        if found is not None or left_s <= 0:
            return found
        await asyncio.sleep(min(pause.next_s(), left_s))
