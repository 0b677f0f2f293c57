"""Processes that begin their work at the same moment, for races that threads of one process cannot show."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

LONGEST_S = 180


def race(command: Sequence[str], count: int, cwd: Path | None = None) -> list[list[str]]:
    """Run a command in `count` processes and return the lines that each printed.

    Each prints `ready` when it has started and reads one line; all get it when the last is ready.
    """
    runners = [
        subprocess.Popen(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, cwd=cwd
        )
        for _ in range(count)
    ]
    for runner in runners:
        assert runner.stdout is not None
        assert runner.stdout.readline() == "ready\n"
    for runner in runners:
        assert runner.stdin is not None
        runner.stdin.write("go\n")
    return [runner.communicate(timeout=LONGEST_S)[0].splitlines() for runner in runners]
