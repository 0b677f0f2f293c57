"""Hearing at once that this process is told to stop, while its server still waits for open answers."""

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def told_to_stop(call: Callable[[], object]) -> Iterator[None]:
    """Within the block, SIGTERM and SIGINT run `call()` in the event loop, and then the handler that was
    there before.

    A server that is told to stop first waits for its open answers and only then tells its application. An
    answer that ends when the application stops would hold the server up until its time-out. Outside the main
    thread this does nothing, because no signals arrive there.
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
            # Somebody may have replaced our handler in the meantime; theirs stays.
            if signal.getsignal(number) is handle:
                signal.signal(number, previous)
