"""Blobs that are encrypted on their way to the store, and decrypted on their way back (spec 7.3).

An encrypted blob has a name of its own beside that of the plain one. So no content can imitate it, and both
are read: the encrypted one first.
"""

import secrets
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import IO

from anyio import to_thread

from footnote_ingest.store.sealed_segments import (
    SALT,
    SEGMENT,
    TAG,
    content_size,
    new_salt,
    opened_segments,
    sealed_segments,
    stored_range,
)
from footnote_shared.blobs.incoming import receive
from footnote_shared.blobs.keys import checked
from footnote_shared.blobs.open import open_blobs
from footnote_shared.blobs.protocol import BlobEntry, BlobMissing, BlobStore, KeyOf, StoredBlob
from footnote_shared.db.engine import Database
from footnote_shared.kernel.errors import OurFault
from footnote_shared.security.keyring import DataKey, KeyDestroyed, Keyring, key_id_of
from footnote_shared.settings.base import Settings

SUFFIX = ".sealed"
HEAD = 1 + 16 + SALT
_SPOOL = 8 * 2**20
_AT_ONCE = 16 * SEGMENT


@dataclass(frozen=True, slots=True)
class SealedBlobs:
    """A `BlobStore` over another one. Not for use within a transaction: it reads keys in one of its own."""

    inner: BlobStore
    database: Database
    keyring: Keyring

    def put(self, key: str, content: bytes) -> None:
        if self.keyring.seals:
            self.inner.put(key + SUFFIX, self._sealed(key, content))
        else:
            self.inner.put(key, content)
            self.inner.delete([key + SUFFIX])

    def put_all(self, contents: Mapping[str, bytes]) -> None:
        if self.keyring.seals:
            sealed = {key + SUFFIX: self._sealed(key, content) for key, content in contents.items()}
            self.inner.put_all(sealed)
        else:
            self.inner.put_all(contents)
            self.inner.delete([key + SUFFIX for key in contents])

    def put_passing(self, key: str, content: bytes) -> None:
        """What was encrypted is stored durably: a part of it would look like what somebody has changed."""
        if self.keyring.seals:
            self.put(key, content)
        else:
            self.inner.put_passing(key, content)
            self.inner.delete([key + SUFFIX])

    def put_if_absent(self, key: str, content: bytes) -> bool:
        if self.keyring.seals:
            there = self.inner.exists(key)
            return not there and self.inner.put_if_absent(key + SUFFIX, self._sealed(key, content))
        return not self.inner.exists(key + SUFFIX) and self.inner.put_if_absent(key, content)

    async def put_stream(self, key: str | KeyOf, chunks: AsyncIterator[bytes], max_bytes: int) -> StoredBlob:
        if not self.keyring.seals:
            stored = await self.inner.put_stream(key, chunks, max_bytes)
            await to_thread.run_sync(self.inner.delete, [stored.key + SUFFIX])
            return stored
        # The place may follow from the hash of all that comes in. So it is kept under a key that only this
        # call knows, until the place is known.
        secret, salt = secrets.token_bytes(32), new_salt()
        with tempfile.SpooledTemporaryFile(max_size=_SPOOL) as spool:
            taken = _Spooling(spool, secret, salt)
            stored = await receive(key, chunks, max_bytes, taken.write)
            await to_thread.run_sync(taken.end)
            spool.seek(0)
            blocks = await to_thread.run_sync(self._begun, stored.key, taken.blocks())
            await self.inner.put_stream(stored.key + SUFFIX, _in_threads(blocks), 2 * max_bytes + SEGMENT)
        return stored

    def get(self, key: str) -> bytes:
        try:
            found = self.inner.get(key + SUFFIX)
        except BlobMissing:
            return self._plain(key)
        data_key = self._key_of(found[:HEAD], key)
        return opened_segments(
            data_key.secret, found[HEAD - SALT : HEAD], _place(key), found[HEAD:], 0, ends=True
        )

    def get_range(self, key: str, start: int, end: int) -> bytes:
        try:
            head = self.inner.get_range(key + SUFFIX, 0, HEAD)
        except BlobMissing:
            return self.inner.get_range(key, start, end)
        data_key = self._key_of(head, key)
        if start >= end:
            return b""
        first, begin, until = stored_range(start, end)
        # One byte more tells whether the last segment is among them.
        found = self.inner.get_range(key + SUFFIX, HEAD + begin, HEAD + until + 1)
        if not found and first:
            return b""
        ends = len(found) <= until - begin
        content = opened_segments(
            data_key.secret, head[HEAD - SALT :], _place(key), found[: until - begin], first, ends=ends
        )
        return content[start - first * SEGMENT : end - first * SEGMENT]

    def exists(self, key: str) -> bool:
        return self.inner.exists(key + SUFFIX) or self.inner.exists(key)

    def delete(self, keys: Iterable[str]) -> None:
        self.inner.delete([form for key in keys for form in (key, key + SUFFIX)])

    def list(self, prefix: str) -> Iterator[BlobEntry]:
        """Blobs below `prefix`. One that is just being encrypted may come twice."""
        for entry in self.inner.list(prefix):
            if entry.key.endswith(SUFFIX):
                size = content_size(max(entry.size - HEAD, TAG))
                entry = replace(entry, key=entry.key.removesuffix(SUFFIX), size=size)
            yield entry

    def forget_unfinished(self) -> None:
        self.inner.forget_unfinished()

    def brought_up_to_date(self, stored_key: str, newest: dict[str, str]) -> bool:
        """Bring one blob into the form of today; False if it has it. `stored_key` is its name in `inner`.

        `newest` remembers the newest key of each workspace. Repeat it after a crash. A reader finds the blob
        at all times. A plain one of a workspace whose key was destroyed is removed.
        """
        key, sealed = stored_key.removesuffix(SUFFIX), stored_key.endswith(SUFFIX)
        try:
            if not sealed:
                if not self.keyring.seals:
                    return False
                self.inner.put_if_absent(key + SUFFIX, self._sealed(key, self.inner.get(key)))
                self.inner.delete([key])
                return True
            if not self.keyring.seals:
                self.inner.put_if_absent(key, self.get(key))
                self.inner.delete([stored_key])
                return True
            owner = _workspace(key)
            if owner not in newest:
                newest[owner] = self._sealing_key(owner).id
            if key_id_of(self.inner.get_range(stored_key, 0, HEAD)) == newest[owner]:
                return False
            self.inner.put(stored_key, self._sealed(key, self.get(key)))
        except BlobMissing:
            # It was removed meanwhile.
            return False
        except KeyDestroyed:
            if sealed:
                return False
            # What was never encrypted has to become as unreadable as what was.
            self.inner.delete([key])
        return True

    def _plain(self, key: str) -> bytes:
        try:
            return self.inner.get(key)
        except BlobMissing:
            # Between the two looks it may have been encrypted.
            if not self.inner.exists(key + SUFFIX):
                raise
        return self.get(key)

    def _sealed(self, key: str, content: bytes) -> bytes:
        return b"".join(self._begun(key, iter([content])))

    def _begun(self, key: str, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """The stored form of the content, piece by piece. The key is at hand when this returns."""
        data_key, salt = self._sealing_key(_workspace(key)), new_salt()
        sealed = sealed_segments(data_key.secret, salt, _place(key), blocks)
        return _preceded(data_key.head + salt, sealed)

    def _sealing_key(self, workspace_id: str) -> DataKey:
        return self.keyring.committed_key(self.database, workspace_id)

    def _key_of(self, head: bytes, key: str) -> DataKey:
        if len(head) < HEAD:
            raise OurFault("An encrypted blob is damaged, and cannot be read.")
        with self.database.read() as session:
            data_key = self.keyring.opening_key(session.connection(), key_id_of(head))
        if data_key.workspace_id != _workspace(key):
            raise OurFault("An encrypted blob lies in another workspace than its own, and cannot be read.")
        return data_key


def open_sealed_blobs(settings: Settings, database: Database) -> BlobStore:
    """The store of the settings, encrypted where they ask for it. Call it after a fork."""
    blobs = open_blobs(settings)
    keyring = database.sealer
    return (
        SealedBlobs(blobs, database, keyring)
        if isinstance(keyring, Keyring) and keyring.has_master
        else blobs
    )


class _Spooling:
    """What comes in, sealed under a key of this call, on its way through a file."""

    def __init__(self, file: "IO[bytes]", secret: bytes, salt: bytes) -> None:
        self._file = file
        self._key = secret, salt, b"spool"
        self._waiting = bytearray()
        self._sizes: list[int] = []

    def write(self, block: bytes) -> None:
        self._waiting += block
        if len(self._waiting) >= _AT_ONCE:
            self.end()

    def end(self) -> None:
        """Write what waits. Each part is sealed by itself, under its number."""
        if self._waiting:
            secret, salt, place = self._key
            part = b"".join(sealed_segments(secret, salt, self._numbered(place), [bytes(self._waiting)]))
            self._file.write(part)
            self._sizes.append(len(part))
            self._waiting.clear()

    def blocks(self) -> Iterator[bytes]:
        """All that was written, part by part."""
        sizes, self._sizes = self._sizes, []
        secret, salt, place = self._key
        for size in sizes:
            part = self._file.read(size)
            yield opened_segments(secret, salt, self._numbered(place), part, 0, ends=True)
            self._sizes.append(size)

    def _numbered(self, place: bytes) -> bytes:
        return place + len(self._sizes).to_bytes(8, "big")


def _preceded(head: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield head
    yield from rest


async def _in_threads(blocks: Iterator[bytes]) -> AsyncIterator[bytes]:
    """The blocks, some at once, each portion made in a thread: to encrypt takes its time."""

    def some() -> bytes:
        taken: list[bytes] = []
        for block in blocks:
            taken.append(block)
            if len(taken) == _AT_ONCE // SEGMENT:
                break
        return b"".join(taken)

    while portion := await to_thread.run_sync(some):
        yield portion


def _workspace(key: str) -> str:
    return checked(key).split("/")[1] if "/" in key else ""


def _place(key: str) -> bytes:
    return f"blobs\0{key}".encode()
