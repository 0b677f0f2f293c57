"""How a document's child has a program run for it, although it can start none itself.

The child hands two open files to the template, which starts the program on them: as a process beside the
child, in its group, under its limits, confined to that program. tesseract reads a picture from the one and
writes text to the other. LibreOffice reads and writes in the child's folder.
"""

import contextlib
import os
import signal
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

_DONE = b"\x00"
_FAILED = b"\x01"
_MOST_FILES = 1 << 16

OCR = b"\x00"
"""The request for tesseract."""

OFFICE = {b"w": ("doc", "docx"), b"x": ("xls", "xlsx"), b"p": ("ppt", "pptx")}
"""The requests for LibreOffice: the ending of what is given, and of what comes out."""

OFFICE_GIVEN, OFFICE_OUT, OFFICE_PROFILE = "given", "converted", "profile"
"""Names in the child's folder."""

_STARTS = 2
"""LibreOffice ends after it has made a new profile, and does its work when it is started again."""

_SETTINGS = (
    ("Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("Common/Security/Scripting", "MacroSecurityLevel", "3"),
    ("Common/Security/Scripting", "DisableActiveContent", "true"),
    ("Writer/Content/Update", "Link", "2"),
    ("Calc/Content/Update", "Link", "2"),
)
"""No macro runs, nothing embedded starts, and no link to another file is followed."""


class OcrByTemplate:
    """The child's end. It is called with a picture, one at a time."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel

    def __call__(self, png: bytes) -> bytes:
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said:
            given.write(png)
            given.flush()
            given.seek(0)
            socket.send_fds(self._channel, [OCR], [given.fileno(), said.fileno()])
            if self._channel.recv(1) != _DONE:
                raise OSError("The OCR program failed.")
            said.seek(0)
            return said.read()


class OfficeByTemplate:
    """The child's end for files of Office before 2007, which LibreOffice turns into newer ones."""

    def __init__(self, channel: socket.socket, folder: str) -> None:
        self._channel = channel
        self._folder = Path(folder)

    def __call__(self, data: bytes, ending: str) -> bytes:
        """The file as `docx`, `xlsx` or `pptx`, for the ending `doc`, `xls` or `ppt`.

        Raises OSError if LibreOffice makes nothing of it.
        """
        request, newer = next((key, newer) for key, (old, newer) in OFFICE.items() if old == ending)
        (self._folder / f"{OFFICE_GIVEN}.{ending}").write_bytes(data)
        settings = self._folder / OFFICE_PROFILE / "user" / "registrymodifications.xcu"
        settings.parent.mkdir(parents=True)
        settings.write_text(_settings_file())
        made = self._folder / OFFICE_OUT / f"{OFFICE_GIVEN}.{newer}"
        for _ in range(_STARTS):
            with tempfile.TemporaryFile() as nothing, tempfile.TemporaryFile() as said:
                socket.send_fds(self._channel, [request], [nothing.fileno(), said.fileno()])
                self._channel.recv(1)
            with contextlib.suppress(FileNotFoundError):
                return made.read_bytes()
        raise OSError("LibreOffice converted nothing.")


def office_arguments(program: str, request: bytes, folder: str) -> list[str]:
    """How LibreOffice is started on what a child has put into its folder."""
    old, newer = OFFICE[request]
    return [
        program,
        f"-env:UserInstallation={Path(folder, OFFICE_PROFILE).as_uri()}",
        "-env:DISABLE_EXTENSION_SYNCHRONIZATION=1",
        "--headless",
        "--norestore",
        "--nologo",
        "--convert-to",
        newer,
        "--outdir",
        str(Path(folder, OFFICE_OUT)),
        str(Path(folder, f"{OFFICE_GIVEN}.{old}")),
    ]


def _settings_file() -> str:
    items = "".join(
        f'<item oor:path="/org.openoffice.Office.{path}"><prop oor:name="{name}" oor:op="fuse">'
        f"<value>{value}</value></prop></item>"
        for path, name, value in _SETTINGS
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        f'<oor:items xmlns:oor="http://openoffice.org/2001/registry">{items}</oor:items>'
    )


class ProgramOfChild:
    """The template's end, for one child. It runs one program at a time."""

    def __init__(self, channel: socket.socket, child: int, become: Callable[[bytes], None]) -> None:
        """`become` turns a new process into the program that a request asks for.

        Its standard input and output are open. It returns if there is no such program.
        """
        self.channel = channel
        self.child = child
        self.cpu_s = 0.0
        """Seconds of processor time that its programs have taken."""
        self._become = become
        self._running = False
        channel.setblocking(False)

    def start(self) -> int | None:
        """Start the program that the child asks for; return its process, or None if none was started."""
        try:
            request, files, _, _ = socket.recv_fds(self.channel, 1, 2)
        except (BlockingIOError, ConnectionError):
            return None
        try:
            if not request or len(files) != 2 or self._running:
                return None
            program = os.fork()
            if program == 0:
                self._enter(request, files)
        finally:
            for file in files:
                os.close(file)
        # Both processes do this, because either may come first.
        _join_group(program, self.child)
        self._running = True
        return program

    def ended(self, status: int, cpu_s: float) -> None:
        """Tell the child that its program has ended, after this many seconds of processor time."""
        self._running = False
        self.cpu_s += cpu_s
        try:
            self.channel.send(_DONE if status == 0 else _FAILED)
        except OSError:
            # The child is gone.
            return

    def _enter(self, request: bytes, files: list[int]) -> NoReturn:
        try:
            _join_group(0, self.child)
            os.dup2(files[0], 0)
            os.dup2(files[1], 1)
            os.closerange(3, _MOST_FILES)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._become(request)
        finally:
            os._exit(1)


def _join_group(process: int, leader: int) -> None:
    try:
        os.setpgid(process, leader)
    except OSError:
        # One of the two has ended, or the process has become the program already.
        return
