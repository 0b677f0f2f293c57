"""Files on this machine, and the paths in Footnote that they go to."""

import hashlib
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

_ESCAPES = 0xDC00
"""Python reads byte 0xE9 of a name that is not UTF-8 as the character 0xDCE9 (PEP 383)."""


class StoredPath(NamedTuple):
    """A folder of Footnote and a file name in it, in the form in which the server stores them."""

    folder: str
    filename: str

    @property
    def path(self) -> str:
        return f"{self.folder.rstrip('/')}/{self.filename}"


def storable(name: str) -> str:
    """A name or path of the file system in signs that every store and every request can hold.

    Bytes that are not UTF-8, control characters and backslashes become `%E9`, `%0A` and `%5C`. Two files keep
    two names, whatever somebody once called them, and what a request makes of such a sign does not matter.
    """
    return "".join(_sign(char) for char in name)


def _sign(char: str) -> str:
    if _ESCAPES < ord(char) <= _ESCAPES + 0xFF:
        return f"%{ord(char) - _ESCAPES:02X}"
    if char == "\\" or unicodedata.category(char) == "Cc":
        return "".join(f"%{byte:02X}" for byte in char.encode())
    return char


def stored_path(folder: str, filename: str) -> StoredPath:
    """The path in composed characters (NFC), without white space around the parts of the path.

    A file's name has no character that nobody sees, such as a joiner or an override of the reading order.
    """
    parts = (unicodedata.normalize("NFC", part).strip() for part in storable(folder).split("/"))
    composed = unicodedata.normalize("NFC", storable(filename))
    seen = "".join(char for char in composed if not unicodedata.category(char).startswith("C"))
    return StoredPath("/" + "/".join(part for part in parts if part), seen.strip())


def shown_path(path: Path) -> str:
    """A path from the folder that the person stands in, if it is below that; else the whole."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file on this machine, and the folder of Footnote that it goes to.

    `given_name` is its name in Footnote where that is not the name on this machine.
    """

    path: Path
    folder: str
    given_name: str | None = None

    @property
    def name(self) -> str:
        """Its name in Footnote, as the server stores it."""
        return stored_path(self.folder, self.given_name or self.path.name).filename

    @property
    def shown(self) -> str:
        """Where the file is, from the folder that the person stands in if it is below that."""
        if self.given_name is not None:
            return self.name
        return shown_path(self.path)

    @property
    def stored_path(self) -> StoredPath:
        return stored_path(self.folder, self.name)

    def size(self) -> int:
        """Its bytes; 0 for a file that cannot be looked at, whose upload says why."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def sha256(self) -> str:
        """The hash of its bytes, by which the server knows a file again. Raises OSError."""
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(slots=True)
class Hashes:
    """The hashes of files. A file is read again only once its size, time or inode has changed."""

    _known: dict[Path, tuple[tuple[int, int, int], str]] = field(default_factory=dict)

    def of(self, file: LocalFile) -> str | None:
        """The hash; None for a file that cannot be read, whose upload says why."""
        try:
            status = file.path.stat()
            signature = (status.st_size, status.st_mtime_ns, status.st_ino)
            seen = self._known.get(file.path)
            if seen is not None and seen[0] == signature:
                return seen[1]
            value = file.sha256()
        except OSError:
            return None
        self._known[file.path] = (signature, value)
        return value
