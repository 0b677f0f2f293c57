"""Runs a module of ours to its end in a process of its own, so that its memory is given back."""

import os
import subprocess
import sys

from footnote_shared.settings.base import child_environment


class ChildFailed(Exception):
    """The process ended with an error; `reason` is the last line that it printed, or empty."""

    def __init__(self, reason: str, status: int) -> None:
        super().__init__(reason or f"ended with {status}")
        self.reason = reason
        self.status = status


def run_module(module: str, *arguments: str) -> str:
    """What the module prints. Raises ChildFailed if it fails."""
    environment = child_environment({"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)})
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise ChildFailed(said[-1] if said else "", done.returncode)
    return done.stdout
