"""Blobs in a folder.

We do not use the object-store library's folder, because it answers before the files are on the disk. Here a
write goes to a file in `.incoming`, which is flushed and then takes its name in one step; the folders on the
way are flushed too. `.incoming` also tells an empty store from a disk that is not mounted.
"""

import errno
import os
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO

import anyio

from footnote_shared.blobs.incoming import receive
from footnote_shared.blobs.keys import checked, checked_prefix
from footnote_shared.blobs.protocol import BlobEntry, BlobMissing, KeyOf, StoredBlob
from footnote_shared.kernel.errors import Misconfigured, Unavailable

_INCOMING = ".incoming"
# No upload lasts that long: what is older in `.incoming` was left by a process that died.
_LEFTOVER_S = 24 * 3600
_REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS)
_FULL = (errno.ENOSPC, errno.EDQUOT)
# A delete may remove an empty folder right after a write has made it. The write then tries again.
_TRIES = 16


class FolderBlobs:
    """A `BlobStore` in a folder, which all processes that use it must reach."""

    def __init__(self, root: Path) -> None:
        """Make the folder if it is missing. Raises Misconfigured if that is not possible."""
        self._root = root.absolute()
        self._incoming = self._root / _INCOMING
        try:
            self._incoming.mkdir(parents=True, exist_ok=True)
            self._remove_leftovers()
        except OSError as error:
            raise Misconfigured(f"The folder of stored content cannot be made or read: {error}") from error

    def put(self, key: str, content: bytes) -> None:
        target = self._path(key)
        with self._temporary() as (name, file):
            self._write(file, content)
            self._settle(name, file, target, os.replace)

    def put_all(self, contents: Mapping[str, bytes]) -> None:
        """All files are written before the first is flushed, and named before the first folder is.

        The journal of the file system takes along what is there by then, so that the others hardly wait.
        """
        with ExitStack() as undo:
            written = []
            for key, content in contents.items():
                name, file = undo.enter_context(self._temporary())
                self._write(file, content)
                written.append((name, file, self._path(key)))
            with _translated():
                made: dict[Path, None] = {}
                for _, _, target in written:
                    # A delete may remove a folder on the way, as long as it is empty. It is then made again
                    # when the file takes its name.
                    with suppress(FileNotFoundError):
                        self._make_folder(target.parent, made)
                # Others write into these folders as soon as they are there.
                self._flush_folders(made)
                for _, file, _ in written:
                    os.fsync(file.fileno())
                named: dict[Path, None] = {}
                for name, _, target in written:
                    self._give_name(name, target, os.replace, named)
                    named[target.parent] = None
                self._flush_folders(named)

    def put_passing(self, key: str, content: bytes) -> None:
        """Nothing of it waits for the disk: neither the file, nor its name, nor the folders on the way."""
        target = self._path(key)
        with self._temporary() as (name, file):
            self._write(file, content)
            with _translated():
                self._give_name(name, target, os.replace, {})

    def put_if_absent(self, key: str, content: bytes) -> bool:
        target = self._path(key)
        with self._temporary() as (name, file):
            self._write(file, content)
            try:
                self._settle(name, file, target, os.link)
            except FileExistsError:
                return False
        return True

    async def put_stream(self, key: str | KeyOf, chunks: AsyncIterator[bytes], max_bytes: int) -> StoredBlob:
        with self._temporary() as (name, file):
            stored = await receive(key, chunks, max_bytes, partial(self._write, file))
            await anyio.to_thread.run_sync(self._settle, name, file, self._path(stored.key), os.replace)
        return stored

    def get(self, key: str) -> bytes:
        with self._reading(key) as file:
            return file.read()

    def get_range(self, key: str, start: int, end: int) -> bytes:
        with self._reading(key) as file:
            file.seek(start)
            return file.read(max(0, end - start))

    def exists(self, key: str) -> bool:
        path = self._path(key)
        with _translated():
            if path.is_file():
                return True
            self._check_mounted()
        return False

    def delete(self, keys: Iterable[str]) -> None:
        with _translated():
            self._check_mounted()
            for key in keys:
                path = self._path(key)
                path.unlink(missing_ok=True)
                self._prune(path.parent)

    def list(self, prefix: str) -> Iterator[BlobEntry]:
        plain = checked_prefix(prefix)
        with _translated():
            self._check_mounted()
            for path in _files(self._root / plain if plain else self._root):
                with suppress(FileNotFoundError):
                    facts = path.stat()
                    modified = datetime.fromtimestamp(facts.st_mtime, UTC)
                    yield BlobEntry(path.relative_to(self._root).as_posix(), facts.st_size, modified)

    def forget_unfinished(self) -> None:
        with _translated():
            self._check_mounted()
            self._remove_leftovers()

    def _path(self, key: str) -> Path:
        return self._root / checked(key)

    @contextmanager
    def _temporary(self) -> Iterator[tuple[Path, IO[bytes]]]:
        """A file under a name that nobody else uses.

        It is removed at the end unless it was given another name.
        """
        name = self._incoming / uuid.uuid4().hex
        with _translated():
            # Unbuffered: writes are large, and an error that closes the file leaves nothing to be written.
            file = name.open("xb", buffering=0)
        try:
            yield name, file
        finally:
            file.close()
            with _translated():
                name.unlink(missing_ok=True)

    def _write(self, file: IO[bytes], content: bytes) -> None:
        rest = memoryview(content)
        with _translated():
            while rest:
                rest = rest[file.write(rest) :]

    def _settle(
        self, name: Path, file: IO[bytes], target: Path, give_name: Callable[[Path, Path], None]
    ) -> None:
        """Flush the file, let it appear as `target`, and flush that name."""
        with _translated():
            os.fsync(file.fileno())
            changed: dict[Path, None] = {}
            self._give_name(name, target, give_name, changed)
            self._flush_folders((*changed, target.parent))

    def _give_name(
        self,
        name: Path,
        target: Path,
        give_name: Callable[[Path, Path], None],
        changed: dict[Path, None],
    ) -> None:
        """Let the file appear as `target`. The folders in which a folder was made are added to `changed`."""
        for left in reversed(range(_TRIES)):
            try:
                self._make_folder(target.parent, changed)
                give_name(name, target)
                break
            except FileNotFoundError:
                if not left:
                    raise

    def _make_folder(self, folder: Path, changed: dict[Path, None]) -> None:
        """Make each missing folder below the root. Those in which one was made are added to `changed`.

        Making the root itself would hide that the disk is gone.
        """
        if folder == self._root or folder.is_dir():
            return
        self._make_folder(folder.parent, changed)
        with suppress(FileExistsError):
            folder.mkdir()
        changed[folder.parent] = None

    def _flush_folders(self, folders: Iterable[Path]) -> None:
        """Flush what these folders name. One that a delete has removed meanwhile names nothing any more."""
        for folder in folders:
            try:
                handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            except FileNotFoundError:
                self._check_mounted()
                continue
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def _prune(self, folder: Path) -> None:
        """Remove folders that a delete has left empty. A folder that a writer fills meanwhile stays."""
        while folder != self._root:
            try:
                folder.rmdir()
            except OSError:
                return
            folder = folder.parent

    @contextmanager
    def _reading(self, key: str) -> Iterator[IO[bytes]]:
        path = self._path(key)
        with _translated():
            try:
                with path.open("rb") as file:
                    yield file
            except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
                self._check_mounted()
                raise BlobMissing(key) from error

    def _remove_leftovers(self) -> None:
        for path in self._incoming.iterdir():
            with suppress(FileNotFoundError):
                if time.time() - path.stat().st_mtime > _LEFTOVER_S:
                    path.unlink()

    def _check_mounted(self) -> None:
        if not self._incoming.is_dir():
            raise Unavailable("blobs", "The folder of stored content is not there.")


@contextmanager
def _translated() -> Iterator[None]:
    """Raise errors of the disk as ours. A FileExistsError is an answer and passes through."""
    try:
        yield
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno in _REFUSED:
            reason = "cannot be written or read"
        else:
            reason = "is full" if error.errno in _FULL else "does not answer"
        raise Unavailable("blobs", f"The folder of stored content {reason}.") from error


def _files(folder: Path) -> Iterator[Path]:
    """All files below the folder, without hidden ones. Files that vanish meanwhile are passed over."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _files(Path(entry.path))
        elif entry.is_file(follow_symlinks=False):
            yield Path(entry.path)
