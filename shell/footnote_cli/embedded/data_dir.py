"""The data folder of an embedded run: one owner at a time, and nothing of a crashed run left in the way."""

import fcntl
import json
import os
import signal
import time
from pathlib import Path
from types import TracebackType
from typing import IO

import psutil

from footnote_shared.kernel.errors import Misconfigured
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)


class DataDir:
    """Holds the folder for the life of the `with` block. Raises Misconfigured where another run holds it."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.logs = self.path / "logs"
        self.run = self.path / "run"
        self._lock: IO[str] | None = None

    def __enter__(self) -> "DataDir":
        for folder in (self.path, self.logs, self.run):
            folder.mkdir(parents=True, exist_ok=True)
        lock = (self.run / "lock").open("a+")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.close()
            raise Misconfigured(
                f"Footnote is running on {self.path} already. Stop it first, or start this one with --data on another folder."
            ) from error
        self._lock = lock
        self._reap_leftovers()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._lock is not None:
            self._lock.close()

    @property
    def _record(self) -> Path:
        return self.run / "processes.json"

    def record_processes(self, pids: list[int]) -> None:
        """Write down what runs, so that the next start can end what a crash left. Each pid leads a session of its own."""
        entries = [{"pid": pid, "since": time.time()} for pid in pids]
        fresh = self._record.with_suffix(".new")
        fresh.write_text(json.dumps({"boot": psutil.boot_time(), "processes": entries}))
        fresh.replace(self._record)

    def _reap_leftovers(self) -> None:
        """End what a run that was killed left behind. Only sessions that we recorded since this boot are touched."""
        if not self._record.is_file():
            return
        record = json.loads(self._record.read_text())
        if abs(record["boot"] - psutil.boot_time()) > 5:
            return
        since = {entry["pid"]: entry["since"] for entry in record["processes"]}
        left = [process for process in psutil.process_iter() if _belongs(process, since)]
        for process in left:
            _log.warning("leftover.killed", pid=process.pid)
            process.send_signal(signal.SIGKILL)
        psutil.wait_procs(left, timeout=10)
        self._record.unlink()


def _belongs(process: psutil.Process, since: dict[int, float]) -> bool:
    try:
        session = os.getsid(process.pid)
        # A session keeps the id of its leader; one that began after our record is somebody else's who got the number anew.
        leader_age = process.create_time() if process.pid == session else None
        return session in since and (leader_age is None or leader_age <= since[session] + 1)
    except (ProcessLookupError, psutil.NoSuchProcess, psutil.AccessDenied):
        return False
