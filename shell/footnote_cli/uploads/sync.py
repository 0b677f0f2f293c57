"""One run of `footnote ingest`: what the server has, what has moved, what is gone, and what is uploaded."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from footnote_cli.api_client import Api, items_of
from footnote_cli.uploads.find_files import FoundFiles
from footnote_cli.uploads.in_step import Document, Move, find_moves, gone_documents, path_of
from footnote_cli.uploads.local_files import Hashes, LocalFile, StoredPath
from footnote_cli.uploads.upload import UploadedFile, known_documents
from footnote_shared.kernel.errors import CallerError

# What the API takes in one request.
_BATCH = 200


@dataclass(frozen=True, slots=True)
class FolderOnServer:
    """A folder of Footnote, with the caller's documents in it and below.

    `gone` are those of the documents whose files are gone.
    """

    path: str
    documents: Sequence[Document]
    gone: Sequence[Document]


@dataclass(slots=True)
class FolderComparison:
    """What a run finds before it uploads anything."""

    found: FoundFiles
    known: dict[LocalFile, Document] = field(default_factory=dict)
    moves: list[Move] = field(default_factory=list)
    folders: list[FolderOnServer] = field(default_factory=list)
    paths: frozenset[StoredPath] = frozenset()

    @property
    def gone(self) -> list[Document]:
        """Documents whose files are gone, and have not moved."""
        moved = {move.document["id"] for move in self.moves}
        each = {document["id"]: document for folder in self.folders for document in folder.gone}
        return [document for key, document in each.items() if key not in moved]


def compare(api: Api, found: FoundFiles, hashes: Hashes) -> FolderComparison:
    """Compare files with the server. Nothing is changed there."""
    hashed = [(file, sha256) for file in found.files if (sha256 := hashes.of(file)) is not None]
    known = known_documents(api, hashed)
    folders = []
    for path in _outermost(found.roots):
        documents = own_documents(api, path)
        folders.append(FolderOnServer(path, documents, gone_documents(documents, found)))
    paths = frozenset(path_of(document) for folder in folders for document in folder.documents)
    new = [(file, sha256) for file, sha256 in hashed if file not in known and file.stored_path not in paths]
    gone = [document for folder in folders for document in folder.gone]
    return FolderComparison(found, known, find_moves(gone, new), folders, paths)


def own_documents(api: Api, folder: str) -> list[Document]:
    """The caller's own uploads in a folder and below it.

    Attachments go with their message, and a document with an `external_id` is kept by whoever gave it that.
    """
    uploads = items_of(api, "/v1/documents", folder=folder, mine="true", type="upload")
    return [one for one in uploads if one.get("external_id") is None]


def carry_out_moves(api: Api, moves: Sequence[Move]) -> dict[LocalFile, UploadedFile]:
    """Tell the server where files lie now; return those whose documents followed them.

    A move that the server refuses, because somebody was faster, is left to the upload.
    """
    moved = {}
    for move in moves:
        change = {
            "folder": move.file.folder,
            "filename": move.file.name,
            "if_sha256": move.document["sha256"],
        }
        try:
            document = api.request("PATCH", f"/v1/documents/{move.document['id']}", json=change).json()
        except CallerError:
            continue
        before = path_of(move.document).path
        moved[move.file] = UploadedFile(move.file, document, moved_from=before)
    return moved


def remove(api: Api, documents: Sequence[Document]) -> int:
    """Delete documents whose bytes are still those that were compared; return how many went, with parts."""
    removed = 0
    for start in range(0, len(documents), _BATCH):
        batch = documents[start : start + _BATCH]
        items = [{"id": one["id"], "if_sha256": one["sha256"]} for one in batch]
        removed += api.post("/v1/documents:delete", {"items": items})["documents"]
    return removed


def _outermost(roots: Sequence[str]) -> list[str]:
    """The folders without those that lie in another one, and each once."""
    each = sorted(set(roots), key=len)
    return [root for n, root in enumerate(each) if not any(_is_below(root, above) for above in each[:n])]


def _is_below(folder: str, above: str) -> bool:
    return folder.startswith(f"{above.rstrip('/')}/")
