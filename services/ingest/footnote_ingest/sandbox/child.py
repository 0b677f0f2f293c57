"""The template process of the sandbox and the children that it forks (docs/adr/0009).

The template is started with `python -m footnote_ingest.sandbox MODULE FD ORDERS`. It imports the parsers once
and then forks a child for each document that arrives on the control socket. It has a single thread, so
forking is safe. When the control socket closes, it ends with all its children; so a worker that is killed
leaves nothing behind. The kernel enforces the limits of a child: rlimits for memory, processor time and
files, and an interval timer that kills it when its time by the clock is up. That is far more than its
processor time, for it may wait for a busy machine. Before it looks at the document, it gives up what it does
not need (`confinement.py`).
"""

import contextlib
import gc
import json
import os
import resource
import selectors
import shutil
import signal
import socket
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self

from footnote_ingest.parsing.errors import ParseFailed, ReadByItself
from footnote_ingest.parsing.formats import READ_TOGETHER
from footnote_ingest.parsing.parse_limits import ParseLimits
from footnote_ingest.parsing.parser_input import GivenFile, ParseChoices
from footnote_ingest.parsing.parsers import parse_bytes
from footnote_ingest.sandbox.confinement import Confinement
from footnote_ingest.sandbox.left_behind import remove_left_behind
from footnote_ingest.sandbox.libc import LIBC
from footnote_ingest.sandbox.programs import (
    OCR,
    OFFICE,
    OcrByTemplate,
    OfficeByTemplate,
    ProgramOfChild,
    office_arguments,
)
from footnote_ingest.sandbox.wire import LENGTH, WALL, Fate, epitaph, failure_frame, result_frames

_PR_SET_PDEATHSIG = 1
_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_SEND_SECONDS = 10.0
"""How long a worker may take to read the end of an answer."""

_FOLDER_PREFIX = "footnote-parse-"
_LEFT_BEHIND_S = 86_400.0
"""After so long no child can be at work in a folder."""

_LATE_SECONDS = 5.0
"""How long after its time a child that its own timer did not end may stay."""

_MOST_FILES = 1 << 20
"""Beyond every number that an open file has here."""

_OF_PROGRAM = {"PATH": os.defpath, "LANG": "C.UTF-8", "OMP_NUM_THREADS": "1", "OMP_THREAD_LIMIT": "1"}
"""The environment of a program that runs for a child."""

_RECURSION = 4_000
"""Python's limit of recursion in a child: real documents need more than the default of 1,000."""


@dataclass(frozen=True, slots=True)
class Orders:
    """What holds for every document of this template.

    `limits` are those of the programs: OCR, whose path is `tesseract`, and LibreOffice, whose path is
    `office`. A document has limits of its own.
    """

    limits: ParseLimits
    tesseract: str | None
    office: str | None
    confinement: Confinement

    @classmethod
    def parsed(cls, text: str) -> Self:
        """The orders as the worker writes them (`Sandbox`)."""
        said = json.loads(text)
        tesseract, office = said["tesseract"], said["office"]
        confinement = Confinement(said["confinement"], tesseract, office)
        return cls(ParseLimits(**said["limits"]), tesseract, office, confinement)


def _enter_empty_network() -> None:
    """Leave the network for an empty namespace, if the kernel allows it.

    The audit hook works on every system.
    """
    if sys.platform != "linux":
        return
    if LIBC.unshare(_CLONE_NEWNET) != 0:
        LIBC.unshare(_CLONE_NEWUSER | _CLONE_NEWNET)


def _deny_network(event: str, args: tuple[object, ...]) -> None:
    """Refuse the network. This is an audit hook (PEP 578): once added, it stays."""
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        raise PermissionError("Parsing never reaches the network.")
    if event == "socket.__new__" and args[1] not in (socket.AF_UNIX, -1):
        raise PermissionError("Parsing never reaches the network.")


def _die_with_parent(parent: int) -> None:
    if sys.platform == "linux":
        LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _limit(limits: ParseLimits) -> None:
    statm = Path("/proc/self/statm")
    if statm.exists():
        held = int(statm.read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (held + limits.memory, held + limits.memory))
    resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu, limits.cpu + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (limits.written, limits.written))
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits.open_files, limits.open_files))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, limits.wall)


def _receive(connection: socket.socket) -> tuple[dict[str, Any], list[GivenFile]]:
    with connection.makefile("rb") as stream:
        (length,) = LENGTH.unpack(stream.read(LENGTH.size))
        request: dict[str, Any] = json.loads(stream.read(length))
        return request, [
            GivenFile(stream.read(about["size"]), about["filename"], about["declared_mime"])
            for about in request["files"]
        ]


