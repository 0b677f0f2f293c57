"""A blob store that calls the test when a worker writes or removes."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping

from footnote_shared.blobs.protocol import BlobEntry, BlobStore, KeyOf, StoredBlob


class Killed(BaseException):
    """Stands for the death of a process: nothing of ours handles it."""


def die(keys: list[str]) -> None:
    raise Killed


Meddle = Callable[[list[str]], None]


class MeddledBlobs:
    """Passes everything on. Each hook is called once, for a key of its kind (`elements`, `vectors`)."""

    def __init__(self, blobs: BlobStore) -> None:
        self._blobs = blobs
        self.before_put: dict[str, Meddle] = {}
        self.after_put: dict[str, Meddle] = {}
        self.before_delete: dict[str, Meddle] = {}

    def put(self, key: str, content: bytes) -> None:
        _call(self.before_put, [key])
        self._blobs.put(key, content)
        _call(self.after_put, [key])

    def put_all(self, contents: Mapping[str, bytes]) -> None:
        for key, content in contents.items():
            self.put(key, content)

    def put_passing(self, key: str, content: bytes) -> None:
        _call(self.before_put, [key])
        self._blobs.put_passing(key, content)
        _call(self.after_put, [key])

    def delete(self, keys: Iterable[str]) -> None:
        chosen = list(keys)
        _call(self.before_delete, chosen)
        self._blobs.delete(chosen)

    def put_if_absent(self, key: str, content: bytes) -> bool:
        return self._blobs.put_if_absent(key, content)

    async def put_stream(self, key: str | KeyOf, chunks: AsyncIterator[bytes], max_bytes: int) -> StoredBlob:
        return await self._blobs.put_stream(key, chunks, max_bytes)

    def get(self, key: str) -> bytes:
        return self._blobs.get(key)

    def get_range(self, key: str, start: int, end: int) -> bytes:
        return self._blobs.get_range(key, start, end)

    def exists(self, key: str) -> bool:
        return self._blobs.exists(key)

    def list(self, prefix: str) -> Iterator[BlobEntry]:
        return self._blobs.list(prefix)

    def forget_unfinished(self) -> None:
        self._blobs.forget_unfinished()


def _call(hooks: dict[str, Meddle], keys: list[str]) -> None:
    for kind in {key.partition("/")[0] for key in keys}:
        if kind in hooks:
            hooks.pop(kind)(keys)
