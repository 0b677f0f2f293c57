"""Archives and compressed files: each file inside becomes a document of its own, as attachments do.

Nothing is written to a disk. Links, devices and sparse files are passed over, and what comes out is counted
while it is unpacked, so an archive that lies about its sizes is stopped too.
"""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from footnote_ingest.parsing.archive import FREE, bomb, check_container
from footnote_ingest.parsing.elements import Attachment, Extracted, one_line, storable
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.formats import BZIP2, GZIP, TAR, XZ, ZIP
from footnote_ingest.parsing.parse_limits import MIB, ParseLimits
from footnote_ingest.parsing.parser_input import ParserInput
from footnote_ingest.parsing.sniff import HEAD_BYTES, is_tar, sniff

_MOST_HELD = 200 * MIB
"""Bytes of the files of one archive that are taken together. They are held in memory."""

_MOST_NAMED = 5
"""Kinds that a warning names of those that are not read."""

_LONGEST_NAME, _LONGEST_ENDING = 200, 16
_HIDDEN_FOLDERS = frozenset({"__macosx", "node_modules", "__pycache__"})
_SHORT_ENDINGS = {"tgz": "tar", "tbz": "tar", "tbz2": "tar", "txz": "tar"}
_DAMAGED = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
)
"""What the libraries raise for bytes that are no archive. Chained headers of tar raise RecursionError, which
is a RuntimeError."""


def parse(given: ParserInput) -> Extracted:
    """The names of the files as a list, and the files.

    What is not read anyway, such as pictures of a kind without text, is counted in a warning.
    """
    found = _Found(given.limits)
    try:
        _OPENED[given.sniffed.mime](given, found)
    except _DAMAGED as error:
        raise ParseFailed("The archive is damaged: it cannot be unpacked.", "corrupt") from error
    if not found.attachments:
        raise ParseFailed(f"The archive holds no file of a kind that is read{found.told()}.", "empty")
    to = given.assembler()
    to.warnings.extend(found.warnings())
    for name in found.names:
        to.add("list", f"- {name}")
    return to.finish(attachments=found.attachments)


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes:
        """The next bytes, at most `size`; empty at the end."""
        ...


@dataclass(slots=True)
class _Found:
    """The files of one archive that are taken, and what was left out."""

    limits: ParseLimits
    attachments: list[Attachment] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    too_large: int = 0
    beyond: int = 0
    held: int = 0
    _taken: set[str] = field(default_factory=set)

    def offer(self, path: str, size: int, opened: Callable[[], _Readable | None]) -> None:
        """Take the file if it is one that is read and there is room for it. `size` is what is claimed.

        A second file of the same name is called by its path, which leaves its ending as it is.
        """
        if _is_passed_over(path):
            return
        if len(self.attachments) >= self.limits.attachments or self.held + size > _MOST_HELD:
            self.beyond += 1
            return
        if size > self.limits.size:
            self.too_large += 1
            return
        stream = opened()
        if stream is None:
            return
        head = stream.read(HEAD_BYTES)
        if not head.strip():
            return
        if not _is_read(head, path):
            self.unread.append(path)
            return
        content = head + stream.read(self.limits.size + 1 - len(head))
        if len(content) > self.limits.size:
            self.too_large += 1
            return
        self.held += len(content)
        parts = [part for part in storable(path).split("/") if part not in ("", ".")]
        name = parts[-1] if parts[-1] not in self._taken else " › ".join(parts)
        self._taken.add(name)
        self.names.append(one_line("/".join(parts)))
        self.attachments.append(Attachment(name, "", content))

    def warnings(self) -> Iterator[str]:
        """A sentence for each reason for which files were left out."""
        if self.unread:
            yield f"Of the archive {_files(len(self.unread))} left out whose kind is not read{self.told()}."
        if self.too_large:
            most = f"{self.limits.size / MIB:,.0f} MiB"
            yield f"Of the archive {_files(self.too_large)} left out with more than {most}."
        if self.beyond:
            yield (
                f"Of the archive {_files(self.beyond)} left out: the first {len(self.attachments)} files "
                "were taken."
            )

    def told(self) -> str:
        """The kinds of the files that are not read, by their endings, the most frequent first."""
        kinds = Counter(_ending(path) for path in self.unread).most_common(_MOST_NAMED)
        return f" ({', '.join(f'{count} {kind}' for kind, count in kinds)})" if kinds else ""


