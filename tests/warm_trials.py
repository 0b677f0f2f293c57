"""Runs tests many times over changed files of ours, without loading everybody else's code each time.

The libraries that the tests load are imported once, then each trial is a fork: it loads our own modules as
they stand on the disk at that moment, runs the tests and ends. That takes a fifth of the time of a new
interpreter.
"""

import importlib
import os
import pickle
import signal
import sys
import warnings
from pathlib import Path

import pytest

_OURS = ("tests", "footnote_")
_OUTPUT = "trial.log"


class WarmTrials:
    """Trials of some tests in one tree of files. Raises RuntimeError if they fail as the tree stands."""

    def __init__(self, tree: Path, tests: list[str], limit_s: int) -> None:
        self._tree = tree
        self._arguments = ["-q", "-x", "-p", "no:cacheprovider", *tests]
        self._limit_s = limit_s
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            passed = self._run()
            loaded = [name for name in sys.modules if not name.startswith(_OURS)] if passed else []
            with os.fdopen(write, "wb") as pipe:
                pickle.dump(loaded, pipe)
            os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            loaded = pickle.load(pipe)
        os.waitpid(child, 0)
        if not loaded:
            said = (tree / _OUTPUT).read_text("utf-8", errors="replace")[-2000:]
            raise RuntimeError(f"{' '.join(tests)} fail though nothing was changed:\n{said}")
        _import(loaded)

    def pass_now(self) -> bool:
        """Whether the tests pass with the files as they are now. Too long counts as no."""
        child = os.fork()
        if child == 0:
            sys.dont_write_bytecode = True
            # Its default action ends a process that never comes back to the interpreter, too.
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(self._limit_s)
            os._exit(0 if self._run() else 1)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

    def _run(self) -> bool:
        """In a fork: none of our modules is loaded from elsewhere, and nothing is printed."""
        output = os.open(self._tree / _OUTPUT, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        for name in [name for name in sys.modules if name.startswith(_OURS)]:
            del sys.modules[name]
        os.chdir(self._tree)
        sys.path.insert(0, str(self._tree))
        return pytest.main(self._arguments) == pytest.ExitCode.OK


def _import(names: list[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            try:
                importlib.import_module(name)
            except ImportError:
                # Some libraries enter modules that only they can make.
                continue
