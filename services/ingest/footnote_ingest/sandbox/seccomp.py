"""A filter of system calls (seccomp, mode 2) that answers `EPERM` to what parsing has no use for.

Sources: seccomp(2), `linux/filter.h`, `linux/seccomp.h`. A filter stays for good, also over an exec. It
denies by name instead of allowing by name, because the parsers bring large libraries in C, which may make
other calls with each release; files are Landlock's to guard.
"""

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Iterator

from footnote_ingest.sandbox.denied_calls import DENIED
from footnote_ingest.sandbox.libc import LIBC, checked

_PR_GET_SECCOMP, _PR_SET_SECCOMP = 21, 22
_MODE_FILTER = 2
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_INSTRUCTION = 8
"""Bytes."""

_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_X32 = 0x40000000
"""From here on, numbers on x86-64 are those of another ABI, which nothing of ours uses."""

_UNKNOWN = 463
"""From here on, calls are younger than our list (Linux 6.13). They do not exist for a parser: `ENOSYS`."""

_MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""The architecture as the kernel names it, and the column of our tables."""

_CLONE, _CLONE3, _SOCKET = (56, 220), (435, 435), (41, 198)
_CLONE_THREAD, _AF_UNIX = 0x10000, 1
_ASKS_FOR_ACCESS, _MAY_WRITE = ((21, 48), (1, 2)), 2
"""access() by number and by the argument with the mode. AArch64 has `faccessat` instead."""

_OWN_PROCESS = {"kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131)}
_PRLIMIT, _FCNTL, _IOCTL = (302, 261), (72, 25), (16, 29)
_OWNERS_OF_FILES = (8, 10, 15)
"""F_SETOWN, F_SETSIG, F_SETOWN_EX: they let the kernel send a signal to another process."""

_OWNERS_OF_SOCKETS = (0x8901, 0x8902, 0x5412)
"""FIOSETOWN and SIOCSPGRP do the same; TIOCSTI types into a terminal."""


def supported() -> bool:
    """Whether this kernel filters, and whether we know the calls of this machine."""
    if sys.platform != "linux" or platform.machine() not in _MACHINES:
        return False
    return int(LIBC.prctl(_PR_GET_SECCOMP, 0, 0, 0, 0)) >= 0


def deny(*, but: frozenset[str] = frozenset()) -> None:
    """Deny the calls to this process for good, except for those in `but`.

    Where `clone` is excepted, it makes threads but no processes; where `socket` is, it makes Unix sockets,
    and the process is told that it may write to no folder that it asks about: LibreOffice then puts its
    socket where its environment says, and not into a shared folder. Signals reach this process alone.

    Raises OSError if the kernel refuses. No-new-privileges must be set.
    """
    program = b"".join(_program(but, os.getpid()))
    instructions = ctypes.create_string_buffer(program, len(program))
    described = struct.pack("@HP", len(program) // _INSTRUCTION, ctypes.addressof(instructions))
    checked(LIBC.prctl(_PR_SET_SECCOMP, _MODE_FILTER, described, 0, 0))


def _program(but: frozenset[str], pid: int) -> Iterator[bytes]:
    """The filter, in instructions of the classic BPF."""
    architecture, column = _MACHINES[platform.machine()]
    yield _jump(_LOAD, _ARCHITECTURE)
    yield _jump(_EQUAL, architecture, 1, 0)
    yield _answer(_KILL)
    yield _jump(_LOAD, _NUMBER)
    yield _jump(_AT_LEAST, _X32, 0, 1)
    yield _answer(_ERRNO | errno.EPERM)
    yield _jump(_AT_LEAST, _UNKNOWN, 0, 1)
    yield _answer(_ERRNO | errno.ENOSYS)
    if "clone" in but:
        # The C library falls back to `clone`, whose flags can be looked at.
        yield _jump(_EQUAL, _CLONE3[column], 0, 1)
        yield _answer(_ERRNO | errno.ENOSYS)
        yield _jump(_EQUAL, _CLONE[column], 0, 4)
        yield _jump(_LOAD, _ARGUMENTS)
        yield _jump(_ANY_BIT, _CLONE_THREAD, 0, 1)
        yield _answer(_ALLOW)
        yield _answer(_ERRNO | errno.EPERM)
    if "socket" in but:
        yield from _when(_SOCKET[column], 0, allowed=(_AF_UNIX,))
        calls, arguments = _ASKS_FOR_ACCESS
        yield from _when(calls[column], arguments[column], denied=(_MAY_WRITE,))
    for name, *numbers in DENIED:
        number = numbers[column]
        if name not in but and number is not None:
            yield _jump(_EQUAL, number, 0, 1)
            yield _answer(_ERRNO | errno.EPERM)
    for numbers_of in _OWN_PROCESS.values():
        yield from _when(numbers_of[column], 0, allowed=(pid,))
    yield from _when(_PRLIMIT[column], 0, allowed=(0, pid))
    yield from _when(_FCNTL[column], 1, denied=_OWNERS_OF_FILES)
    yield from _when(_IOCTL[column], 1, denied=_OWNERS_OF_SOCKETS)
    yield _answer(_ALLOW)


def _when(
    number: int, argument: int, *, allowed: tuple[int, ...] = (), denied: tuple[int, ...] = ()
) -> Iterator[bytes]:
    """Decide about one call by the low half of one argument: only `allowed`, or all but `denied`."""
    refuse = _ERRNO | errno.EPERM
    values, found, otherwise = (allowed, _ALLOW, refuse) if allowed else (denied, refuse, _ALLOW)
    yield _jump(_EQUAL, number, 0, 2 + 2 * len(values))
    yield _jump(_LOAD, _ARGUMENTS + 8 * argument)
    for value in values:
        yield _jump(_EQUAL, value, 0, 1)
        yield _answer(found)
    yield _answer(otherwise)


def _jump(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _answer(action: int) -> bytes:
    return struct.pack("=HBBI", _RETURN, 0, 0, action)
