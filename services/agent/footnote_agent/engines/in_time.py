"""Steps of a turn as long as it has time for them. Behind that there is just enough left to say so."""

import asyncio
import math
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import TypeVar

Step = TypeVar("Step")


class TimeIsUp(Exception):
    """No further step fits into the time of the turn."""


async def in_time(
    steps: AsyncGenerator[Step, None], left_s: Callable[[], float]
) -> AsyncGenerator[Step, None]:
    """The steps while there is time. Raises TimeIsUp within the one that takes too long, which is ended.

    `left_s` is asked before each of them; it is infinite while a person is waited for.
    """
    async with aclosing(steps):
        while True:
            left = left_s()
            try:
                async with asyncio.timeout(None if math.isinf(left) else left) as limit:
                    step = await anext(steps)
            except StopAsyncIteration:
                return
            except TimeoutError as error:
                if limit.expired():
                    raise TimeIsUp from error
                raise
            yield step
