"""Parsing each document in a process of its own, under limits, so that a bad document hurts nothing else.

Each worker process starts one template process, which loads the parsers once (that takes seconds) and then
forks a child for each document (milliseconds). It is started by `subprocess`, which also works in a daemonic
pool worker. See `child.py` for the limits of a child.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Final

from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.formats import OLE
from footnote_ingest.parsing.parse_limits import MIB, ParseLimits, check_size
from footnote_ingest.parsing.parser_input import GivenFile, ParseChoices
from footnote_ingest.sandbox.wire import WALL, Fate, frame, read_result, read_results, split_epitaph
from footnote_shared.settings.services import ParseConfinement

_GRACE_SECONDS: Final = 60.0
"""How long loading the parsers and noticing the end of a child may take on a machine under load."""

_READ_BY_OCR: Final = ("image/", "application/pdf")

_CLOSE_SECONDS: Final = 5.0
"""How long the template may take to end before it is killed."""

_IDLE_SECONDS: Final = 300.0
"""After so long without a document the template ends. It holds 140 MB, and is back within seconds."""

_LOOK_SECONDS: Final = 1.0
"""How often a template is looked at whose document takes longer than that."""

_DEFAULTS: Final = ParseChoices()
_ENVIRONMENT: Final = {
    "PATH": os.defpath,
    "LANG": "C.UTF-8",
    # A shared folder must not be the home. Other users of the machine could put modules or settings there,
    # and the template would load them before it is confined.
    "HOME": "/nonexistent",
    "PYTHONNOUSERSITE": "1",
    "PYTHONSAFEPATH": "1",
    "PYTHONWARNINGS": "ignore",
    "DO_NOT_TRACK": "true",
    "SCARF_NO_ANALYTICS": "true",
    "UNSTRUCTURED_DISABLE_NOTICE": "1",
    "HF_HUB_OFFLINE": "1",
    "OMP_NUM_THREADS": "1",
    "OMP_THREAD_LIMIT": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


def office_program() -> str | None:
    """The path of LibreOffice on this machine; None where it is not installed.

    What lies on PATH is a script, which looks for a place to write to and then starts the program beside it.
    """
    found = shutil.which("soffice") or shutil.which("libreoffice")
    if found is None:
        return None
    script = Path(found).resolve()
    program = script.with_name("soffice.bin")
    return str(program if program.exists() else script)


_TEMPLATE = (sys.executable, "-m", "footnote_ingest.sandbox")


class Sandbox:
    """Parses documents in processes of their own.

    Several threads may use it, and their documents are then parsed side by side. No process starts before the
    first `parse`. If the owning process forks, each side gets a template process of its own.
    """

    template = "footnote_ingest.sandbox.child"
    """The module whose `main` the template process runs."""

    def __init__(
        self,
        limits: ParseLimits,
        *,
        confinement: ParseConfinement = "required",
        tesseract: str | None = None,
        office: str | None = None,
        choices: ParseChoices = _DEFAULTS,
        idle_s: float = _IDLE_SECONDS,
    ) -> None:
        """`tesseract` is the path of the OCR program, `office` that of LibreOffice.

        The defaults are those on PATH, if there are any. `idle_s`: seconds without a document after which the
        template ends.
        """
        self.limits = limits
        self._choices = choices
        self._confinement = confinement
        self._tesseract = tesseract or shutil.which("tesseract")
        self._office = office or office_program()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._owner = 0
        self._idle_s = idle_s
        self._in_work = 0
        self._last_end = time.monotonic()
        self._watched = False
        self._look = threading.Event()

    def parse(self, content: bytes, filename: str = "", declared_mime: str = "") -> Extracted:
        """Return what the document says, or raise ParseFailed with the reason.

        This blocks for at most `limits.wall` seconds and a grace. Small files have less time than large ones,
        unless a program reads them: a scan of few bytes may have many pages.
        """
        check_size(len(content), self.limits)
        by_program = (self._tesseract is not None and declared_mime.startswith(_READ_BY_OCR)) or (
            self._office is not None and content.startswith(OLE)
        )
        limits = self.limits if by_program else self.limits.for_size(len(content))
        body, fate = self._read([GivenFile(content, filename, declared_mime)], limits)
        result = read_result(body)
        if isinstance(result, ParseFailed):
            raise result
        if result is None or fate is None:
            raise self._explain(fate, limits)
        return result

    def parse_together(self, files: Sequence[GivenFile]) -> list[Extracted | ParseFailed]:
        """Have one child read several files, one after the other, and return what each says or why it fails.

        The list is shorter than the files if one of them has to be read by itself: it is the first that is
        missing. All files together have the limits of one. The child could change what it says of any of
        them, so they must belong together.
        """
        limits = self.limits.for_size(sum(len(file.content) for file in files))
        try:
            body, fate = self._read(files, limits)
        except ParseFailed:
            return []
        return read_results(body, len(files)) if fate is not None else []

    def _read(self, files: Sequence[GivenFile], limits: ParseLimits) -> tuple[memoryview, Fate | None]:
        """What a child says of the files, and how it ended."""
        request = {
            "files": [
                {"filename": file.filename, "declared_mime": file.declared_mime, "size": len(file.content)}
                for file in files
            ],
            "limits": limits.as_dict(),
            "choices": asdict(self._choices),
        }
        ours, theirs = socket.socketpair()
        with ours, self._at_work():
            with theirs:
                process = self._hand_over(theirs, limits.wall)
            content = b"".join(file.content for file in files)
            answer = self._exchange(ours, frame(json.dumps(request).encode()), content, process, limits)
        return split_epitaph(memoryview(answer))

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        """Within the block the template is needed."""
        with self._lock:
            self._in_work += 1
        try:
            yield
        finally:
            with self._lock:
                self._in_work -= 1
                self._last_end = time.monotonic()

    def _watch(self) -> None:
        """End the template once it has been idle for long enough. Runs in a thread of its own."""
        while True:
            with self._lock:
                left = self._last_end + self._idle_s - time.monotonic()
                if self._process is None or not (self._in_work or left > 0):
                    self._watched = False
                    process, control = self._taken()
                    break
            if self._look.wait(left if left > 0 else _LOOK_SECONDS):
                self._look.clear()
        self._end(process, control)

    def close(self) -> None:
        """End the template and its children. A later `parse` starts a new template."""
        with self._lock:
            process, control = self._taken()
        self._look.set()
        self._end(process, control)

    def _taken(self) -> tuple[subprocess.Popen[bytes] | None, socket.socket | None]:
        """The template, which from now on is nobody's. To be called with the lock."""
        process, control = self._process, self._control
        self._process = self._control = None
        return process, control

    def _end(self, process: subprocess.Popen[bytes] | None, control: socket.socket | None) -> None:
        if control is not None:
            control.close()
        if process is not None and self._owner == os.getpid():
            try:
                process.wait(_CLOSE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _hand_over(self, theirs: socket.socket, wall: float) -> subprocess.Popen[bytes]:
        """Give the template its end of a document's socket, and the document's time in seconds.

        If no template is alive, start one.
        """
        with self._lock:
            for attempt in range(2):
                process, control = self._running()
                try:
                    socket.send_fds(control, [WALL.pack(wall)], [theirs.fileno()])
                except OSError as error:
                    self._process = None
                    if attempt:
                        raise ParseFailed(
                            "The parser could not be started.", "crashed", retryable=True
                        ) from error
                else:
                    return process
        raise AssertionError("the loop returns or raises")

    def _running(self) -> tuple[subprocess.Popen[bytes], socket.socket]:
        if (
            self._owner != os.getpid()
            or self._process is None
            or self._control is None
            or self._process.poll() is not None
        ):
            if self._control is not None:
                self._control.close()
            self._control, theirs = socket.socketpair()
            orders = {
                "limits": self.limits.as_dict(),
                "tesseract": self._tesseract,
                "office": self._office,
                "confinement": self._confinement,
            }
            with theirs:
                self._process = subprocess.Popen(
                    [*_TEMPLATE, self.template, str(theirs.fileno()), json.dumps(orders)],
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    env={
                        **_ENVIRONMENT,
                        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                    },
                    cwd="/",
                    start_new_session=True,
                )
            if self._owner != os.getpid() or not self._watched:
                # A thread does not survive a fork.
                self._watched = True
                threading.Thread(target=self._watch, name="idle-template", daemon=True).start()
            self._owner = os.getpid()
        return self._process, self._control

    def _exchange(
        self,
        ours: socket.socket,
        head: bytes,
        content: bytes,
        process: subprocess.Popen[bytes],
        limits: ParseLimits,
    ) -> bytearray:
        deadline = time.monotonic() + limits.wall + _GRACE_SECONDS
        answer = bytearray()
        most = 8 * limits.text + 256 * limits.elements + 2 * limits.size
        try:
            ours.settimeout(limits.wall + _GRACE_SECONDS)
            try:
                ours.sendall(head)
                ours.sendall(content)
                ours.shutdown(socket.SHUT_WR)
            except (BrokenPipeError, ConnectionResetError):
                # The child ended before it had read everything. Its epitaph says why.
                pass
            while len(answer) <= most:
                ours.settimeout(max(0.1, deadline - time.monotonic()))
                piece = ours.recv(MIB)
                if not piece:
                    break
                answer += piece
        except ConnectionResetError:
            return answer
        except TimeoutError as error:
            # Neither the kernel's timer nor the template ended the child, so the template itself is stuck.
            process.kill()
            raise self._explain(Fate(0, signal.SIGALRM), limits) from error
        return answer

    def _explain(self, fate: Fate | None, limits: ParseLimits) -> ParseFailed:
        if fate is None:
            return ParseFailed("The parser was stopped while it read the file.", "crashed", retryable=True)
        if fate.signal == signal.SIGALRM:
            return ParseFailed(f"Reading the file took longer than {limits.wall:g} seconds.", "timeout")
        if fate.signal == signal.SIGXCPU:
            return ParseFailed(
                f"Reading the file took more than {limits.cpu} seconds of processor time.", "timeout"
            )
        if fate.signal == signal.SIGKILL:
            return ParseFailed(
                "Reading the file was stopped by the system, most likely because it needed too much memory.",
                "memory",
                retryable=True,
            )
        if fate.signal == signal.SIGXFSZ:
            return ParseFailed("Reading the file wrote more to disk than a document may.", "too_large")
        return ParseFailed(
            "The program that reads such files gave up on this one: it is damaged, or holds far more than it "
            "shows.",
            "crashed",
        )
