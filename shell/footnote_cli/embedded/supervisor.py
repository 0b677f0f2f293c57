"""Starts, watches and stops the processes of an embedded run (spec 1.3)."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from footnote_cli.embedded.data_dir import DataDir
from footnote_cli.embedded.fork_server import end_with_parent
from footnote_cli.embedded.forked_process import ForkedProcess, ForkServer, ForkServerGone, module_of
from footnote_shared.kernel.errors import OurFault
from footnote_shared.settings.base import child_environment
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)

_LOOK_EVERY_S = 0.02
_WATCH_EVERY_S = 0.2
_LOG_LINES = 15

# A process that lives is given time: a busy machine takes minutes for imports that take seconds elsewhere.
_PATIENCE_S = 600.0
_SAY_EVERY_S = 30.0

# A machine that is short of memory kills a process now and then, and a restart cures that. A process that
# dies this often has a cause that no restart cures.
_STARTS = 8
_WINDOW_S = 60.0
_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 2.0


class StopRequested(Exception):
    """The user wants to stop before everything has started."""


@dataclass(slots=True)
class Role:
    """One process to keep running. `ready` is asked until it is true before what needs the role starts.

    `niceness`: how far others come first where processors are short, as for `nice`. It holds on Linux.
    """

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    ready: Callable[[], bool]
    niceness: int = 0
    patience_s: float = _PATIENCE_S
    stop_patience_s: float = 20.0
    starts: list[float] = field(default_factory=list)
    process: subprocess.Popen[bytes] | ForkedProcess | None = None

    @property
    def alive(self) -> bool:
        """Whether it has been started and has not ended."""
        return self.process is not None and self.process.poll() is None


def pause_before_restart(starts: Sequence[float], now: float) -> float | None:
    """Seconds to wait before a role that died starts again, more each time.

    `starts` are the moments of its starts so far. None when it has died too often: eight starts within a
    minute.
    """
    recent = sum(moment > now - _WINDOW_S for moment in starts)
    if recent >= _STARTS:
        return None
    return min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2.0 ** max(0, recent - 1))


class Supervisor:
    """Owns the roles of one run: starts them in order, restarts what dies, stops them in reverse order."""

    def __init__(
        self,
        data: DataDir,
        *,
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
        forks: ForkServer | None = None,
    ) -> None:
        """`say` is told, in a sentence, what a start waits for when that takes long.

        Roles that are modules of ours begin as forks of `forks`, where that is given.
        """
        self._data = data
        self._say = say
        self._clock = clock
        self._forks = forks
        self._roles: list[Role] = []
        self._stop = threading.Event()

    def start(self, role: Role) -> None:
        """Start a role and wait until it is ready. Raises like `await_ready`."""
        self.begin(role)
        self.await_ready(role)

    def begin(self, role: Role) -> None:
        """Start a role. From now on it starts again when it dies."""
        self._roles.append(role)
        self._spawn(role)

    def await_ready(self, role: Role) -> None:
        """Wait until a role that has begun is ready.

        It waits as long as the process lives, up to `patience_s`, and says so every 30 s. Roles that were
        started before and die meanwhile start again. Raises OurFault, with the end of its log, when the
        process ends or is late, and StopRequested when the user is gone.
        """
        begun = self._clock()
        say_at = begun + _SAY_EVERY_S
        while not role.ready():
            if self._stop.is_set():
                raise StopRequested
            if not role.alive:
                raise OurFault(
                    f"{role.name} ended at its start. The end of {self._log_of(role)}:\n{self._tail(role)}"
                )
            moment = self._clock()
            if moment > begun + role.patience_s:
                raise OurFault(
                    f"{role.name} was not ready after {role.patience_s:.0f} s; see {self._log_of(role)}"
                )
            if moment >= say_at:
                self._say(
                    f"Still waiting for {role.name}. Its log is {role.name}.log in the data folder's logs."
                )
                say_at = moment + _SAY_EVERY_S
            self._restart_dead([other for other in self._roles if other is not role])
            time.sleep(_LOOK_EVERY_S)

    def request_stop(self) -> None:
        """End `watch`; safe to call from a signal handler."""
        self._stop.set()

    def watch(self) -> None:
        """Keep every role running until `request_stop`. Raises OurFault when a role cannot be kept alive."""
        while not self._stop.wait(_WATCH_EVERY_S):
            self._restart_dead(self._roles)

    def stop_all(self) -> None:
        """Ask each role to finish, the last one first; one that does not is killed with its session."""
        for role in reversed(self._roles):
            process = role.process
            if process is None:
                continue
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(role.stop_patience_s)
                except subprocess.TimeoutExpired:
                    _log.warning("role.killed", role=role.name)
            _kill_session(process.pid)
            process.wait()

    def _restart_dead(self, roles: Sequence[Role]) -> None:
        for role in roles:
            if not role.alive and not self._stop.is_set():
                self._restart(role)

    def _restart(self, role: Role) -> None:
        """Start a role that died anew, when what is left of its session has gone too."""
        assert role.process is not None, "only what was started can have died"
        status = role.process.returncode
        _kill_session(role.process.pid)
        pause = pause_before_restart(role.starts, self._clock())
        if pause is None:
            raise OurFault(
                f"{role.name} died {_STARTS} times within a minute. The end of {self._log_of(role)}:\n"
                f"{self._tail(role)}"
            )
        _log.warning("role.restarted", role=role.name, status=status)
        self._stop.wait(pause)
        self._spawn(role)

    def _spawn(self, role: Role) -> None:
        role.starts.append(self._clock())
        role.process = self._fork(role) or self._start_anew(role)
        self._data.record_processes([r.process.pid for r in self._roles if r.process is not None])

    def _fork(self, role: Role) -> ForkedProcess | None:
        """A fork for the role; None where it is no module of ours, or the fork server is gone."""
        named = module_of(role.command)
        if self._forks is None or named is None:
            return None
        environment = child_environment(role.environment)
        try:
            return self._forks.start(
                *named, self._log_of(role), environment, niceness=role.niceness, ends_with_us=True
            )
        except ForkServerGone as error:
            _log.warning("fork_server.gone", reason=str(error))
            self._forks = None
            return None

    def _start_anew(self, role: Role) -> subprocess.Popen[bytes]:
        """A process that imports everything by itself."""
        with self._log_of(role).open("ab") as log:
            return subprocess.Popen(
                list(role.command),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=child_environment(role.environment),
                start_new_session=True,
                preexec_fn=partial(begin_child, role.niceness) if sys.platform == "linux" else None,
            )

    def _log_of(self, role: Role) -> Path:
        return self._data.logs / f"{role.name}.log"

    def _tail(self, role: Role) -> str:
        return "\n".join(self._log_of(role).read_text(errors="replace").splitlines()[-_LOG_LINES:])


def begin_child(niceness: int = 0) -> None:
    """In a child before its program begins: it gives way to others, and ends when we do."""
    os.nice(niceness)
    # On Linux the kernel ends the child when the supervisor dies, even by kill -9.
    end_with_parent(signal.SIGTERM)


def _kill_session(leader: int) -> None:
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        return
