"""What a process is doing, told on SIGUSR1: for whoever looks at one that does not come on.

No program has to be installed beside it, and nothing is told but names of tasks, files and lines.
"""

import asyncio
import faulthandler
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from footnote_shared.telemetry.logs import logger

_log = logger(__name__)
_MOST_TASKS = 500
_MOST_PLACES = 40


def tell_on_signal(loop: asyncio.AbstractEventLoop) -> None:
    """From now on SIGUSR1 writes where every thread stands to stderr, and every task of this loop to the log.

    The threads are told by a handler that also runs while the loop stands still.
    """
    loop.add_signal_handler(signal.SIGUSR1, _tell_tasks, loop)
    tell_threads_on_signal(chain=True)


def tell_threads_on_signal(*, chain: bool = False) -> None:
    """From now on SIGUSR1 writes where every thread stands to stderr. `chain`: as it was handled before, too.

    A process that was forked believes that it has the handler of its parent, and may have another one.
    """
    faulthandler.unregister(signal.SIGUSR1)
    faulthandler.register(signal.SIGUSR1, file=sys.__stderr__ or sys.stderr, all_threads=True, chain=chain)


def places(task: asyncio.Task[Any]) -> list[str]:
    """Where a task stands: the line of each coroutine that waits for the next one, the innermost last."""
    return list(_places(task.get_coro()))


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
