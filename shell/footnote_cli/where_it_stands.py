"""What a process is doing, told on SIGUSR1: for whoever looks at one that does not come on.

No program has to be installed beside it, and nothing is told but names of tasks, files and lines.
"""

import asyncio
import faulthandler
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from footnote_shared.telemetry.logs import logger

_log = logger(__name__)
_MOST_TASKS = 500
_MOST_PLACES = 40
_APART_S = 1.0
"""Least seconds between two answers about all threads or tasks. To tell of many takes hundredths of a second,
and whoever asks a thousand times in one must not keep a process from its work."""


def tell_on_signal(loop: asyncio.AbstractEventLoop) -> None:
    """From now on SIGUSR1 writes where every thread stands to stderr, and every task of this loop to the log.

    A handler of the loop's own would go with the loop, and the next signal would end a process that is about
    to end in order.
    """
    threads, tasks = _Threads(), _Tasks(loop)

    def tell() -> None:
        threads.tell()
        tasks.ask()

    _answer_with(tell)


def tell_threads_on_signal() -> None:
    """From now on SIGUSR1 writes where every thread stands to stderr. To be called in the main thread.

    A process that was forked believes that it has the handler of its parent, and may have another one.
    """
    _answer_with(_Threads().tell)


def tell_no_more() -> None:
    """From now on SIGUSR1 changes nothing: nobody can be told of while the interpreter takes itself down."""
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)


def _answer_with(tell: Callable[[], object]) -> None:
    """Have `tell` called at each signal, as soon as the main thread runs Python.

    A handler in C would also run within a call that does not come back. But it tells of threads without the
    interpreter's lock: one that begins or ends meanwhile makes it crash, and the process with it.
    """
    busy = False

    def asked(*_: object) -> None:
        nonlocal busy
        if not busy:
            busy = True
            try:
                tell()
            finally:
                busy = False

    signal.signal(signal.SIGUSR1, asked)


def tell_threads() -> None:
    """Write where every thread stands to stderr."""
    if sys.__stderr__ is not None:
        faulthandler.dump_traceback(sys.__stderr__, all_threads=True)


class _Threads:
    """Tells of all threads. One who asks within a second of the last answer gets none."""

    def __init__(self) -> None:
        self._due = time.monotonic()

    def tell(self) -> None:
        """To be called with the interpreter's lock: then no thread begins or ends meanwhile."""
        if time.monotonic() >= self._due:
            self._due = time.monotonic() + _APART_S
            tell_threads()


def places(task: asyncio.Task[Any]) -> list[str]:
    """Where a task stands: the line of each coroutine that waits for the next one, the innermost last."""
    return list(_places(task.get_coro()))


class _Tasks:
    """Tells of the tasks of a loop, once for all who ask meanwhile."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._asked = False
        self._due = loop.time()

    def ask(self) -> None:
        """To be called in the loop's own thread, at any moment. A loop that is closed tells nothing."""
        if not self._asked and not self._loop.is_closed():
            self._asked = True
            self._loop.call_soon_threadsafe(self._loop.call_at, self._due, self._tell)

    def _tell(self) -> None:
        _tell_tasks(self._loop)
        self._due = self._loop.time() + _APART_S
        self._asked = False


def _tell_tasks(loop: asyncio.AbstractEventLoop) -> None:
    tasks = asyncio.all_tasks(loop)
    _log.warning("process.asked_where_it_stands", tasks=len(tasks))
    for task in sorted(tasks, key=lambda one: one.get_name())[:_MOST_TASKS]:
        _log.warning("process.task_stands", task=task.get_name(), at=places(task))


def _places(awaited: Any) -> Iterator[str]:
    """Follow what waits for what. What is not written in Python ends the line."""
    for _ in range(_MOST_PLACES):
        frame, code, inner = _parts(awaited)
        if code is None:
            return
        yield _place(frame, code)
        awaited = inner


def _parts(awaited: Any) -> tuple[FrameType | None, CodeType | None, Any]:
    """The frame and the code of a coroutine or generator, and what it waits for."""
    for kind, inner in (("cr", "cr_await"), ("gi", "gi_yieldfrom"), ("ag", "ag_await")):
        if hasattr(awaited, f"{kind}_code"):
            return (
                getattr(awaited, f"{kind}_frame"),
                getattr(awaited, f"{kind}_code"),
                getattr(awaited, inner),
            )
    return None, None, None


def _place(frame: FrameType | None, code: CodeType) -> str:
    line = frame.f_lineno if frame is not None else code.co_firstlineno
    path = Path(code.co_filename)
    return f"{path.parent.name}/{path.name}:{line} {code.co_qualname}"
