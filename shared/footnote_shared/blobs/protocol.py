"""The port to blobs: bytes under a key, whole or not there at all.

Implementations: `folder`, `objects` and, for tests, `footnote_testing.memory_blobs`. All pass
`tests/contract/test_blob_store.py`.
"""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeAlias

from footnote_shared.kernel.errors import OurFault

KeyOf: TypeAlias = Callable[[str], str]
"""The key for bytes whose SHA-256 (64 hex digits) is known only once they have come in."""


class BlobMissing(OurFault):
    """A key that our records name is not in the store. `key` is for logs."""

    code = "blob_missing"

    def __init__(self, key: str) -> None:
        super().__init__("Stored content is missing.")
        self.key = key


@dataclass(frozen=True, slots=True)
class StoredBlob:
    """What has been written, durably: its key, size in bytes and SHA-256 in hex."""

    key: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class BlobEntry:
    """One blob of a listing; `modified` is in UTC."""

    key: str
    size: int
    modified: datetime


class BlobStore(Protocol):
    """Synchronous but for `put_stream`, and safe to share between threads. Made per process, after a fork.

    When a write returns, the bytes survive the loss of power; until then no reader sees any of them. Keys come from
    `footnote_shared.blobs.keys`; any other that could leave the store is OurFault. Every method raises Unavailable("blobs")
    where the store does not answer and Misconfigured where it refuses us.
    """

    def put(self, key: str, content: bytes) -> None:
        """Write, in place of what was there."""
        ...

    def put_if_absent(self, key: str, content: bytes) -> bool:
        """Write where there is nothing yet. Of writers at once exactly one gets True; False leaves the old bytes."""
        ...

    async def put_stream(self, key: str | KeyOf, chunks: AsyncIterator[bytes], max_bytes: int) -> StoredBlob:
        """Write what comes in without holding it in memory, in place of what was there.

        Raises TooLarge after the first chunk that goes beyond `max_bytes`. That, an error of `chunks` and a cancellation
        leave nothing behind.
        """
        ...

    def get(self, key: str) -> bytes:
        """Raises BlobMissing."""
        ...

    def get_range(self, key: str, start: int, end: int) -> bytes:
        """Bytes `start` to `end`, the end not included, as a slice would: what lies beyond the end is left out. Raises BlobMissing."""
        ...

    def exists(self, key: str) -> bool: ...

    def delete(self, keys: Iterable[str]) -> None:
        """Remove those that are there. Killed half-way it has removed some; call it again."""
        ...

    def list(self, prefix: str) -> Iterator[BlobEntry]:
        """Blobs whose key begins with the whole segments of `prefix` (`text/a` holds `text/a/1`, not `text/ab`), in no order.

        An empty prefix is the whole store.
        """
        ...
