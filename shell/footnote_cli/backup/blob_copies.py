"""The blobs of a backup: copied while they are written and removed, each checked on its way back."""

import gzip
import hashlib
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from footnote_cli.backup.ended_rights import NOTE
from footnote_cli.backup.manifest import pieces_of, sha256_of
from footnote_shared.blobs.protocol import BlobMissing, BlobStore
from footnote_shared.kernel.errors import Misconfigured, Unavailable

_PIECE = 4 << 20
_BEGINNING = 1024
_MOST_TRIES = 5


@dataclass(frozen=True, slots=True)
class BlobCopy:
    """A blob in a backup: its key, which is its path there too, its size in bytes and its SHA-256."""

    key: str
    size: int
    sha256: str


@dataclass(slots=True)
class BlobCopies:
    """Copies what it has not copied yet. `lost` are keys that were gone when their turn came."""

    blobs: BlobStore
    folder: Path
    copied: dict[str, BlobCopy] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)

    def copy(self) -> None:
        """Copy all blobs that are there and not copied."""
        for entry in self.blobs.list(""):
            if entry.key in self.copied or entry.key == NOTE:
                continue
            try:
                self.copied[entry.key] = self._whole_copy(entry.key, entry.size)
                self.lost.discard(entry.key)
            except BlobMissing:
                self.lost.add(entry.key)

    def _whole_copy(self, key: str, size: int) -> BlobCopy:
        """A copy of one content. Raises Unavailable for a blob that changes whenever it is read."""
        for _ in range(_MOST_TRIES):
            copy = self._copy(key, size)
            if self._is_whole(copy):
                return copy
        raise Unavailable("blobs", f"The blob {key} changes while it is copied. Make the backup again.")

    def _is_whole(self, copy: BlobCopy) -> bool:
        """Whether all pieces are of one content: a blob may be encrypted anew while it is read.

        Its beginning is another one then, because each encryption begins with random bytes.
        """
        if copy.size <= _PIECE:
            return True
        with (self.folder / copy.key).open("rb") as file:
            return file.read(_BEGINNING) == self.blobs.get_range(copy.key, 0, _BEGINNING)

    def _copy(self, key: str, size: int) -> BlobCopy:
        target = self.folder / key
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        digest = hashlib.sha256()
        written = 0
        with target.open("wb") as out:
            while written < size or written == 0:
                piece = self.blobs.get_range(key, written, min(written + _PIECE, size)) if size else b""
                digest.update(piece)
                out.write(piece)
                written += len(piece)
                if not piece:
                    break
        return BlobCopy(key, written, digest.hexdigest())


def write_list(file: Path, copies: list[BlobCopy]) -> str:
    """Write what was copied, a line for each blob; return the SHA-256 of the file."""
    with gzip.open(file, "wt") as out:
        for one in sorted(copies, key=lambda copy: copy.key):
            out.write(json.dumps([one.key, one.size, one.sha256]) + "\n")
    return sha256_of(file)


def read_list(file: Path) -> Iterator[BlobCopy]:
    with gzip.open(file, "rt") as lines:
        for line in lines:
            yield BlobCopy(*json.loads(line))


def check_copy(folder: Path, copy: BlobCopy) -> None:
    """Raise Misconfigured unless the bytes are those that were copied."""
    file = folder / copy.key
    if not file.resolve().is_relative_to(folder.resolve()):
        raise Misconfigured(f"The backup names a file outside of it: {copy.key}.")
    if not file.is_file() or sha256_of(file) != copy.sha256:
        raise Misconfigured(f"The backup is damaged: {copy.key} is not what was copied.")


async def pieces(file: Path) -> AsyncIterator[bytes]:
    for piece in pieces_of(file):
        yield piece
