"""How a document's child has pictures read, although it can start no program itself.

The child writes the picture to a file of its own and hands two open files to the template, which starts
tesseract on them: as a process beside the child, in its group, under its limits, confined to that program.
"""

import os
import signal
import socket
import tempfile
from collections.abc import Callable
from typing import NoReturn

_DONE = b"\x00"
_FAILED = b"\x01"
_MOST_FILES = 1 << 16


class OcrByTemplate:
    """The child's end. It is called with a picture, one at a time."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel

    def __call__(self, png: bytes) -> bytes:
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said:
            given.write(png)
            given.flush()
            given.seek(0)
            socket.send_fds(self._channel, [_DONE], [given.fileno(), said.fileno()])
            if self._channel.recv(1) != _DONE:
                raise OSError("The OCR program failed.")
            said.seek(0)
            return said.read()


class OcrOfChild:
    """The template's end, for one child. It runs one program at a time."""

    def __init__(self, channel: socket.socket, child: int, become: Callable[[], NoReturn]) -> None:
        """`become` turns a new process into the program; its standard input and output are open."""
        self.channel = channel
        self.child = child
        self._become = become
        self._running = False
        channel.setblocking(False)

    def start(self) -> int | None:
        """Start the program that the child asks for; return its process, or None if none was started."""
        try:
            message, files, _, _ = socket.recv_fds(self.channel, 1, 2)
        except (BlockingIOError, ConnectionError):
            return None
        try:
            if not message or len(files) != 2 or self._running:
                return None
            program = os.fork()
            if program == 0:
                self._enter(files)
        finally:
            for file in files:
                os.close(file)
        # Both processes do this, because either may come first.
        _join_group(program, self.child)
        self._running = True
        return program

    def ended(self, status: int) -> None:
        """Tell the child that its program has ended."""
        self._running = False
        try:
            self.channel.send(_DONE if status == 0 else _FAILED)
        except OSError:
            # The child is gone.
            return

    def _enter(self, files: list[int]) -> NoReturn:
        try:
            _join_group(0, self.child)
            os.dup2(files[0], 0)
            os.dup2(files[1], 1)
            os.closerange(3, _MOST_FILES)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._become()
        finally:
            os._exit(1)


def _join_group(process: int, leader: int) -> None:
    try:
        os.setpgid(process, leader)
    except OSError:
        # One of the two has ended, or the process has become the program already.
        return
