"""A development vector server of a test's own."""

import re
import sys
from pathlib import Path

from footnote_testing.child_process import ChildProcess

_LISTENING = re.compile(rb"listening on (http://\S+)\n")


class BridgeProcess(ChildProcess):
    """A server on a free loopback port; `url` names it, and it asks for `key`.

    It ends with the process that started it.
    """

    def __init__(self, folder: Path, port: int = 0) -> None:
        log = folder / "vector_server.log"
        self._start = log.stat().st_size if log.exists() else 0
        command = [sys.executable, "-m", "footnote_bridge", "--with-parent"]
        super().__init__([*command, "--data", str(folder), "--port", str(port)], log)
        self.wait_until(lambda: bool(self._announced()), "vector server")
        self.url = self._announced()
        self.key = (folder / "api_key").read_text()

    def _announced(self) -> str:
        found = _LISTENING.search(self.log.read_bytes()[self._start :])
        return found.group(1).decode() if found else ""


def start_bridge(folder: Path, port: int = 0) -> BridgeProcess:
    """Start it and wait until it listens; the same folder gives the same data again."""
    return BridgeProcess(folder, port)
