"""Comparing a folder with its documents: which files are gone, and which were only moved."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from footnote_cli.uploads.find_files import FoundFiles
from footnote_cli.uploads.local_files import LocalFile, StoredPath, stored_path

LARGEST_SHARE = 0.5
"""The share of a folder's documents that may be removed without force."""

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Move:
    """A file that lies elsewhere than its document says."""

    file: LocalFile
    document: Document


def path_of(document: Document) -> StoredPath:
    """Where a document lies."""
    return stored_path(document["folder"], document["filename"])


def gone_documents(documents: Iterable[Document], found: FoundFiles) -> list[Document]:
    """Those of a folder's documents whose file is not there any more.

    A file that is there but is left out, by a pattern or by a rule, is not gone.
    """
    present = {file.stored_path for file in found.files} | {one.stored_path for one in found.left_out}
    closed = {one.stored_path.path.rstrip("/") for one in found.left_out if one.is_folder}
    return [
        document
        for document in documents
        if path_of(document) not in present and closed.isdisjoint(_folders_above(document["folder"]))
    ]


def find_moves(gone: Sequence[Document], new: Iterable[tuple[LocalFile, str]]) -> list[Move]:
    """Pair new files with gone documents of the same bytes and the same ending.

    Of several with the same bytes, those of the same name are paired first, then those of the same folder,
    then the rest in order. `new` are files with the hash of their bytes.
    """
    files: dict[tuple[str, str], list[LocalFile]] = defaultdict(list)
    for file, sha256 in new:
        files[sha256, _ending(file.name)].append(file)
    documents: dict[tuple[str, str], list[Document]] = defaultdict(list)
    for document in gone:
        # A document that failed has nothing to keep, and its file deserves another try.
        if document["status"] != "failed":
            documents[document["sha256"], _ending(document["filename"])].append(document)
    moves = []
    for key, same_files in files.items():
        same_documents = documents.get(key, [])
        for likeness in (_name, _folder, _nothing):
            moves += _pair(same_files, same_documents, likeness)
    return moves


def is_too_much(gone: int, documents: int) -> bool:
    """Whether so many of a folder's documents would go that it may well be a mistake."""
    return gone > documents * LARGEST_SHARE


def _pair(
    files: list[LocalFile], documents: list[Document], likeness: Callable[[StoredPath], str]
) -> list[Move]:
    """Pair those of the same likeness, and take them out of both lists."""
    alike: dict[str, deque[Document]] = defaultdict(deque)
    for document in documents:
        alike[likeness(path_of(document))].append(document)
    moves = [
        Move(file, waiting.popleft()) for file in files if (waiting := alike[likeness(file.stored_path)])
    ]
    paired_files = {move.file for move in moves}
    paired_documents = {move.document["id"] for move in moves}
    files[:] = [file for file in files if file not in paired_files]
    documents[:] = [document for document in documents if document["id"] not in paired_documents]
    return moves


def _name(path: StoredPath) -> str:
    return path.filename


def _folder(path: StoredPath) -> str:
    return path.folder


def _nothing(path: StoredPath) -> str:
    return ""


def _ending(filename: str) -> str:
    return PurePosixPath(filename).suffix.lower()


def _folders_above(folder: str) -> set[str]:
    path = PurePosixPath(stored_path(folder, "").folder)
    return {str(step).rstrip("/") for step in (path, *path.parents)}
