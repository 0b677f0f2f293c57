"""The process from which our processes are forked, with the libraries that they share imported once.

Most of a start is the import of libraries: two to three seconds of a processor for each process, and memory
that each holds for itself. Here they are imported once, and a process begins in milliseconds and shares their
memory (ADR 0048). Only libraries are imported here, none of our own modules: what those make of environment
and settings at their import is each process's own. Tests name some that read neither.

Run as `python -m footnote_cli.embedded.fork_server FD PADDING [MODULE ...]`. `forked_process.py` starts and
asks it.
"""

import ctypes
import gc
import json
import os
import runpy
import signal
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module

LIBRARIES = (
    "celery.app.amqp",
    "celery.apps.worker",
    "celery.concurrency.prefork",
    "cryptography.fernet",
    "fastapi",
    "grpc",
    "h2.connection",
    "httpcore",
    "httptools",
    "httpx",
    "jwt",
    "kombu.transport.redis",
    "langchain_text_splitters",
    "numpy",
    "orjson",
    "psycopg",
    "pydantic_settings",
    "qdrant_client",
    "redis.asyncio",
    "rich.console",
    "snowballstemmer",
    "sqlalchemy.dialects.postgresql",
    "sqlalchemy.dialects.sqlite",
    "sqlmodel",
    "structlog",
    "tokenizers",
    "typer",
    "uvicorn",
)
"""What several of our processes import at their start. prometheus_client is not among them: it reads at its
import in which folder the processes of a pool count together. Nor is onnxruntime, which starts a thread at
its import and waits for it at the end of a fork, where it does not run."""

MAX_REQUEST = 1 << 20
"""The longest request, in bytes. An environment is seldom longer than some kilobytes."""

PADDING = " " * 1_000
"""Room in our command line for that of a process, where people and tools look for its name."""

_NEW_OBJECTS = 10_000
"""New objects after which a fork looks for garbage. With Python's 700 it looks hundreds of times while our
modules are imported, where there is none. That is a tenth of the time of the import."""

_PR_SET_PDEATHSIG = 1
_ADOPTED_WITHIN_S = 10.0
_ADOPTED_LOOK_S = 0.001


@dataclass(frozen=True, slots=True)
class ForkRequest:
    """A process to begin: `python -m module arguments`, in a session of its own.

    `ends_with_owner`: whether SIGTERM is sent to it when the process that asked for it dies, even by kill -9.
    """

    module: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    cwd: str
    niceness: int
    ends_with_owner: bool

    def encoded(self) -> bytes:
        return json.dumps(asdict(self)).encode()


def main() -> None:
    """Serve until the owner closes its end. In a process that was forked, run what was asked for."""
    connection = socket.socket(fileno=int(sys.argv[1]))
    owner = os.getppid()
    end_with_parent(signal.SIGKILL)
    # Whoever asks all our processes where they stand would end this one, and a fork that has no answer yet.
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    # Nothing of an import is garbage. To look for it again and again takes a fifth of the time.
    gc.disable()
    for name in (*LIBRARIES, *sys.argv[3:]):
        import_module(name)
    gc.collect()
    # The collector leaves alone what is there now: looking at it would copy the pages that are shared.
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, *gc.get_threshold()[1:])
    gc.enable()
    request = _serve(connection)
    connection.close()
    if request is not None:
        _become(request, owner)


def end_with_parent(number: signal.Signals) -> None:
    """Have the kernel send us this signal when our parent dies. Linux only."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)


def _serve(connection: socket.socket) -> ForkRequest | None:
    """Fork for each request and answer with the pid. Returns the request in the fork, None at the end."""
    while True:
        message, descriptors, _, _ = socket.recv_fds(connection, MAX_REQUEST, 2)
        if not message:
            return None
        output, errors = descriptors
        reading, writing = os.pipe()
        between = os.fork()
        if between == 0:
            # The process in between ends at once. The kernel gives its child to the nearest process above
            # that adopts, which is the owner: so the owner can wait for it, and learns how it ended.
            if os.fork():
                os._exit(0)
            # It can be told by its session from the moment at which the owner learns its pid.
            os.setsid()
            os.write(writing, str(os.getpid()).encode())
            os.close(reading)
            os.close(writing)
            _speak_into(output, errors)
            return ForkRequest(**json.loads(message))
        os.close(writing)
        os.close(output)
        os.close(errors)
        os.waitpid(between, 0)
        with os.fdopen(reading, "rb") as pipe:
            pid_text = pipe.read()
        connection.sendall(pid_text)


def _speak_into(output: int, errors: int) -> None:
    """Read nothing, and write what is printed into the two files."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(errors, 2)
    os.close(nothing)
    os.close(output)
    os.close(errors)


def _become(request: ForkRequest, owner: int) -> None:
    """Run the module as `python -m` does, with nothing left of this process but the libraries."""
    os.nice(request.niceness)
    _await_adoption(owner)
    if request.ends_with_owner:
        end_with_parent(signal.SIGTERM)
    # The module of settings is one of ours, which this process does not import.
    os.environ.clear()  # noqa: TID251
    os.environ.update(request.environment)  # noqa: TID251
    os.chdir(request.cwd)
    time.tzset()
    _show([sys.executable, "-m", request.module, *request.arguments])
    sys.argv = [request.module, *request.arguments]
    runpy.run_module(request.module, run_name="__main__", alter_sys=True)


def _await_adoption(owner: int) -> None:
    """Wait until the owner is our parent. Where it is gone, nobody wants this process any more."""
    late = time.monotonic() + _ADOPTED_WITHIN_S
    while os.getppid() != owner:
        if time.monotonic() > late:
            sys.exit("The process that asked for this one is gone.")
        time.sleep(_ADOPTED_LOOK_S)


def _show(command: Sequence[str]) -> None:
    """Put the command where `ps` reads our command line: over the one with which we were started.

    Where the last byte of that is no NUL, the kernel shows it up to the first NUL (proc(5), cmdline).
    """
    with open("/proc/self/stat", "rb") as stat:  # noqa: PTH123
        fields = stat.read().rpartition(b") ")[2].split()
    begin, end = int(fields[45]), int(fields[46])
    room = end - begin - 2
    if room > 0:
        shown = " ".join(command).encode(errors="replace")[:room]
        ctypes.memset(begin, 0, end - begin - 1)
        ctypes.memmove(begin, shown, len(shown))
        ctypes.memset(end - 1, ord("."), 1)


if __name__ == "__main__":
    main()