def _serve(connection: socket.socket, folder: str, orders: Orders, programs: socket.socket | None) -> None:
    """The life of a child: it reads its documents, mostly one, and sends a result for each.

    If it cannot read one of several, it ends, and that one is read by another child.
    """
    request, files = _receive(connection)
    limits = ParseLimits(**request["limits"])
    choices = ParseChoices(**request["choices"])
    tempfile.tempdir = folder
    sys.setrecursionlimit(_RECURSION)
    sys.dont_write_bytecode = True
    _limit(limits)
    orders.confinement.of_child(folder)
    if len(files) > 1:
        _read_together(connection, files, limits, choices)
        return
    try:
        extracted = parse_bytes(
            *files[0],
            limits,
            ocr=OcrByTemplate(programs) if programs and orders.tesseract else None,
            convert=OfficeByTemplate(programs, folder) if programs and orders.office else None,
            choices=choices,
        )
        for piece in result_frames(extracted):
            connection.sendall(piece)
    except ParseFailed as failed:
        connection.sendall(failure_frame(failed))
    except MemoryError:
        connection.sendall(failure_frame(_out_of_memory()))
    except RecursionError:
        connection.sendall(failure_frame(ParseFailed("The file is nested too deeply to be read.", "corrupt")))


def _read_together(
    connection: socket.socket, files: list[GivenFile], limits: ParseLimits, choices: ParseChoices
) -> None:
    for file in files:
        try:
            extracted = parse_bytes(*file, limits, among=READ_TOGETHER, choices=choices)
            if extracted.attachments:
                return
            connection.sendall(b"".join(result_frames(extracted)))
        except ParseFailed as failed:
            connection.sendall(failure_frame(failed))
        except (ReadByItself, MemoryError, RecursionError):
            return


def _out_of_memory() -> ParseFailed:
    return ParseFailed("Reading the file needs more memory than a document may use.", "memory")


@dataclass(frozen=True, slots=True)
class Child:
    """A child that reads a document: where its answer goes, and where it may write.

    `programs` starts the programs that it asks for. At `late_at`, by the monotonic clock, it is ended.
    """

    connection: socket.socket
    folder: str
    programs: ProgramOfChild | None
    late_at: float


