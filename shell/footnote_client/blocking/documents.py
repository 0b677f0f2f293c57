"""Documents and folders: hand in, wait, find, change, delete."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from footnote_client.blocking.server_link import ServerLink
from footnote_client.call import Call, as_json
from footnote_client.errors import BusyServer, WrongAnswer
from footnote_client.listing import WorkLeft
from footnote_client.models import (
    BatchOutcome,
    BatchOutcomes,
    Chunk,
    ChunkPage,
    Deleted,
    DeletionReceipt,
    Document,
    DocumentDetails,
    DocumentFacts,
    DocumentList,
    DocumentProgress,
    DocumentVersions,
    Entities,
    Folder,
    FolderList,
    Holdings,
    Rechunking,
    StageCounts,
    Timeline,
    VersionChanges,
)
from footnote_client.progress_patience import ProgressPatience
from footnote_client.upload_file import Sent, UploadFile, groups, upload_file

_ASKED_AT_ONCE = 1000


class DocumentCalls:
    """`client.documents`."""

    def __init__(self, link: ServerLink) -> None:
        self._link = link

    def upload(
        self,
        file: Path | str | bytes,
        *,
        name: str | None = None,
        title: str | None = None,
        folder: str | None = None,
        external_id: str | None = None,
        visibility: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        on_sent: Sent | None = None,
    ) -> Document:
        """Hand in a file. One with the same `external_id`, or folder and name, is a new version.

        `on_sent` is told how many bytes of how many have gone. It is accepted when this returns; `wait` until
        it can be found.
        """
        said = {
            "title": title,
            "folder": folder,
            "external_id": external_id,
            "visibility": visibility,
            "metadata": None if metadata is None else as_json(metadata),
        }
        fields = {key: value for key, value in said.items() if value is not None}
        files = [upload_file(file, name, on_sent)]
        return self._link.send(Call("POST", "/v1/documents", Document, fields=fields, files=files))

    def upload_to_session(
        self,
        session_id: str,
        file: Path | str | bytes,
        *,
        name: str | None = None,
        title: str | None = None,
        on_sent: Sent | None = None,
    ) -> Document:
        """Hand in a file for one session: nobody else sees it, and it ends with the session.

        `session_id` is made up by the caller, of 16 to 64 letters, digits, `-` and `_`. A client that was
        made with it sees the file.
        """
        said = {"session_id": session_id, "title": title}
        fields = {key: value for key, value in said.items() if value is not None}
        files = [upload_file(file, name, on_sent)]
        return self._link.send(Call("POST", "/v1/documents", Document, fields=fields, files=files))

    def add_text(
        self,
        title: str,
        text: str,
        *,
        folder: str | None = None,
        external_id: str | None = None,
        mime: str | None = None,
        visibility: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        session_id: str | None = None,
    ) -> Document:
        """Hand in a text."""
        body = {
            "title": title,
            "text": text,
            "folder": folder,
            "external_id": external_id,
            "mime": mime,
            "visibility": visibility,
            "metadata": metadata,
            "session_id": session_id,
        }
        return self._link.send(Call("POST", "/v1/documents", Document, body=body))

    def upload_many(
        self, files: Iterable[Path | str | UploadFile], *, folder: str | None = None
    ) -> Iterator[tuple[UploadFile, BatchOutcome]]:
        """Hand in many files, up to 100 in one request, and say of each what became of it, in their order.

        One that is refused refuses no other: its outcome holds a `problem`.
        """
        given = (file if isinstance(file, UploadFile) else upload_file(file, None, None) for file in files)
        for group in groups(given):
            fields = {"fields": as_json([{"folder": folder} if folder else {} for _ in group])}
            outcomes = self._link.send(
                Call("POST", "/v1/documents:batch", BatchOutcomes, fields=fields, files=group)
            )
            if len(outcomes.items) != len(group):
                raise WrongAnswer("Not every file of the request was answered for.")
            yield from zip(group, outcomes.items, strict=True)

    def wait(
        self,
        documents: Iterable[Document | str],
        *,
        on_progress: Callable[[WorkLeft], None] | None = None,
        timeout_s: float | None = None,
    ) -> list[Document]:
        """The documents once each is indexed, failed, skipped or deleted, in the order in which they ended.

        One that somebody has deleted meanwhile is left out. Raises TimeoutError.
        """
        left = list(dict.fromkeys(one if isinstance(one, str) else one.id for one in documents))
        of, ends_at = len(left), None if timeout_s is None else monotonic() + timeout_s
        ended: list[Document] = []
        done: set[str] = set()
        patience = ProgressPatience()
        while left:
            waiting: Counter[str] = Counter()
            # The first request waits at the server until something changes, and the others join its look.
            for start in range(0, len(left), _ASKED_AT_ONCE):
                found = self._progress(left[start : start + _ASKED_AT_ONCE], patience, start, ends_at)
                waiting.update(found.waiting)
                ended += found.ended
                done.update(found.absent, (document.id for document in found.ended))
            patience.several = len(left) > _ASKED_AT_ONCE
            left = [one for one in left if one not in done]
            if on_progress is not None:
                on_progress(WorkLeft(waiting, of - len(left), of))
            if left:
                if ends_at is not None and monotonic() > ends_at:
                    raise TimeoutError(f"{len(left)} of {of} documents are still in work.")
                sleep(patience.pause_s())
        return ended

    def _progress(
        self, ids: list[str], patience: ProgressPatience, start: int, ends_at: float | None
    ) -> DocumentProgress:
        """How far these are. Only the request for the first ones waits for something to change."""
        asked: dict[str, Any] = {"ids": ids}
        if start == 0 and patience.waits:
            asked |= patience.asked(None if ends_at is None else ends_at - monotonic())
        try:
            found = self._link.send(Call("POST", "/v1/documents:progress", DocumentProgress, body=asked))
        except BusyServer:
            if "cursor" not in asked:
                raise
            # There is no room for one more who waits; it is asked now and then instead.
            patience.give_up_waiting()
            return self._progress(ids, patience, start, ends_at)
        if start == 0:
            patience.seen(found.cursor)
        return found

    def get(self, document_id: str) -> DocumentDetails:
        call = Call("GET", "/v1/documents/{document_id}", DocumentDetails, _of(document_id))
        return self._link.send(call)

    def find(
        self,
        *,
        folder: str | None = None,
        of_type: str | None = None,
        status: Sequence[str] | None = None,
        made_from: datetime | None = None,
        made_to: datetime | None = None,
        q: str | None = None,
        mine: bool | None = None,
    ) -> Iterator[Document]:
        """Documents, newest first: all of them, page after page."""
        query = {
            "folder": folder,
            "type": of_type,
            "status": status,
            "from": made_from.isoformat() if made_from else None,
            "to": made_to.isoformat() if made_to else None,
            "q": q,
            "mine": mine,
            "limit": 200,
        }
        return self._link.each(Call("GET", "/v1/documents", DocumentList, query=query), DocumentList)

    def change(
        self,
        document_id: str,
        *,
        title: str | None = None,
        filename: str | None = None,
        folder: str | None = None,
        visibility: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        legal_hold: bool | None = None,
        if_sha256: str | None = None,
    ) -> Document:
        """Rename, move, share, withdraw or hold a document. What is None stays."""
        body = {
            "title": title,
            "filename": filename,
            "folder": folder,
            "visibility": visibility,
            "metadata": metadata,
            "legal_hold": legal_hold,
            "if_sha256": if_sha256,
        }
        return self._link.send(
            Call("PATCH", "/v1/documents/{document_id}", Document, _of(document_id), body=body)
        )

    def delete(self, document_id: str) -> Document:
        """Gone for readers when this returns; what is stored of it goes soon after."""
        return self._link.send(Call("DELETE", "/v1/documents/{document_id}", Document, _of(document_id)))

    def receipt(self, document_id: str) -> DeletionReceipt:
        """What a deletion has removed so far, by store. `gone_at` is set when nothing is left."""
        return self._link.send(
            Call("GET", "/v1/documents/{document_id}/receipt", DeletionReceipt, _of(document_id))
        )

    def facts(self, document_id: str) -> DocumentFacts:
        """What a model has read from the document, each fact with its passage, and how far that is."""
        return self._link.send(
            Call("GET", "/v1/documents/{document_id}/facts", DocumentFacts, _of(document_id))
        )

    def entities(self, name: str) -> Entities:
        """Who and what has this name, by the facts that name them. People of one name are told apart."""
        return self._link.send(Call("GET", "/v1/entities", Entities, query={"name": name}))

    def delete_many(self, document_ids: Iterable[str]) -> Deleted:
        """Delete up to 200 documents."""
        body = {"items": [{"id": document_id} for document_id in document_ids]}
        return self._link.send(Call("POST", "/v1/documents:delete", Deleted, body=body))

    def retry(self, document_id: str) -> Document:
        """Try a document that failed again."""
        return self._link.send(Call("POST", "/v1/documents/{document_id}:retry", Document, _of(document_id)))

    def reindex(self, document_id: str) -> Document:
        """Read, cut and index the same bytes anew."""
        return self._link.send(
            Call("POST", "/v1/documents/{document_id}:reindex", Document, _of(document_id))
        )

    def rechunk(self) -> Rechunking:
        """Have all documents of the workspace cut again, in the background, that other settings have cut."""
        return self._link.send(Call("POST", "/v1/documents:rechunk", Rechunking))

    def rechunking(self) -> Rechunking:
        """How many documents other settings have cut, and how far cutting them again is."""
        return self._link.send(Call("GET", "/v1/documents:rechunk", Rechunking))

    def stop_rechunking(self) -> Rechunking:
        """Cut no more documents again. Those that are in work are ended."""
        return self._link.send(Call("DELETE", "/v1/documents:rechunk", Rechunking))

    def content(self, document_id: str) -> bytes:
        """The bytes as they came in."""
        return self._link.fetch(
            Call("GET", "/v1/documents/{document_id}/content", type(None), _of(document_id))
        )

    def text(self, document_id: str) -> str:
        """The text that was read from the live version. Ranges of characters refer to it."""
        content = self._link.fetch(
            Call("GET", "/v1/documents/{document_id}/text", type(None), _of(document_id))
        )
        return content.decode("utf-8")

    def chunks(self, document_id: str) -> Iterator[Chunk]:
        """The live version's chunks in order."""
        call = Call("GET", "/v1/documents/{document_id}/chunks", ChunkPage, _of(document_id))
        return self._link.each(call, ChunkPage)

    def timeline(self, document_id: str) -> Timeline:
        """What happened to a document, oldest first."""
        return self._link.send(Call("GET", "/v1/documents/{document_id}/events", Timeline, _of(document_id)))

    def versions(self, document_id: str) -> DocumentVersions:
        """The latest versions of a document, the newest first, and why there is each."""
        return self._link.send(
            Call("GET", "/v1/documents/{document_id}/versions", DocumentVersions, _of(document_id))
        )

    def changes(
        self, document_id: str, before: int | None = None, after: int | None = None
    ) -> VersionChanges:
        """What changed between two versions, passage by passage: of the live one, unless others are named."""
        query = {"before": before, "after": after}
        return self._link.send(
            Call("GET", "/v1/documents/{document_id}/changes", VersionChanges, _of(document_id), query=query)
        )

    def counts(self) -> StageCounts:
        """How many documents have which status."""
        return self._link.send(Call("GET", "/v1/documents:stats", StageCounts))

    def usage(self) -> Holdings:
        """What the whole workspace holds, and what it may hold."""
        return self._link.send(Call("GET", "/v1/documents:usage", Holdings))

    def folders(self) -> Iterator[Folder]:
        """Folders by path."""
        return self._link.each(Call("GET", "/v1/folders", FolderList), FolderList)

    def make_folder(self, path: str) -> Folder:
        """Make a folder and those above it. One that is there is returned."""
        return self._link.send(Call("POST", "/v1/folders", Folder, body={"path": path}))

    def delete_folder(self, folder_id: str) -> Folder:
        """Delete a folder with everything below it that you see."""
        return self._link.send(Call("DELETE", "/v1/folders/{folder_id}", Folder, {"folder_id": folder_id}))


def _of(document_id: str) -> dict[str, str]:
    return {"document_id": document_id}
