"""Loopback ports for programs that are told their port, which no other test is given meanwhile."""

import fcntl
import random
import socket
import tempfile
from pathlib import Path
from typing import TextIO

# Below the ports that the kernel gives to connections (32768 and up).
_PORTS = range(20_000, 32_000)
_TRIES = 1_000
_folder = Path(tempfile.gettempdir()) / "footnote-test-ports"
_taken: list[TextIO] = []


def free_port() -> int:
    """A loopback port on which nobody listens. It belongs to this process until that ends.

    A lock on a file named for the port tells other test processes, so that two that run side by side never
    get the same one, however late their programs bind it.
    """
    _folder.mkdir(exist_ok=True)
    for port in random.SystemRandom().sample(_PORTS, _TRIES):
        if _take(port):
            return port
    raise AssertionError(f"none of {_TRIES} ports is free")


def ports_in_a_row(count: int) -> int:
    """The first of this many free ports that follow each other, which belong to this process as well."""
    for _ in range(_TRIES):
        first = free_port()
        if all(_take(port) for port in range(first + 1, first + count)):
            return first
    raise AssertionError(f"no {count} ports in a row are free")


def _take(port: int) -> bool:
    """Whether the port was free. Then it belongs to this process."""
    lock = (_folder / str(port)).open("a")
    if _lock(lock) and _nobody_listens(port):
        _taken.append(lock)
        return True
    lock.close()
    return False


def _lock(file: TextIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _nobody_listens(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
