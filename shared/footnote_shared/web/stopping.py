"""Knowing at once that this process is told to stop, while its server still waits for open answers to end."""

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def told_to_stop(call: Callable[[], object]) -> Iterator[None]:
    """Within the block, `call()` is run in the event loop when SIGTERM or SIGINT comes; then whoever handled it before goes on.

    A server that is told to stop waits for its answers, and only then tells its application: an answer that ends when the
    application stops would hold it up to its time-out. Does nothing outside the main thread, where no signals arrive.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in _SIGNALS}

    def handle(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(call)
        previous = before[signal.Signals(number)]
        if callable(previous):
            previous(number, frame)

    for number in _SIGNALS:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, previous in before.items():
            # Somebody may have replaced our handler since; theirs stays.
            if signal.getsignal(number) is handle:
                signal.signal(number, previous)
