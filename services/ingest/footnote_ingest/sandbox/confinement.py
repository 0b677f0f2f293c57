"""What a process of the sandbox gives up before it touches a document (docs/adr/0024).

It keeps: reading Python's libraries, the system's shared libraries, fonts and the data of tesseract; writing
in its own temporary folder; the one socket on which its document came. It loses: all other files, signals to
others, sockets, other processes, starting programs, capabilities. LibreOffice keeps a little more: threads,
and a Unix socket of its own, on which it can neither accept nor connect.
"""

import os
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.sandbox import landlock, seccomp
from footnote_ingest.sandbox.denied_calls import OFFICE_CALLS, PROGRAM_STARTS
from footnote_ingest.sandbox.privileges import give_up_privileges
from footnote_shared.settings.services import ParseConfinement

_SYSTEM = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/mime.types",
    "/usr/share/zoneinfo",
    "/usr/share/locale",
    "/etc/fonts",
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/var/cache/fontconfig",
    "/dev/urandom",
)
_TESSDATA = ("share/tessdata", "share/tesseract-ocr", "lib")
_OF_OFFICE = (
    "/etc/libreoffice",
    "/usr/share/libreoffice",
    "/var/lib/libreoffice",
    "/var/spool/libreoffice",
    "/usr/share/fontconfig",
)
_LOADERS = ("/lib64/ld-*.so*", "/lib/ld-*.so*", "/lib/*/ld-*.so*")
"""The kernel starts a program through its loader, which therefore counts as a program too."""

_DEVICES = ("/dev/null",)


@dataclass(frozen=True, slots=True)
class Offered:
    """What the kernel of this machine offers: the version of Landlock (0 without it), and seccomp."""

    landlock: int
    seccomp: bool

    @property
    def missing(self) -> list[str]:
        """What is missing, by name."""
        return [name for name, there in (("Landlock", self.landlock), ("seccomp", self.seccomp)) if not there]


def offered() -> Offered:
    """Ask the kernel."""
    return Offered(landlock.abi(), seccomp.supported())


def refusal(mode: ParseConfinement, there: Offered) -> str | None:
    """Why documents are not parsed on this machine; None if they are.

    Only Linux can confine a process as we need it. Elsewhere (macOS) `required` asks for nothing more.
    """
    if mode != "required" or sys.platform != "linux" or not there.missing:
        return None
    return (
        f"The parser cannot be confined: this machine lacks {' and '.join(there.missing)}. An operator can "
        "allow less with FOOTNOTE_PARSE_CONFINEMENT."
    )


def what_holds(mode: ParseConfinement, there: Offered) -> str:
    """What keeps a parser in on this machine, in words for an operator. It begins with `ok` if documents are
    parsed.
    """
    reason = refusal(mode, there)
    if reason is not None:
        return reason
    if mode == "off":
        return "ok, but not confined: FOOTNOTE_PARSE_CONFINEMENT is off"
    if sys.platform != "linux":
        return "ok, but only Linux can confine it: here it has limits, and no network in Python's code"
    layers = ["no capabilities", "no new privileges"]
    layers += [f"Landlock (version {there.landlock})"] if there.landlock else []
    layers += ["seccomp"] if there.seccomp else []
    lacks = f"; this machine lacks {' and '.join(there.missing)}" if there.missing else ""
    return f"ok, confined by {', '.join(layers)}{lacks}"


class Confinement:
    """What this machine lets a process give up. Made once, in the template, because looking takes time."""

    def __init__(self, mode: ParseConfinement, tesseract: str | None, office: str | None = None) -> None:
        self._mode = mode
        self._offered = offered()
        self._libraries = _libraries()
        self._loaders = [path for pattern in _LOADERS for path in Path("/").glob(pattern[1:])]
        self._tesseract = Path(tesseract).resolve() if tesseract else None
        self._office = Path(office).resolve() if office else None

    def of_child(self, folder: str) -> None:
        """Confine this process, which reads a document and may write in `folder`.

        Raises ParseFailed if that is required and cannot be done.
        """
        self._confine([Path(folder)])

    def of_ocr(self) -> None:
        """Confine this process, which becomes the OCR program and writes only to what is open."""
        assert self._tesseract is not None
        data = [self._tesseract.parent.parent / name for name in _TESSDATA]
        self._confine([], self._tesseract, data, PROGRAM_STARTS)

    def of_office(self, folder: str) -> None:
        """Confine this process, which becomes LibreOffice and writes only in the folder of its child."""
        assert self._office is not None
        data = [self._office.parent.parent, *map(Path, _OF_OFFICE)]
        self._confine([Path(folder)], self._office, data, OFFICE_CALLS)

    def _confine(
        self,
        writable: list[Path],
        program: Path | None = None,
        data: list[Path] | None = None,
        but: frozenset[str] = frozenset(),
    ) -> None:
        reason = refusal(self._mode, self._offered)
        if reason is not None:
            raise ParseFailed(reason, "unconfined", retryable=True)
        if self._mode == "off" or sys.platform != "linux":
            return
        give_up_privileges()
        if self._offered.landlock:
            landlock.restrict(
                readable=self._libraries + (data or []),
                writable=[*writable, *map(Path, _DEVICES)],
                executable=[program, *self._loaders] if program else [],
            )
        if self._offered.seccomp:
            seccomp.deny(but=but)


def _libraries() -> list[Path]:
    """Where Python's code and the system's libraries lie.

    A folder of `sys.path` may also hold data (that of a checkout does), so that only the packages in it which
    are loaded can be read.
    """
    paths = sysconfig.get_paths()
    installed = {Path(paths[name]).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    installed |= {Path(os.__file__).resolve().parent, Path(sys.base_prefix).resolve() / "lib"}
    found = {Path(name) for name in _SYSTEM} | installed
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str):
            path = Path(file).resolve()
            if not any(path.is_relative_to(root) for root in installed):
                package = name.partition(".")[0]
                found.add(next((folder for folder in path.parents if folder.name == package), path))
    return sorted(found)
