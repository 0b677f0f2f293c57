"""The data folder of an embedded run: one run at a time, closed to other users, no crashed run in the way."""

import fcntl
import json
import os
import signal
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO

import psutil

from footnote_cli.embedded.private_files import as_misconfigured, check_owner, close_to_others
from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)

# The time of the boot is computed anew by each reader, from clocks that drift apart a little.
_SAME_BOOT_S = 5.0
# A process is written down just after it has started; its own clock may be that much ahead.
_CLOCK_S = 1.0
_LAST_MOMENTS_S = 10.0


class DataDir:
    """Holds the folder for the life of the `with` block.

    Raises Misconfigured where another run holds it, where another user of the machine owns it or something in
    it, or where it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.logs = self.path / "logs"
        self.run = self.path / "run"
        self._lock: IO[str] | None = None

    def __enter__(self) -> "DataDir":
        with ExitStack() as undo, as_misconfigured(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            check_owner(self.path)
            for folder in (self.logs, self.run):
                folder.mkdir(exist_ok=True)
            lock = undo.enter_context((self.run / "lock").open("a+"))
            self._hold(lock)
            close_to_others(self.path)
            self._end_leftovers()
            undo.pop_all()
            self._lock = lock
        return self

    def _hold(self, lock: IO[str]) -> None:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Misconfigured(
                f"Footnote is running on {self.path} already. Stop it first, or start this one with --data "
                "on another folder."
            ) from error

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._lock is not None:
            self._lock.close()

    @property
    def _record(self) -> Path:
        return self.run / "processes.json"

    def record_processes(self, pids: Sequence[int]) -> None:
        """Write down what runs, so that the next start can end what a crash left.

        Each process leads a session of its own.
        """
        entries = [{"pid": pid, "since": time.time()} for pid in pids]
        fresh = self._record.with_suffix(".new")
        fresh.write_text(json.dumps({"boot": psutil.boot_time(), "processes": entries}))
        fresh.replace(self._record)

    def _end_leftovers(self) -> None:
        """End what a run that was killed left behind: sessions that were written down since this boot."""
        if not self._record.is_file():
            return
        record = json.loads(self._record.read_text())
        if abs(record["boot"] - psutil.boot_time()) <= _SAME_BOOT_S:
            ours = {
                entry["pid"] for entry in record["processes"] if _still_ours(entry["pid"], entry["since"])
            }
            left = [process for process in psutil.process_iter() if _session_of(process) in ours]
            for process in left:
                _log.warning("leftover.killed", pid=process.pid)
                process.send_signal(signal.SIGKILL)
            psutil.wait_procs(left, timeout=_LAST_MOMENTS_S)
        self._record.unlink()


def _still_ours(leader: int, since: float) -> bool:
    """Whether the session of this number is the one that was written down.

    The number stays taken while a process of the session lives. A leader that began after it was written
    down is somebody else, who got the number anew.
    """
    try:
        return bool(psutil.Process(leader).create_time() <= since + _CLOCK_S)
    except psutil.NoSuchProcess:
        return True


def _session_of(process: psutil.Process) -> int | None:
    try:
        return os.getsid(process.pid)
    except (ProcessLookupError, PermissionError):
        return None
