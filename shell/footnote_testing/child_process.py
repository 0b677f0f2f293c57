"""Real processes for tests: started in a group of their own, stopped or killed as a whole."""

import atexit
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from footnote_cli.embedded.forked_process import ForkedProcess, ForkServer, module_of
from footnote_shared.settings.base import child_environment
from footnote_testing.eventually import LIMIT_S, NeverHappened, eventually

IMPORTED_TOO = (
    "footnote_agent.automations.due_plan",
    "footnote_agent.engines.salience",
    "footnote_agent.engines.turn_limits",
    "footnote_bridge.held_filters",
    "footnote_ingest.chunking.split",
    "footnote_ingest.facts.named_entities",
    "footnote_ingest.pipeline.lane_check",
    "footnote_ingest.pipeline.media",
    "footnote_resolver.relay.script",
    "footnote_resolver.verification.judge",
    "footnote_shared.blobs.open",
    "footnote_shared.contracts.connector_kinds",
    "footnote_shared.db.flag_view",
    "footnote_shared.security.api_keys",
    "footnote_shared.security.sealing_work",
    "footnote_shared.web.docs_page",
)
"""Modules that tests import once for all processes that they begin, with what those import themselves.

They take a third of a start, of which a run of all tests has hundreds. They only declare: none reads the
environment at its import, none counts anything, and no service's tables are among them.
"""

_STILL = frozenset({psutil.STATUS_STOPPED, psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD})


class ProcessEnded(Exception):
    """A process ended while a test waited for it. The message holds the end of its log."""


class ChildProcess:
    """One program with everything it starts. Its output goes to a log file that a failing test can read."""

    def __init__(
        self,
        command: Sequence[str],
        log: Path,
        *,
        environment: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> None:
        self.log = log
        log.parent.mkdir(parents=True, exist_ok=True)
        self.process = _begin(command, log, child_environment(environment or {}), cwd)
        atexit.register(self._end_with_the_run)

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def signal_group(self, number: signal.Signals) -> None:
        """Send a signal to the process and all of its descendants that stayed in its group."""
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            return

    def family(self) -> list[psutil.Process]:
        """The process, and everything below it, in whatever group that is."""
        process = psutil.Process(self.process.pid)
        return [process, *process.children(recursive=True)]

    @contextmanager
    def frozen(self, bearable: Callable[[], bool]) -> Iterator[None]:
        """Stop the whole family without ending it, as a machine that hangs. It goes on behind the block.

        It is let go and stopped again until `bearable` says that the moment was one: within a transaction on
        SQLite, a frozen process would keep all others from writing.
        """
        stopped: list[psutil.Process] = []

        def go_on() -> None:
            while stopped:
                with suppress(psutil.NoSuchProcess):
                    stopped.pop().resume()

        def stop() -> bool:
            # A parent that is stopped has no more children while we look for them.
            psutil.Process(self.process.pid).suspend()
            for member in self.family():
                with suppress(psutil.NoSuchProcess):
                    member.suspend()
                    stopped.append(member)
            # The signal reaches a process when it runs next.
            eventually(lambda: all(map(_stands_still, stopped)), "the whole family stands still")
            if bearable():
                return True
            go_on()
            return False

        try:
            eventually(stop, "the process is frozen at a moment that the others can bear")
            yield
        finally:
            go_on()

    def _end_with_the_run(self) -> None:
        """A fixture that fails half-way stops nothing; what it started must not outlive the run."""
        if self.alive:
            self.signal_group(signal.SIGKILL)

    def kill(self) -> None:
        """kill -9 of the whole group, as a machine that loses power would."""
        self.signal_group(signal.SIGKILL)
        self.process.wait(LIMIT_S)

    def stop(self, patience_s: float = 60.0) -> int:
        """Ask to stop (SIGTERM), then insist; returns the exit status."""
        if self.alive:
            self.process.terminate()
        try:
            status = self.process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self.kill()
            status = self.process.wait(LIMIT_S)
        self.signal_group(signal.SIGKILL)
        return status

    def wait_until(self, ready: Callable[[], bool], what: str, limit_s: float = LIMIT_S) -> None:
        """Look until `ready` is true.

        A process that ended, or is late, fails the test with the end of its log.
        """

        def look() -> bool:
            if ready():
                return True
            if not self.alive:
                raise ProcessEnded(f"{what}: status {self.process.returncode}\n{self.tail()}")
            return False

        try:
            eventually(look, what, limit_s=limit_s)
        except NeverHappened as failure:
            failure.add_note(self.tail())
            raise

    def tail(self, lines: int = 40) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])


def run_to_its_end(
    command: Sequence[str], environment: Mapping[str, str], limit_s: float = 240.0
) -> subprocess.CompletedProcess[str]:
    """What a program of ours printed and how it ended, as `subprocess.run` tells it.

    Raises subprocess.TimeoutExpired after `limit_s` seconds, when it has been killed.
    """
    named = module_of(command)
    own = child_environment(environment)
    if named is None or not ForkServer.available():
        return subprocess.run(command, capture_output=True, text=True, env=own, timeout=limit_s, check=False)
    with TemporaryDirectory() as folder:
        output, errors = Path(folder) / "output", Path(folder) / "errors"
        process = fork_server().start(*named, output, own, errors=errors)
        try:
            status = process.wait(limit_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(LIMIT_S)
            raise
        return subprocess.CompletedProcess(command, status, output.read_text(), errors.read_text())


def _begin(
    command: Sequence[str], log: Path, environment: Mapping[str, str], cwd: Path | None
) -> subprocess.Popen[bytes] | ForkedProcess:
    """Begin a program. One of our own begins as a fork that has imported what most need."""
    named = module_of(command)
    if named is not None and ForkServer.available():
        return fork_server().start(*named, log, environment, cwd=cwd)
    with log.open("ab") as out:
        return subprocess.Popen(
            [_beside_python(command[0]), *command[1:]],
            stdout=out,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=environment,
            cwd=cwd,
            start_new_session=True,
        )


def _beside_python(program: str) -> str:
    """The program of this environment, also where the environment is not on the path."""
    beside = Path(sys.executable).parent / program
    return str(beside) if os.sep not in program and beside.exists() else program


@cache
def fork_server() -> ForkServer:
    """The fork server of this test process: it has the libraries, and `IMPORTED_TOO`."""
    server = ForkServer(also=IMPORTED_TOO)
    atexit.register(server.close)
    return server


def _stands_still(process: psutil.Process) -> bool:
    try:
        return process.status() in _STILL
    except psutil.NoSuchProcess:
        return True
