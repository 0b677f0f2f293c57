"""Processes that the fork server begins for us, used as those of `subprocess.Popen` are.

Linux alone has what this takes: a process that adopts, and one that ends with its parent.
"""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from footnote_cli.embedded.fork_server import MAX_REQUEST, PADDING, ForkRequest
from footnote_shared.settings.base import child_environment

_PR_SET_CHILD_SUBREAPER = 36
_LOOK_S = 0.005
_LONGEST_LOOK_S = 0.05
_SERVER = "footnote_cli.embedded.fork_server"
_FEW_ARENAS = {"MALLOC_ARENA_MAX": "2"}
"""The C library reads it once, so it holds for all forks. Else each thread keeps what it frees for itself."""
_OUR_ERRORS = 2


class ForkServerGone(Exception):
    """The fork server has ended or does not answer."""


class ForkedProcess:
    """A child of ours that the fork server began. It has the part of Popen's interface that we use."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._waiting = threading.Lock()

    def poll(self) -> int | None:
        """The exit status, negative for a signal, or None while it runs."""
        with self._waiting:
            if self.returncode is None:
                try:
                    pid, status = os.waitpid(self.pid, os.WNOHANG)
                except ChildProcessError:
                    # Somebody else in this process has waited for it. Popen says 0 then, too.
                    pid, status = self.pid, 0
                if pid:
                    self.returncode = os.waitstatus_to_exitcode(status)
            return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Raises subprocess.TimeoutExpired after `timeout` seconds."""
        late = None if timeout is None else time.monotonic() + timeout
        pause = _LOOK_S
        while (status := self.poll()) is None:
            if timeout is not None and late is not None and time.monotonic() > late:
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            time.sleep(pause)
            pause = min(_LONGEST_LOOK_S, 2 * pause)
        return status

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)


class ForkServer:
    """A fork server of our own. It begins to import when it is made, and ends with us or by `close`.

    It imports the libraries, and the modules of `also`.
    """

    def __init__(self, environment: Mapping[str, str] | None = None, also: Sequence[str] = ()) -> None:
        ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        for end in (ours, its):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MAX_REQUEST)
        self._connection = ours
        self._asking = threading.Lock()
        with its:
            self._process = subprocess.Popen(
                [sys.executable, "-m", _SERVER, str(its.fileno()), PADDING, *also],
                stdin=subprocess.DEVNULL,
                env=child_environment({**_FEW_ARENAS, **(environment or {})}),
                pass_fds=[its.fileno()],
                start_new_session=True,
            )

    @staticmethod
    def available() -> bool:
        return sys.platform == "linux"

    def start(
        self,
        module: str,
        arguments: Sequence[str],
        log: Path,
        environment: Mapping[str, str],
        *,
        errors: Path | None = None,
        cwd: Path | None = None,
        niceness: int = 0,
        ends_with_us: bool = False,
    ) -> ForkedProcess:
        """Begin `python -m module arguments` with this environment; its output is added to the log.

        What it says of errors goes to the log too, or to a file of its own. It waits while the server still
        imports. Raises ForkServerGone.
        """
        folder = str(cwd or Path.cwd())
        request = ForkRequest(module, list(arguments), dict(environment), folder, niceness, ends_with_us)
        with log.open("ab") as output, (errors or log).open("ab") as complaints:
            return self._forked(request, output.fileno(), complaints.fileno())

    def start_heard(
        self, module: str, arguments: Sequence[str], environment: Mapping[str, str]
    ) -> tuple[ForkedProcess, IO[str]]:
        """Like `start`, for a process that ends with us: what it prints is read from the file.

        What it says of errors goes where ours goes.
        """
        request = ForkRequest(module, list(arguments), dict(environment), str(Path.cwd()), 0, True)
        reading, writing = os.pipe()
        with ExitStack() as undo, os.fdopen(writing, "w") as its:
            printed = undo.enter_context(os.fdopen(reading))
            process = self._forked(request, its.fileno(), _OUR_ERRORS)
            undo.pop_all()
        return process, printed

    def _forked(self, request: ForkRequest, output: int, errors: int) -> ForkedProcess:
        with self._asking:
            _adopt(True)
            try:
                socket.send_fds(self._connection, [request.encoded()], [output, errors])
                answer = self._connection.recv(64)
            except OSError as error:
                raise ForkServerGone(str(error)) from error
            finally:
                _adopt(False)
        if not answer:
            raise ForkServerGone("it has closed its end")
        return ForkedProcess(int(answer))

    def close(self) -> None:
        """End the server. What it began goes on."""
        self._connection.close()
        self._process.wait()


def module_of(command: Sequence[str]) -> tuple[str, Sequence[str]] | None:
    """Module and arguments of a command `python -m module ...` of this interpreter; else None."""
    if list(command[:2]) == [sys.executable, "-m"]:
        return command[2], command[3:]
    return None


def _adopt(wanted: bool) -> None:
    """Whether children of our descendants become ours when their parent ends, else they become init's."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(wanted), 0, 0, 0)