def _files(count: int) -> str:
    return "1 file was" if count == 1 else f"{count:,} files were"


def _ending(path: str) -> str:
    name = path.rsplit("/", 1)[-1]
    return f".{name.rsplit('.', 1)[-1][:_LONGEST_ENDING]}" if "." in name else "without an ending"


def _is_passed_over(path: str) -> bool:
    """Whether the file is hidden, or lies in a folder of a program."""
    parts = [part for part in path.lower().split("/") if part not in ("", ".")]
    return not parts or any(part.startswith(".") or part in _HIDDEN_FOLDERS for part in parts)


def _is_read(head: bytes, path: str) -> bool:
    try:
        sniff(head, path, complete=False)
    except ParseFailed:
        return False
    return True


class _Counted(io.RawIOBase):
    """A stream that refuses to yield more than a document may unpack to."""

    def __init__(self, stream: _Readable, packed: int, limits: ParseLimits) -> None:
        self._stream = stream
        self._packed = packed
        self._limits = limits
        self._unpacked = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        """The next `size` bytes, or all that are left; raises ParseFailed for a bomb."""
        pieces: list[bytes] = []
        left = self._limits.unpacked + 1 if size is None or size < 0 else size
        while left > 0 and (piece := self._stream.read(min(left, MIB))):
            left -= len(piece)
            pieces.append(piece)
            self._unpacked += len(piece)
            if self._unpacked > self._limits.unpacked:
                raise bomb(f"it unpacks to more than {self._limits.unpacked // MIB:,} MiB")
            if self._unpacked > FREE and self._unpacked > self._limits.ratio * self._packed:
                raise bomb(f"it unpacks to more than {self._limits.ratio} times its size")
        return b"".join(pieces)


def _unpack_zip(given: ParserInput, found: _Found) -> None:
    check_container(given.data, given.limits)
    with zipfile.ZipFile(io.BytesIO(given.data)) as archive:
        for part in archive.infolist():
            if not part.is_dir():
                found.offer(part.filename, part.file_size, partial(archive.open, part))


def _unpack_tar(given: ParserInput, found: _Found) -> None:
    _take_members(io.BytesIO(given.data), len(given.data), found)


def _unpack_compressed(given: ParserInput, found: _Found) -> None:
    """A compressed tar, or one compressed file, which is called like the whole without its ending."""
    packed = len(given.data)
    with _decompressed(given) as stream:
        head = stream.read(HEAD_BYTES)
    if is_tar(head):
        with _decompressed(given) as stream:
            _take_members(stream, packed, found)
        return
    with _decompressed(given) as stream:
        counted = _Counted(stream, packed, given.limits)
        found.offer(_inner_name(given.filename), 0, lambda: counted)


def _decompressed(given: ParserInput) -> gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile:
    data = io.BytesIO(given.data)
    match given.sniffed.mime:
        case mime if mime == GZIP:
            return gzip.GzipFile(fileobj=data)
        case mime if mime == BZIP2:
            return bz2.BZ2File(data)
        case _:
            return lzma.LZMAFile(data)


def _inner_name(filename: str) -> str:
    """What the one file is called that was compressed."""
    name = filename.rsplit("/", 1)[-1].rsplit("\\", 1)[-1]
    stem, dot, ending = name.rpartition(".")
    if not dot or not stem:
        return name or "content"
    short = _SHORT_ENDINGS.get(ending.lower())
    return (f"{stem}.{short}" if short else stem)[-_LONGEST_NAME:]


def _take_members(stream: _Readable, packed: int, found: _Found) -> None:
    counted = _Counted(stream, packed, found.limits)
    with tarfile.open(fileobj=counted, mode="r|") as archive:
        for number, member in enumerate(archive, 1):
            if number > found.limits.entries:
                raise bomb(f"it has more than {found.limits.entries:,} parts")
            if member.type in (tarfile.REGTYPE, tarfile.AREGTYPE):
                found.offer(member.name, member.size, partial(archive.extractfile, member))


_OPENED: dict[str, Callable[[ParserInput, _Found], None]] = {
    ZIP: _unpack_zip,
    TAR: _unpack_tar,
    GZIP: _unpack_compressed,
    BZIP2: _unpack_compressed,
    XZ: _unpack_compressed,
}
