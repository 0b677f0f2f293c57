"""Places at the database: whoever has one gets a connection, and whoever waits for one holds no thread.

A request holds its connection until its answer is made, and FastAPI makes the answer in a thread. If those
that wait for a connection waited in threads, they would take the threads that its holders need, and nobody
would come on until a wait times out. So a place is waited for on the event loop, and work at the database
runs in a thread that comes with the place.
"""

from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, asynccontextmanager
from typing import TypeVar

from anyio import CancelScope, CapacityLimiter, to_thread

Session = TypeVar("Session")


@asynccontextmanager
async def in_place(places: CapacityLimiter, unit: AbstractContextManager[Session]) -> AsyncIterator[Session]:
    """Enter `unit` as soon as there is a place, and keep the place until the unit is left.

    The unit is entered and left in a thread that counts nowhere else: to commit never waits for others. It is
    left even if the block is cancelled.
    """
    holder = object()
    await places.acquire_on_behalf_of(holder)
    try:
        own = CapacityLimiter(1)
        session = await to_thread.run_sync(unit.__enter__, limiter=own)
        try:
            yield session
        except BaseException as error:
            with CancelScope(shield=True):
                await to_thread.run_sync(unit.__exit__, type(error), error, error.__traceback__, limiter=own)
            raise
        else:
            with CancelScope(shield=True):
                await to_thread.run_sync(unit.__exit__, None, None, None, limiter=own)
    finally:
        places.release_on_behalf_of(holder)
