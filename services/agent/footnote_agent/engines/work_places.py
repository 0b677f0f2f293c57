"""Places for turns at work: a process works on a few turns at a time. Those that wait for a model need none.

Turns that all work at once come on equally slowly, and a request that begins one has to wait behind each of
them at every step: at 50 turns its first event took over a second. Where a few work and the others wait for
their place, the same work is done in the same time, and requests find the event loop nearly free.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from footnote_shared.telemetry import metrics

_OWED_S = 0.5
"""Longest time for which no work is begun because somebody waits for a first event. Then both go on."""

_HELD_S = 1.0
"""A place is held for at most this many seconds.

So a turn that waits for something else, such as a slow web page or a person, keeps no other turn from its
work. It goes on without a place.
"""

FirstSent = Callable[[], None]
"""Says that the first event of a turn is on its way. To say it once is enough."""

_own: ContextVar[FirstSent | None] = ContextVar("own_first_event", default=None)


@contextmanager
def begun_with(own: FirstSent) -> Iterator[None]:
    """A turn that is begun in the block is the one whose first event is owed: that holds no work of it back.

    Until it is on its way, there is more to wait for than to do.
    """
    token = _own.set(own)
    try:
        yield
    finally:
        _own.reset(token)


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    """A turn that waits for a place, and its own first event where that was owed when it began."""

    given: asyncio.Future[None]
    own: FirstSent | None


class WorkPlaces:
    """The places of one process. Turns that have begun come before those that have not.

    No place is given while a request waits for the first event of another turn, which is a small part of the
    work of a turn.
    """

    def __init__(self, count: int, held_s: float = _HELD_S, owed_s: float = _OWED_S) -> None:
        self.held_s = held_s
        self.free = count
        self._owed_s = owed_s
        self._owed: set[FirstSent] = set()
        self._owed_too_long: asyncio.TimerHandle | None = None
        self._begun: deque[_Waiting] = deque()
        self._fresh: deque[_Waiting] = deque()
        self._at_work = metrics.TURNS_AT_WORK.labels("working")
        self._in_line = metrics.TURNS_AT_WORK.labels("waiting")

    @property
    def waiting(self) -> int:
        """How many turns wait for a place."""
        return len(self._begun) + len(self._fresh)

    async def take(self, *, begun: bool) -> None:
        """Wait for a place."""
        own = _own.get()
        if self.free and not self._holds_back(own):
            self.free -= 1
            self._at_work.inc()
            return
        queue = self._begun if begun else self._fresh
        waiting = _Waiting(asyncio.get_running_loop().create_future(), own)
        queue.append(waiting)
        try:
            with self._in_line.track_inprogress():
                await waiting.given
        except asyncio.CancelledError:
            if waiting in queue:
                queue.remove(waiting)
            elif not waiting.given.cancelled():
                self.give()
            raise

    def give(self) -> None:
        """Hand a place to the next turn that still waits."""
        self.free += 1
        self._at_work.dec()
        self._hand_out()

    def owe_first_event(self) -> FirstSent:
        """Somebody waits for the first event of a turn, until what this gives is called; once is enough.

        Where that never happens, the wait is over by itself.
        """
        if not self._owed:
            self._owed_too_long = asyncio.get_running_loop().call_later(self._owed_s, self._go_on)
        given_up: asyncio.TimerHandle

        def sent() -> None:
            if sent in self._owed:
                given_up.cancel()
                self._owed.remove(sent)
                if self._owed:
                    self._hand_out()
                else:
                    self._go_on()

        self._owed.add(sent)
        given_up = asyncio.get_running_loop().call_later(self._owed_s, sent)
        return sent

    def _holds_back(self, own: FirstSent | None) -> bool:
        """Whether a turn has to wait for the first event of another. Its own is no reason to wait."""
        return self._owed_too_long is not None and self._owed != {own}

    def _go_on(self) -> None:
        """Give places again: nobody waits for a first event, or somebody has for too long already."""
        if self._owed_too_long is not None:
            self._owed_too_long.cancel()
            self._owed_too_long = None
        self._hand_out()

    def _hand_out(self) -> None:
        if self._owed_too_long is not None and len(self._owed) > 1:
            return
        for queue in (self._begun, self._fresh):
            while self.free and (waiting := self._next_of(queue)) is not None:
                queue.remove(waiting)
                if not waiting.given.cancelled():
                    self.free -= 1
                    self._at_work.inc()
                    waiting.given.set_result(None)

    def _next_of(self, queue: Iterable[_Waiting]) -> _Waiting | None:
        return next((one for one in queue if not self._holds_back(one.own)), None)


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
