"""The template process of the sandbox and the children that it forks (docs/adr/0009).

The template is started with `python -m footnote_ingest.sandbox.child FD`. It imports the parsers once
and then forks a child for each document that arrives on the control socket. It has a single thread, so
forking is safe. When the control socket closes, it ends with all its children; so a worker that is killed
leaves nothing behind. The kernel enforces the limits of a child: rlimits for memory, processor time and
files, and an interval timer that kills it when its time is up.
"""

import contextlib
import ctypes
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
import traceback
from pathlib import Path

from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.parse_limits import ParseLimits
from footnote_ingest.parsing.parsers import parse_bytes
from footnote_ingest.sandbox.wire import LENGTH, Fate, epitaph, failure_frame, result_frames

_PR_SET_PDEATHSIG = 1
_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_SEND_SECONDS = 10.0
"""How long a worker may take to read the end of an answer."""

_RECURSION = 4_000
"""Python's limit of recursion in a child: real documents need more than the default of 1,000."""


def _enter_empty_network() -> None:
    """Leave the network for an empty namespace, if the kernel allows it.

    The audit hook works on every system.
    """
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWNET) != 0:
        libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET)


def _deny_network(event: str, args: tuple[object, ...]) -> None:
    """Refuse the network. This is an audit hook (PEP 578), which nobody can remove again."""
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        raise PermissionError("Parsing never reaches the network.")
    if event == "socket.__new__" and args[1] not in (socket.AF_UNIX, -1):
        raise PermissionError("Parsing never reaches the network.")


def _die_with_parent(parent: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
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


def _receive(connection: socket.socket) -> tuple[dict[str, object], bytes]:
    with connection.makefile("rb") as stream:
        (length,) = LENGTH.unpack(stream.read(LENGTH.size))
        request: dict[str, object] = json.loads(stream.read(length))
        return request, stream.read()


def _serve(connection: socket.socket, folder: str) -> None:
    """The life of a child: it reads one document and sends one result."""
    request, data = _receive(connection)
    wanted = request["limits"]
    assert isinstance(wanted, dict)
    limits = ParseLimits(**wanted)
    tesseract = request["tesseract"]
    tempfile.tempdir = folder
    sys.setrecursionlimit(_RECURSION)
    _limit(limits)
    try:
        extracted = parse_bytes(
            data,
            str(request["filename"]),
            str(request["declared_mime"]),
            limits,
            tesseract=tesseract if isinstance(tesseract, str) else None,
        )
        for piece in result_frames(extracted):
            connection.sendall(piece)
    except ParseFailed as failed:
        connection.sendall(failure_frame(failed))
    except MemoryError:
        connection.sendall(failure_frame(_out_of_memory()))
    except RecursionError:
        connection.sendall(failure_frame(ParseFailed("The file is nested too deeply to be read.", "corrupt")))


def _out_of_memory() -> ParseFailed:
    return ParseFailed("Reading the file needs more memory than a document may use.", "memory")


class Template:
    """Forks a child per document and reports how each one ended."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._children: dict[int, tuple[socket.socket, str]] = {}
        self._wake_read, self._wake_write = socket.socketpair()
        for end in (self._wake_read, self._wake_write):
            end.setblocking(False)

    def run(self) -> None:
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wake_write.fileno(), warn_on_full_buffer=False)
        with selectors.DefaultSelector() as selector:
            selector.register(self._control, selectors.EVENT_READ)
            selector.register(self._wake_read, selectors.EVENT_READ)
            try:
                while True:
                    for key, _ in selector.select():
                        if key.fileobj is self._control:
                            if not self._accept():
                                return
                        else:
                            self._wake_read.recv(4096)
                    self._reap()
            finally:
                self._end_all()

    def _accept(self) -> bool:
        """Fork a child for the next document. Returns False if the worker is gone."""
        try:
            message, descriptors, _, _ = socket.recv_fds(self._control, 1, 1)
        except ConnectionError:
            return False
        if not message:
            return False
        if not descriptors:
            return True
        connection = socket.socket(fileno=descriptors[0])
        folder = tempfile.mkdtemp(prefix="footnote-parse-")
        template = os.getpid()
        child = os.fork()
        if child == 0:
            self._become_child(connection, folder, template)
        self._children[child] = (connection, folder)
        return True

    def _become_child(self, connection: socket.socket, folder: str, template: int) -> None:
        code = 1
        try:
            os.setpgid(0, 0)
            _die_with_parent(template)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for end in (
                self._control,
                self._wake_read,
                self._wake_write,
                *(c for c, _ in self._children.values()),
            ):
                end.close()
            _serve(connection, folder)
            code = 0
        finally:
            # Whatever happened, a child must never return into the template's loop.
            if code:
                traceback.print_exc()
            os._exit(code)

    def _reap(self) -> None:
        while self._children:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            if pid not in self._children:
                continue
            connection, folder = self._children.pop(pid)
            _end_group(pid)
            fate = Fate(os.WEXITSTATUS(status), 0) if os.WIFEXITED(status) else Fate(0, os.WTERMSIG(status))
            # The folder goes before the worker hears of the end, because the worker may then end this
            # process.
            shutil.rmtree(folder, ignore_errors=True)
            connection.settimeout(_SEND_SECONDS)
            # The worker may have stopped listening.
            with contextlib.suppress(OSError):
                connection.sendall(epitaph(fate))
            connection.close()

    def _end_all(self) -> None:
        for pid, (_, folder) in self._children.items():
            _end_group(pid)
            shutil.rmtree(folder, ignore_errors=True)


def _end_group(leader: int) -> None:
    """End the programs that a child has started, such as tesseract."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _enter_empty_network()
    sys.addaudithook(_deny_network)
    gc.collect()
    # Frozen objects stay in memory pages that all children share.
    gc.freeze()
    Template(control).run()


if __name__ == "__main__":
    main()
