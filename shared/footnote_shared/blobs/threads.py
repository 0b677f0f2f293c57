"""Blobs for code on the event loop: each call in a thread."""

from collections.abc import AsyncIterator, Sequence

from anyio.to_thread import run_sync

from footnote_shared.blobs.protocol import BlobStore, KeyOf, StoredBlob


class AsyncBlobs:
    """A `BlobStore` with the same methods to await. Errors are the same."""

    def __init__(self, store: BlobStore) -> None:
        self.store = store

    async def put(self, key: str, content: bytes) -> None:
        await run_sync(self.store.put, key, content)

    async def put_if_absent(self, key: str, content: bytes) -> bool:
        return await run_sync(self.store.put_if_absent, key, content)

    async def put_stream(self, key: str | KeyOf, chunks: AsyncIterator[bytes], max_bytes: int) -> StoredBlob:
        return await self.store.put_stream(key, chunks, max_bytes)

    async def get(self, key: str) -> bytes:
        return await run_sync(self.store.get, key)

    async def get_range(self, key: str, start: int, end: int) -> bytes:
        return await run_sync(self.store.get_range, key, start, end)

    async def exists(self, key: str) -> bool:
        return await run_sync(self.store.exists, key)

    async def delete(self, keys: Sequence[str]) -> None:
        await run_sync(self.store.delete, keys)
