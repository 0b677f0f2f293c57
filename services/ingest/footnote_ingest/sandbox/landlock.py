"""Landlock: a process gives up files, signals and networks for good, without any privilege.

Source: https://docs.kernel.org/userspace-api/landlock.html. The numbers are those of `linux/landlock.h`.
"""

import ctypes
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from footnote_ingest.sandbox.libc import LIBC, checked

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE = 1 << 14
_MAKE_DEVICES = 1 << 6 | 1 << 11
_ALL_OF_ABI = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | 1 << 15
_NET, _NET_SINCE = 0b11, 4
_SCOPED, _SCOPED_SINCE = 0b11, 6
"""Abstract unix sockets and signals of processes outside."""


class _RulesetAttr(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneathAttr(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def abi() -> int:
    """The version that the kernel offers; 0 without Landlock."""
    if sys.platform != "linux":
        return 0
    return max(0, int(LIBC.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))))


def restrict(*, readable: Iterable[Path], writable: Iterable[Path], executable: Iterable[Path]) -> None:
    """Leave this process only these files and folders, with all that is below them.

    `writable` can be read too, and `executable` are files. Paths that do not exist are passed over. Raises
    OSError if the kernel refuses. No-new-privileges must be set.
    """
    version = abi()
    handled = _ALL_OF_ABI[max(known for known in _ALL_OF_ABI if known <= max(1, version))]
    attr = _RulesetAttr(
        handled, _NET if version >= _NET_SINCE else 0, _SCOPED if version >= _SCOPED_SINCE else 0
    )
    ruleset = _call(_CREATE_RULESET, ctypes.byref(attr), ctypes.c_size_t(_size(version)), ctypes.c_uint32(0))
    try:
        for paths, rights in (
            (readable, _READ_FILE | _READ_DIR),
            (writable, handled & ~(_EXECUTE | _MAKE_DEVICES)),
            (executable, _EXECUTE | _READ_FILE),
        ):
            for path in paths:
                _allow(ruleset, path, rights & handled)
        _call(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: Path, rights: int) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return
    try:
        allowed = rights if path.is_dir() else rights & _OF_FILES
        rule = _PathBeneathAttr(allowed, handle)
        _call(
            _ADD_RULE,
            ctypes.c_int(ruleset),
            ctypes.c_int(_PATH_BENEATH),
            ctypes.byref(rule),
            ctypes.c_uint32(0),
        )
    finally:
        os.close(handle)


def _size(version: int) -> int:
    """Older kernels refuse fields that they do not know."""
    fields = 1 + (version >= _NET_SINCE) + (version >= _SCOPED_SINCE)
    return fields * ctypes.sizeof(ctypes.c_uint64)


def _call(number: int, *arguments: object) -> int:
    return checked(int(LIBC.syscall(ctypes.c_long(number), *arguments)))
