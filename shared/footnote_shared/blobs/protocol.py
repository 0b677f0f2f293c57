"""The port to blobs: bytes under a key, which are there as a whole or not at all.

Implementations: `folder`, `objects` and, for tests, `footnote_testing.memory_blobs`. All of them pass
`tests/contract/test_blob_store.py`.
"""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeAlias

from footnote_shared.kernel.errors import OurFault

KeyOf: TypeAlias = Callable[[str], str]
"""Gives the key for a SHA-256 in hex, which is known only once all bytes have come in."""


class BlobMissing(OurFault):
    """The store lacks a key that our records name. `key` is for logs."""

    code = "blob_missing"

    def __init__(self, key: str) -> None:
        super().__init__("Stored content is missing.")
        self.key = key


@dataclass(frozen=True, slots=True)
class StoredBlob:
    """What was written durably: its key, its size in bytes and its SHA-256 in hex."""

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
    """Blocks except for `put_stream`; safe to share between threads; made once per process, after a fork.

    When a write returns, the bytes survive a loss of power, but for `put_passing`; before that, no reader
    sees any of them. Keys come from `footnote_shared.blobs.keys`. Any other key that could leave the store
    raises OurFault. Every
    method raises Unavailable("blobs") if the store does not answer, is full or refuses us: an operator can
    mend each of these, and the same call can then succeed.
    """

    def put(self, key: str, content: bytes) -> None:
        """Write the bytes in place of what was there."""
        ...

    def put_all(self, contents: Mapping[str, bytes]) -> None:
        """`put` for several keys. If it raises, some of them may have been written."""
        ...

    def put_passing(self, key: str, content: bytes) -> None:
        """Like `put`, for what can be made again: a loss of power may take it, or a part of it.

        All keys of a kind are written in one of the two ways.
        """
        ...

    def put_if_absent(self, key: str, content: bytes) -> bool:
        """Write the bytes if the key is free. Of several writers at once, exactly one gets True."""
        ...

    async def put_stream(self, key: str | KeyOf, chunks: AsyncIterator[bytes], max_bytes: int) -> StoredBlob:
        """Write bytes as they come in, in place of what was there, without holding them in memory.

        Raises TooLarge after the first chunk beyond `max_bytes`. This error, an error of `chunks` and a
        cancellation leave nothing behind.
        """
        ...

    def get(self, key: str) -> bytes:
        """The bytes. Raises BlobMissing."""
        ...

    def get_range(self, key: str, start: int, end: int) -> bytes:
        """The slice `[start:end]` of the bytes. Raises BlobMissing."""
        ...

    def exists(self, key: str) -> bool: ...

    def delete(self, keys: Iterable[str]) -> None:
        """Remove the keys that are there. After a crash half-way, call it again."""
        ...

    def list(self, prefix: str) -> Iterator[BlobEntry]:
        """Blobs below `prefix`, in no order. `text/a` holds `text/a/1`, but not `text/ab`.

        An empty prefix means the whole store.
        """
        ...

    def forget_unfinished(self) -> None:
        """Remove what writers that died have left half written. No reader ever sees any of it."""
        ...
