"""Blobs in memory, for tests."""

import threading
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from datetime import UTC, datetime

from footnote_shared.blobs.incoming import receive
from footnote_shared.blobs.keys import checked, checked_prefix
from footnote_shared.blobs.protocol import BlobEntry, BlobMissing, KeyOf, StoredBlob


class MemoryBlobs:
    """A `BlobStore` that lives as long as the object."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._blobs: dict[str, tuple[bytes, datetime]] = {}

    def put(self, key: str, content: bytes) -> None:
        with self._lock:
            self._blobs[checked(key)] = (content, datetime.now(UTC))

    def put_all(self, contents: Mapping[str, bytes]) -> None:
        for key, content in contents.items():
            self.put(key, content)

    def put_passing(self, key: str, content: bytes) -> None:
        self.put(key, content)

    def put_if_absent(self, key: str, content: bytes) -> bool:
        with self._lock:
            if checked(key) in self._blobs:
                return False
            self._blobs[key] = (content, datetime.now(UTC))
        return True

    async def put_stream(self, key: str | KeyOf, chunks: AsyncIterator[bytes], max_bytes: int) -> StoredBlob:
        received = bytearray()
        stored = await receive(key, chunks, max_bytes, received.extend)
        self.put(stored.key, bytes(received))
        return stored

    def get(self, key: str) -> bytes:
        with self._lock:
            if checked(key) not in self._blobs:
                raise BlobMissing(key)
            return self._blobs[key][0]

    def get_range(self, key: str, start: int, end: int) -> bytes:
        return self.get(key)[start:end]

    def exists(self, key: str) -> bool:
        return checked(key) in self._blobs

    def delete(self, keys: Iterable[str]) -> None:
        for key in keys:
            with self._lock:
                self._blobs.pop(checked(key), None)

    def list(self, prefix: str) -> Iterator[BlobEntry]:
        plain = checked_prefix(prefix)
        with self._lock:
            found = sorted(self._blobs.items())
        for key, (content, modified) in found:
            if not plain or key.startswith(f"{plain}/"):
                yield BlobEntry(key, len(content), modified)

    def forget_unfinished(self) -> None:
        """Nothing is ever half written."""
