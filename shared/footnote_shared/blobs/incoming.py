"""Counting and hashing bytes that stream in, on their way to a file."""

import hashlib
from collections.abc import AsyncIterator, Callable

import anyio

from footnote_shared.blobs.keys import checked
from footnote_shared.blobs.protocol import KeyOf, StoredBlob
from footnote_shared.kernel.errors import TooLarge

# Bytes that one hop to a thread hashes and writes. The hop itself costs as much as hashing 50 KB.
_BLOCK = 2**20


async def receive(
    key: str | KeyOf, chunks: AsyncIterator[bytes], max_bytes: int, write: Callable[[bytes], object]
) -> StoredBlob:
    """Give all chunks to `write`, and return what they were. Raises TooLarge beyond `max_bytes`.

    `write` runs in a thread, so that the disk does not hold up the event loop. A cancellation waits for the
    thread.
    """
    digest = hashlib.sha256()
    size = held = 0
    waiting: list[bytes] = []

    def take(block: bytes) -> None:
        digest.update(block)
        write(block)

    async for chunk in chunks:
        size += len(chunk)
        if size > max_bytes:
            raise TooLarge(f"More than {max_bytes} bytes came in; that is the limit.")
        waiting.append(chunk)
        held += len(chunk)
        if held >= _BLOCK:
            await anyio.to_thread.run_sync(take, b"".join(waiting))
            waiting, held = [], 0
    if waiting:
        await anyio.to_thread.run_sync(take, b"".join(waiting))
    sha256 = digest.hexdigest()
    return StoredBlob(checked(key if isinstance(key, str) else key(sha256)), size, sha256)
