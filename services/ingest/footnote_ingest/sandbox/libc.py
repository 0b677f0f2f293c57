"""The C library of this process, for the calls that Python has no name for."""

import ctypes
import os

LIBC = ctypes.CDLL(None, use_errno=True)


def checked(result: int) -> int:
    """The result of a call, or the OSError that it stands for."""
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result
