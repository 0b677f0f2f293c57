"""A file on its way to the server: from a path or from bytes, and how much of it has gone."""

import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_FILES_AT_ONCE = 100
_BYTES_AT_ONCE = 8 * 2**20

Sent = Callable[[int, int], None]
"""Is told how many bytes of how many have gone, from the thread that sends."""


@dataclass(frozen=True)
class UploadFile:
    """Bytes with a name. It is opened anew for each try, so a call can be sent again."""

    name: str
    source: Path | bytes
    on_sent: Sent | None = None

    @property
    def size(self) -> int:
        return len(self.source) if isinstance(self.source, bytes) else self.source.stat().st_size

    def open(self) -> BinaryIO:
        """The bytes from their beginning; whoever opens closes. Raises OSError."""
        opened: BinaryIO = (
            io.BytesIO(self.source) if isinstance(self.source, bytes) else self.source.open("rb")
        )
        return _Counted(opened, self.size, self.on_sent) if self.on_sent else opened


def upload_file(source: Path | str | bytes, name: str | None, on_sent: Sent | None) -> UploadFile:
    """A path brings its name along; bytes need one. Raises ValueError."""
    if isinstance(source, bytes):
        if not name:
            raise ValueError("Bytes need a name with an ending, such as name='notes.md'.")
        return UploadFile(name, source, on_sent)
    path = Path(source)
    return UploadFile(name or path.name, path, on_sent)


def groups(files: Iterable[UploadFile]) -> Iterator[list[UploadFile]]:
    """Files for one request each: at most a hundred, of 8 MiB together unless one alone has more."""
    group: list[UploadFile] = []
    size = 0
    for file in files:
        if group and (len(group) == _FILES_AT_ONCE or size + file.size > _BYTES_AT_ONCE):
            yield group
            group, size = [], 0
        group.append(file)
        size += file.size
    if group:
        yield group


class _Counted(io.BufferedReader):
    """Tells after each piece how much has been read."""

    def __init__(self, inside: BinaryIO, size: int, on_sent: Sent) -> None:
        super().__init__(inside)  # type: ignore[arg-type]
        self._size = size
        self._on_sent = on_sent

    def read(self, size: int | None = -1, /) -> bytes:
        piece = super().read(size)
        if piece:
            self._on_sent(min(self.tell(), self._size), self._size)
        return piece
