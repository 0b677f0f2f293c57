"""Giving up privileges: the capabilities held, and the means to gain new ones (capabilities(7), prctl(2))."""

import struct

from footnote_ingest.sandbox.libc import LIBC, checked

_PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 4, 24, 38, 47
_CLEAR_ALL = 4
_CAPABILITY_VERSION = 0x20080522
_MOST_CAPABILITIES = 64


def give_up_privileges() -> None:
    """Drop every capability, let no program bring one back, and let no process of the user look into us.

    Raises OSError if the kernel refuses.
    """
    checked(LIBC.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    for capability in range(_MOST_CAPABILITIES):
        # Who lacks the right to drop one here cannot gain one either: it would take a new privilege.
        if LIBC.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break
    LIBC.prctl(_PR_CAP_AMBIENT, _CLEAR_ALL, 0, 0, 0)
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    checked(LIBC.capset(header, bytes(24)))
    checked(LIBC.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0))