class Template:
    """Forks a child per document and reports how each one ended."""

    def __init__(self, control: socket.socket, orders: Orders) -> None:
        self._control = control
        self._orders = orders
        self._selector = selectors.DefaultSelector()
        self._children: dict[int, Child] = {}
        self._programs: dict[int, ProgramOfChild] = {}
        self._late: set[int] = set()
        self._wake_read, self._wake_write = socket.socketpair()
        for end in (self._wake_read, self._wake_write):
            end.setblocking(False)

    def run(self) -> None:
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wake_write.fileno(), warn_on_full_buffer=False)
        with self._selector as selector:
            selector.register(self._control, selectors.EVENT_READ)
            selector.register(self._wake_read, selectors.EVENT_READ)
            try:
                while True:
                    for key, _ in selector.select(self._patience()):
                        if key.fileobj is self._control:
                            if not self._accept():
                                return
                        elif key.fileobj is self._wake_read:
                            self._wake_read.recv(4096)
                        else:
                            self._start_program(key.data)
                    self._end_late()
                    self._reap()
            finally:
                self._end_all()

    def _accept(self) -> bool:
        """Fork a child for the next document. Returns False if the worker is gone."""
        try:
            message, descriptors, _, _ = socket.recv_fds(self._control, WALL.size, 1)
        except ConnectionError:
            return False
        if not message:
            return False
        if not descriptors:
            return True
        connection = socket.socket(fileno=descriptors[0])
        folder = tempfile.mkdtemp(prefix=_FOLDER_PREFIX)
        wanted = self._orders.tesseract or self._orders.office
        ours, theirs = socket.socketpair() if wanted else (None, None)
        template = os.getpid()
        child = os.fork()
        if child == 0:
            self._become_child(connection, folder, theirs, template)
        programs = None
        if ours is not None and theirs is not None:
            theirs.close()
            programs = ProgramOfChild(ours, child, partial(self._become_program, folder))
            self._selector.register(ours, selectors.EVENT_READ, programs)
        late_at = time.monotonic() + WALL.unpack(message)[0] + _LATE_SECONDS
        self._children[child] = Child(connection, folder, programs, late_at)
        return True

    def _become_child(
        self, connection: socket.socket, folder: str, programs: socket.socket | None, template: int
    ) -> None:
        code = 1
        try:
            os.setpgid(0, 0)
            _die_with_parent(template)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            kept = [end.fileno() for end in (connection, programs) if end is not None]
            _close_others(kept)
            _serve(connection, folder, self._orders, programs)
            code = 0
        finally:
            # Whatever happened, a child must never return into the template's loop.
            if code:
                traceback.print_exc()
            os._exit(code)

    def _patience(self) -> float | None:
        """Seconds until a child is late."""
        waited_for = [child.late_at for pid, child in self._children.items() if pid not in self._late]
        return max(0.0, min(waited_for) - time.monotonic()) if waited_for else None

    def _end_late(self) -> None:
        """End the children whose own timer did not end them: a parser that was taken over can stop it."""
        for pid, child in self._children.items():
            if pid not in self._late and time.monotonic() >= child.late_at:
                self._late.add(pid)
                os.kill(pid, signal.SIGKILL)

    def _start_program(self, programs: ProgramOfChild) -> None:
        program = programs.start()
        if program is not None:
            self._programs[program] = programs

    def _become_program(self, folder: str, request: bytes) -> None:
        """Become the program that a child asks for, whose folder this is."""
        tesseract, office = self._orders.tesseract, self._orders.office
        _limit(self._orders.limits)
        if request == OCR and tesseract is not None:
            self._orders.confinement.of_ocr()
            os.execve(tesseract, [tesseract, "stdin", "stdout"], _OF_PROGRAM)  # noqa: S606
        if request in OFFICE and office is not None:
            self._orders.confinement.of_office(folder)
            # LibreOffice puts its socket and its temporary files there.
            there = dict.fromkeys(("HOME", "TMPDIR", "OSL_SOCKET_PATH"), folder)
            os.execve(office, office_arguments(office, request, folder), {**_OF_PROGRAM, **there})  # noqa: S606

    def _reap(self) -> None:
        while self._children or self._programs:
            try:
                pid, status, used = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid in self._programs:
                self._program_ended(self._programs.pop(pid), status, used.ru_utime + used.ru_stime)
            elif pid in self._children:
                self._report(pid, self._children.pop(pid), status)

    def _program_ended(self, programs: ProgramOfChild, status: int, cpu_s: float) -> None:
        """End a child whose programs have had its time together: each of them is limited by itself."""
        programs.ended(status, cpu_s)
        if programs.cpu_s > self._orders.limits.cpu and programs.child in self._children:
            os.kill(programs.child, signal.SIGXCPU)

    def _report(self, pid: int, child: Child, status: int) -> None:
        _end_group(pid)
        if child.programs is not None:
            self._selector.unregister(child.programs.channel)
            child.programs.channel.close()
        fate = Fate(os.WEXITSTATUS(status), 0) if os.WIFEXITED(status) else Fate(0, os.WTERMSIG(status))
        if pid in self._late:
            self._late.remove(pid)
            fate = Fate(0, signal.SIGALRM)
        # The folder goes before the worker hears of the end, because the worker may then end this process.
        shutil.rmtree(child.folder, ignore_errors=True)
        child.connection.settimeout(_SEND_SECONDS)
        # The worker may have stopped listening.
        with contextlib.suppress(OSError):
            child.connection.sendall(epitaph(fate))
        child.connection.close()

    def _end_all(self) -> None:
        for pid, child in self._children.items():
            _end_group(pid)
            shutil.rmtree(child.folder, ignore_errors=True)


def _close_others(kept: list[int]) -> None:
    """Close every file but these and the standard ones. Others would be a way to other children."""
    start = 3
    for file in sorted(kept):
        os.closerange(start, file)
        start = file + 1
    os.closerange(start, _MOST_FILES)


def _end_group(leader: int) -> None:
    """End the programs that a child has started, such as tesseract."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def main() -> None:
    """Serve the worker at the other end of the control socket until it closes that."""
    control = socket.socket(fileno=int(sys.argv[1]))
    orders = Orders.parsed(sys.argv[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _enter_empty_network()
    remove_left_behind(tempfile.gettempdir(), _FOLDER_PREFIX, _LEFT_BEHIND_S + orders.limits.wall)
    sys.addaudithook(_deny_network)
    # Frozen objects stay in memory pages that all children share.
    gc.freeze()
    gc.enable()
    Template(control, orders).run()
