"""Systems, standards and libraries that mdoc names by a short word (mdoc(7): `.At`, `.Bx`, `.St`, `.Lb`)."""

import re
from collections.abc import Sequence

SYSTEMS = {
    "Ux": "UNIX",
    "Fx": "FreeBSD",
    "Nx": "NetBSD",
    "Ox": "OpenBSD",
    "Dx": "DragonFly",
    "Bsx": "BSD/OS",
    "Bx": "BSD",
    "At": "AT&T UNIX",
}
_VERSION = re.compile(r"v([1-7])|(32v|III)|V(?:\.([1-4]))?")
_POSIX = re.compile(r"-p(1003\.\d[a-z]?)(?:-(\d{2,4}))?")
_UNIX_SPECIFICATION = re.compile(r"-susv([1-4])")
_STANDARDS = {
    "-ansiC": "ANSI X3.159-1989 (“ANSI C89”)",
    "-ansiC-89": "ANSI X3.159-1989 (“ANSI C89”)",
    "-isoC": "ISO/IEC 9899:1990 (“ISO C90”)",
    "-isoC-90": "ISO/IEC 9899:1990 (“ISO C90”)",
    "-isoC-99": "ISO/IEC 9899:1999 (“ISO C99”)",
    "-isoC-2011": "ISO/IEC 9899:2011 (“ISO C11”)",
    "-ieee754": "IEEE Std 754-1985",
    "-iso8601": "ISO 8601",
    "-iso8802-3": "ISO 8802-3: 1989",
    "-xpg3": "X/Open Portability Guide Issue 3 (“XPG3”)",
    "-xpg4": "X/Open Portability Guide Issue 4 (“XPG4”)",
    "-xpg4.2": "X/Open Portability Guide Issue 4, Version 2 (“XPG4.2”)",
    "-svid4": "System V Interface Definition, Fourth Edition (“SVID4”)",
}
_LIBRARIES = {
    "libarchive": "Streaming Archive Library (libarchive, -larchive)",
    "libbsd": "Utility functions from BSD systems (libbsd, -lbsd)",
    "libc": "Standard C Library (libc, -lc)",
    "libcrypt": "Crypt Library (libcrypt, -lcrypt)",
    "libcurses": "Curses Library (libcurses, -lcurses)",
    "libedit": "Command Line Editor Library (libedit, -ledit)",
    "libkvm": "Kernel Data Access Library (libkvm, -lkvm)",
    "libm": "Math Library (libm, -lm)",
    "libmd": "Message Digest (MD4, MD5, etc.) Support Library (libmd, -lmd)",
    "libpthread": "POSIX Threads Library (libpthread, -lpthread)",
    "librt": "POSIX Real-time Library (librt, -lrt)",
    "libutil": "System Utilities Library (libutil, -lutil)",
    "libz": "Compression Library (libz, -lz)",
}


def system(macro: str, version: Sequence[str]) -> str:
    """The name of a system with its version, such as "4.4BSD-Lite2" or "Version 7 AT&T UNIX"."""
    name = SYSTEMS[macro]
    if not version:
        return name
    if macro == "At":
        return _at(version[0])
    if macro == "Bx":
        # The second word is the name of a variant.
        return f"{version[0]}BSD" + "".join(f"-{word.capitalize()}" for word in version[1:])
    return " ".join((name, *version))


def _at(version: str) -> str:
    found = _VERSION.fullmatch(version)
    if found is None:
        return f"AT&T UNIX {version}"
    if found[1]:
        return f"Version {found[1]} AT&T UNIX"
    if found[2]:
        return "Version 7 AT&T UNIX/32V" if found[2] == "32v" else "AT&T System III UNIX"
    return f"AT&T System V Release {found[3]} UNIX" if found[3] else "AT&T System V UNIX"


def standard(short: str) -> str:
    """The name of a standard. One that is unknown stands as it is written."""
    posix = _POSIX.fullmatch(short)
    if posix:
        year = f"-{posix[2] if len(posix[2]) > len('96') else '19' + posix[2]}" if posix[2] else ""
        return f"IEEE Std {posix[1]}{year} (“POSIX.{posix[1].partition('.')[2]}”)"
    single = _UNIX_SPECIFICATION.fullmatch(short)
    if single:
        return f"Version {single[1]} of the Single UNIX Specification (“SUSv{single[1]}”)"
    return _STANDARDS.get(short, short)


def library(name: str) -> str:
    """The name of a library."""
    return _LIBRARIES.get(name, f"library “{name}”")
