"""Places for turns at work: a process works on a few turns at a time. Those that wait for a model need none.

Turns that all work at once come on equally slowly, and a request that begins one has to wait behind each of
them at every step: at 50 turns its first event took over a second. Where a few work and the others wait for
their place, the same work is done in the same time, and requests find the event loop nearly free.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar

from footnote_shared.telemetry import metrics

_OWED_S = 0.5
"""Longest time for which no work is begun because somebody waits for a first event. Then both go on."""

_HELD_S = 1.0
"""A place is held for at most this many seconds.

So a turn that waits for something else, such as a slow web page or a person, keeps no other turn from its
work. It goes on without a place.
"""


class WorkPlaces:
    """The places of one process. Turns that have begun come before those that have not.

    No place is given while a request waits for its first event, which is a small part of the work of a turn.
    """

    def __init__(self, count: int, held_s: float = _HELD_S, owed_s: float = _OWED_S) -> None:
        self.held_s = held_s
        self.free = count
        self._owed_s = owed_s
        self._owed = 0
        self._owed_too_long: asyncio.TimerHandle | None = None
        self._begun: deque[asyncio.Future[None]] = deque()
        self._fresh: deque[asyncio.Future[None]] = deque()
        self._at_work = metrics.TURNS_AT_WORK.labels("working")
        self._in_line = metrics.TURNS_AT_WORK.labels("waiting")

    @property
    def waiting(self) -> int:
        """How many turns wait for a place."""
        return len(self._begun) + len(self._fresh)

    async def take(self, *, begun: bool) -> None:
        """Wait for a place."""
        if self.free and not self._holds_back:
            self.free -= 1
            self._at_work.inc()
            return
        queue = self._begun if begun else self._fresh
        given: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(given)
        try:
            with self._in_line.track_inprogress():
                await given
        except asyncio.CancelledError:
            if given in queue:
                queue.remove(given)
            elif not given.cancelled():
                self.give()
            raise

    def give(self) -> None:
        """Hand a place to the next turn that still waits."""
        self.free += 1
        self._at_work.dec()
        self._hand_out()

    def owe_first_event(self) -> Callable[[], None]:
        """Somebody waits for the first event of a turn, until what this gives is called; once is enough.

        Where that never happens, the wait is over by itself.
        """
        if not self._owed:
            self._owed_too_long = asyncio.get_running_loop().call_later(self._owed_s, self._go_on)
        self._owed += 1
        given_up: asyncio.TimerHandle | None = None

        def sent() -> None:
            nonlocal given_up
            if given_up is not None:
                given_up.cancel()
                given_up = None
                self._owed -= 1
                if not self._owed:
                    self._go_on()

        given_up = asyncio.get_running_loop().call_later(self._owed_s, sent)
        return sent

    @property
    def _holds_back(self) -> bool:
        return self._owed_too_long is not None

    def _go_on(self) -> None:
        """Give places again: nobody waits for a first event, or somebody has for too long already."""
        if self._owed_too_long is not None:
            self._owed_too_long.cancel()
            self._owed_too_long = None
        self._hand_out()

    def _hand_out(self) -> None:
        for queue in (self._begun, self._fresh):
            while queue and self.free and not self._holds_back:
                given = queue.popleft()
                if not given.cancelled():
                    self.free -= 1
                    self._at_work.inc()
                    given.set_result(None)


class _Place:
    """The place of one turn, which it may have at this moment or not."""

    def __init__(self, places: WorkPlaces) -> None:
        self._places = places
        self._elsewhere = 0
        self._over = False
        self._ends: asyncio.TimerHandle | None = None

    async def take(self, *, begun: bool) -> None:
        await self._places.take(begun=begun)
        if self._over or self._ends is not None:
            # Another task of the turn was quicker, or this one has outlived it.
            self._places.give()
            return
        self._ends = asyncio.get_running_loop().call_later(self._places.held_s, self.leave)

    def leave(self) -> None:
        """Free the place, if the turn has it."""
        if self._ends is not None:
            self._ends.cancel()
            self._ends = None
            self._places.give()

    def end(self) -> None:
        """The turn is over. What is left of it, such as an answer that others listen to, gets no place."""
        self._over = True
        self.leave()

    def goes(self) -> None:
        self._elsewhere += 1
        self.leave()

    async def comes_back(self) -> None:
        self._elsewhere -= 1
        if not self._over and not self._elsewhere and self._ends is None:
            await self.take(begun=True)

    def stops(self) -> None:
        """The wait was cut off from outside: what is left to do is short, and waits for no place."""
        self._elsewhere -= 1


_place: ContextVar[_Place | None] = ContextVar("work_place", default=None)


@asynccontextmanager
async def at_work(places: WorkPlaces) -> AsyncIterator[None]:
    """Wait for a place, and have one during the block, also for the tasks that are begun in it."""
    place = _Place(places)
    await place.take(begun=False)
    token = _place.set(place)
    try:
        yield
    finally:
        _place.reset(token)
        place.end()


@asynccontextmanager
async def elsewhere() -> AsyncIterator[None]:
    """During the block the turn waits for something outside, such as a model, and others may have its place.

    Afterwards it waits for one, unless another task of the turn is elsewhere still. So it does where that
    failed: a model that dies fails for all turns in the same moment, and each goes on with something else.
    """
    place = _place.get()
    if place is None:
        yield
        return
    place.goes()
    try:
        yield
    except Exception:
        await place.comes_back()
        raise
    except BaseException:
        place.stops()
        raise
    await place.comes_back()
