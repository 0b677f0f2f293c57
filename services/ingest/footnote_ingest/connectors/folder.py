"""The kind `folder`: the files below a folder of the server (spec 9.2)."""

import os
import stat
from bisect import bisect_right
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import ClassVar

from footnote_ingest.connectors.errors import ItemFailed, ItemSkipped, OwnerMustAct, SourceDown
from footnote_ingest.connectors.protocol import FetchedItem, ListingPage, SourceItem, SyncPage, Vanishing

_PAGE = 200
_MOST_FILES = 1_000_000
"""Files of one folder. Their names are sorted in memory."""


class FolderItems:
    """The files below a folder, by their relative paths, which are their ids.

    Hidden files and folders are left out, and links are not followed. The cursor is the last path of a page:
    paths come in order, so a file that is added or removed meanwhile moves no other to another page.
    """

    vanishing: Vanishing = "by_sync"
    page_size: ClassVar[int] = _PAGE

    def __init__(self, root: Path, path: str, max_bytes: int) -> None:
        """`root` is what the operator allows. Raises OwnerMustAct for a path that leads out of it."""
        self._base = _inside(root, path)
        self._max_bytes = max_bytes
        self._paths: list[str] | None = None

    def sync(self, cursor: str | None) -> SyncPage:
        if self._paths is None:
            self._paths = sorted(self._walk())
        start = 0 if cursor is None else bisect_right(self._paths, cursor)
        page = self._paths[start : start + self.page_size]
        more = start + self.page_size < len(self._paths)
        return SyncPage([self._item(path) for path in page], page[-1] if more else None, more)

    def listing(self, cursor: str | None) -> ListingPage:
        raise AssertionError("the sync names all that is there")

    def fetch(self, item: SourceItem, token: str | None) -> FetchedItem:
        path = self._base / item.id
        try:
            # Whoever may write in the folder could put a link there since it was listed.
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError as error:
            raise ItemFailed("The file was removed while the folder was read.") from error
        except OSError as error:
            raise ItemFailed(f"The file cannot be opened: {error.strerror}.") from error
        with os.fdopen(descriptor, "rb") as file:
            about = os.fstat(descriptor)
            if not stat.S_ISREG(about.st_mode) or not path.resolve().is_relative_to(self._base):
                raise ItemSkipped("It is not a plain file of this folder.")
            try:
                content = file.read(self._max_bytes + 1)
            except OSError as error:
                raise ItemFailed(f"The file cannot be read: {error.strerror}.") from error
        if len(content) > self._max_bytes:
            raise ItemSkipped(f"It is larger than {self._max_bytes} bytes.")
        return FetchedItem(content, path.name, "", _item_of(item.id, about))

    def close(self) -> None:
        """Nothing is held open between two calls."""

    def _walk(self) -> Iterator[str]:
        """The relative paths. Raises SourceDown for a folder that cannot be listed.

        An incomplete list must not pass for a whole one, because what it lacks would be deleted.
        """
        if not self._base.is_dir():
            raise OwnerMustAct("The folder is not there. Put it back, or change the path of the connector.")
        found = 0
        waiting = [self._base]
        while waiting:
            folder = waiting.pop()
            try:
                entries = list(os.scandir(folder))
            except OSError as error:
                raise SourceDown(f"The folder {folder.name} cannot be listed: {error.strerror}.") from error
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))
                elif entry.is_file(follow_symlinks=False):
                    found += 1
                    if found > _MOST_FILES:
                        raise OwnerMustAct(f"The folder has more than {_MOST_FILES} files. Divide it.")
                    # A name that is no UTF-8 is shown with its bytes escaped.
                    yield os.path.relpath(entry.path, self._base).encode("utf-8", "backslashreplace").decode()

    def _item(self, path: str) -> SourceItem:
        try:
            return _item_of(path, (self._base / path).lstat())
        except OSError:
            if "\\" in path:
                return SourceItem(path, left_out="Its name is not UTF-8, or it has gone. Rename it.")
            # It went while the page was made; fetching it will say so.
            return SourceItem(path)


def _item_of(path: str, about: os.stat_result) -> SourceItem:
    folder = PurePosixPath(path).parent
    return SourceItem(
        id=path,
        revision=f"{about.st_mtime_ns}:{about.st_size}:{about.st_ino}",
        folder="" if folder == PurePosixPath() else str(folder),
        updated_at=datetime.fromtimestamp(about.st_mtime, UTC),
    )


def _inside(root: Path, path: str) -> Path:
    if "\0" in path:
        raise OwnerMustAct("The path is none: it holds the character NUL.")
    root = root.resolve()
    # People write the whole path of a folder of the server, or the part below what is allowed.
    whole = Path(path).resolve() if path.startswith("/") else None
    if whole is not None and whole.is_relative_to(root):
        return whole
    base = (root / path.lstrip("/")).resolve()
    if not base.is_relative_to(root):
        raise OwnerMustAct("The path leads out of the folder that the operator allows.")
    return base
