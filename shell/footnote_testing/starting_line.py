"""Processes that begin their work at the same moment, for races that threads of one process cannot show."""

import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from footnote_testing.child_process import ChildProcess

LONGEST_S = 180
_READY = "ready\n"
_LOOK_S = 0.001


def race(module: str, arguments: Sequence[str], count: int, folder: Path, cwd: Path) -> list[list[str]]:
    """Run a module in `count` processes and return the lines that each printed after it had started.

    Each calls `wait_for_start` with its first argument when it is ready; all go on when the last is. Their
    output is kept in `folder`.
    """
    go = folder / "go"
    command = [sys.executable, "-m", module, str(go), *arguments]
    runners = [ChildProcess(command, folder / f"runner{n}.log", cwd=cwd) for n in range(count)]
    for runner in runners:
        runner.wait_until(partial(_is_ready, runner), "it is ready")
    go.touch()
    for runner in runners:
        assert runner.process.wait(LONGEST_S) == 0, runner.tail()
    return [runner.log.read_text().partition(_READY)[2].splitlines() for runner in runners]


def _is_ready(runner: ChildProcess) -> bool:
    return _READY in runner.log.read_text()


def wait_for_start(go: str) -> None:
    """In a runner: say that it is ready, and wait for the others. `go` is its first argument."""
    print(_READY, end="", flush=True)
    while not Path(go).exists():
        time.sleep(_LOOK_S)
