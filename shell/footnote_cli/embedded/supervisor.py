"""Starts, watches and stops the processes of an embedded run (spec 1.3)."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from footnote_cli.embedded.data_dir import DataDir
from footnote_shared.kernel.errors import OurFault
from footnote_shared.settings.base import child_environment
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)
_PR_SET_PDEATHSIG = 1
_RESTARTS_IN_WINDOW = 8
_WINDOW_S = 60.0


@dataclass(slots=True)
class Role:
    """One process to keep running. `ready` is asked until it is true before the next role starts."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    ready: Callable[[], bool]
    patience_s: float = 60.0
    stop_patience_s: float = 20.0
    starts: list[float] = field(default_factory=list)
    process: subprocess.Popen[bytes] | None = None

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None


class Supervisor:
    """Owns the roles for one run: starts them in order, restarts what dies, stops them in reverse order.

    A role that dies eight times within a minute ends the run: something is wrong that a restart does not cure.
    """

    def __init__(self, data: DataDir) -> None:
        self._data = data
        self._roles: list[Role] = []
        self._stop = threading.Event()

    def start(self, role: Role) -> None:
        """Start a role and wait until it is ready; raises OurFault with the end of its log when it is not."""
        self._roles.append(role)
        self._spawn(role)
        deadline = time.monotonic() + role.patience_s
        while not role.ready():
            if self._stop.is_set():
                raise KeyboardInterrupt
            if not role.alive:
                raise OurFault(
                    f"{role.name} ended at its start. The end of {self.log_of(role.name)}:\n{self._tail(role.name)}"
                )
            if time.monotonic() > deadline:
                raise OurFault(
                    f"{role.name} was not ready after {role.patience_s:.0f} s; see {self.log_of(role.name)}"
                )
            time.sleep(0.02)

    def log_of(self, name: str) -> Path:
        return self._data.logs / f"{name}.log"

    def request_stop(self) -> None:
        """End `watch`; safe to call from a signal handler."""
        self._stop.set()

    def watch(self) -> None:
        """Keep every role running until `request_stop`; raises OurFault when a role cannot be kept alive."""
        while not self._stop.wait(0.2):
            for role in self._roles:
                if not role.alive and not self._stop.is_set():
                    self._restart(role)

    def _restart(self, role: Role) -> None:
        status = role.process.returncode if role.process else None
        recent = [moment for moment in role.starts if moment > time.monotonic() - _WINDOW_S]
        if len(recent) >= _RESTARTS_IN_WINDOW:
            raise OurFault(
                f"{role.name} died {len(recent)} times within a minute. The end of its log:\n{self._tail(role.name)}"
            )
        _log.warning("role.restarted", role=role.name, status=status)
        self._stop.wait(min(2.0, 0.1 * 2 ** (len(recent) - 1)))
        self._spawn(role)

    def _spawn(self, role: Role) -> None:
        role.starts.append(time.monotonic())
        with self.log_of(role.name).open("ab") as log:
            role.process = subprocess.Popen(
                list(role.command),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=child_environment(role.environment),
                start_new_session=True,
                preexec_fn=_die_with_parent if sys.platform == "linux" else None,
            )
        self._data.record_processes([r.process.pid for r in self._roles if r.process is not None])

    def stop_all(self) -> None:
        """Ask each to finish, in reverse order of start; what does not is killed with its whole session."""
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

    def _tail(self, name: str) -> str:
        return "\n".join(self.log_of(name).read_text(errors="replace").splitlines()[-15:])


def _die_with_parent() -> None:
    # Linux only: the kernel ends the child when the supervisor dies, also by kill -9.
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _kill_session(leader: int) -> None:
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        return


def free_port() -> int:
    """A loopback port that is free right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def accepts_connections(port: int) -> bool:
    """Whether something listens on a loopback port."""
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex(("127.0.0.1", port)) == 0
