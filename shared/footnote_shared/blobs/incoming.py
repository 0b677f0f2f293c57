"""Counting and hashing what streams in, on its way to a file."""

import hashlib
from collections.abc import AsyncIterator, Callable

import anyio

from footnote_shared.blobs.keys import checked
from footnote_shared.blobs.protocol import KeyOf, StoredBlob
from footnote_shared.kernel.errors import TooLarge

# Written and hashed at once in a thread: a hop there costs as much as hashing 50 KB.
_BLOCK = 2**20


async def receive(
    key: str | KeyOf, chunks: AsyncIterator[bytes], max_bytes: int, write: Callable[[bytes], object]
) -> StoredBlob:
    """Give all chunks to `write`, which runs in a thread, and say what they were. Raises TooLarge beyond `max_bytes`.

    The event loop is not held up by the disk, and a cancellation waits until the thread is done.
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
