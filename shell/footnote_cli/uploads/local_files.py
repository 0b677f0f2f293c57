"""The files that are to be uploaded, and the folders of Footnote that they go to."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file on this machine, and the folder of Footnote that it goes to."""

    path: Path
    folder: str

    def sha256(self) -> str:
        """The hash of its bytes, by which the server knows a file again. Raises OSError."""
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


def find_files(paths: Iterable[Path], folder: str) -> Iterator[LocalFile]:
    """Every regular file at and below the paths, in order, below `folder`.

    Hidden files and folders are left out. A folder that is walked keeps its name and its structure.
    """
    base = PurePosixPath("/") / folder
    for path in paths:
        if path.is_file():
            yield LocalFile(path, str(base))
            continue
        root = path.resolve()
        for file in sorted(root.rglob("*")):
            relative = file.relative_to(root)
            if file.is_file() and not any(part.startswith(".") for part in relative.parts):
                yield LocalFile(file, str(base / root.name / PurePosixPath(*relative.parts[:-1])))
