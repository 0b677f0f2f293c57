"""Documents, their stages and their timeline, as ingest shows them (spec 9.2)."""

from typing import Any, Literal

from pydantic import Field

from footnote_shared.contracts.base import GivenMoment, Moment, Request, WireModel
from footnote_shared.contracts.languages import Languages
from footnote_shared.contracts.place import Place
from footnote_shared.contracts.sessions import SessionId

Status = Literal[
    "queued",
    "extracting",
    "chunking",
    "embedding",
    "indexing",
    "indexed",
    "failed",
    "skipped",
    "deleting",
    "deleted",
]
SourceType = Literal[
    "upload",
    "generated",
    "connector",
    "web",
    "email",
    "email_attachment",
    "image_capture",
    "voice_memo",
    "anonymous",
]
Visibility = Literal["workspace", "private"]
"""Who sees a document: every avatar of the workspace, or the avatar that owns it alone (docs/adr/0014)."""

SHA256 = r"^[0-9a-f]{64}$"
"""A SHA-256 in hex."""

ENDED: frozenset[Status] = frozenset({"indexed", "failed", "skipped", "deleted"})


class DocumentError(WireModel):
    """Why a document failed: the stage, a code, a sentence for people, and whether a retry can help."""

    stage: Status
    code: str
    reason: str
    retryable: bool


class Document(WireModel):
    """A document as the API shows it.

    `version` is the last version that was accepted, `live_version` the one that searches find.
    """

    id: str
    workspace_id: str
    avatar_id: str = Field("", description="The avatar that owns it; empty when that person was deleted.")
    visibility: Visibility = "workspace"
    title: str
    filename: str
    mime: str
    language: str | None = Field(
        None, description="ISO 639 code of the language of its text; null where that could not be told."
    )
    size: int
    sha256: str = Field("", description="SHA-256 of the bytes of `version`, in hex.")
    source_type: SourceType
    folder: str
    folder_id: str | None = None
    external_id: str | None = None
    status: Status
    error: DocumentError | None = None
    version: int
    live_version: int | None = None
    open_from: int = Field(0, description="The first version that others than its owner may see.")
    chunks: int
    url: str | None = None
    connector_id: str | None = Field(None, description="The connector that brought it in.")
    groups: list[str] | None = Field(
        None, description="Only these groups and its owner see it; null: whoever `visibility` says."
    )
    legal_hold: bool = Field(False, description="Nobody may delete or replace it, and no sync does.")
    session_id: str | None = Field(None, description="The session that it belongs to and ends with.")
    expires_at: Moment | None = Field(None, description="When it is deleted by itself; null: never.")
    metadata: dict[str, Any] = Field(default_factory=dict)
    created_at: Moment
    updated_at: Moment
    indexed_at: Moment | None = None


class TextDocument(Request):
    """JSON body of `POST /v1/documents`."""

    title: str = Field(min_length=1, max_length=500)
    text: str
    folder: str | None = Field(None, max_length=1000)
    external_id: str | None = Field(None, min_length=1, max_length=500)
    mime: str | None = None
    source_type: Literal["upload", "generated"] = Field(
        "upload", description="Where a new document comes from: a person, or a model that wrote it."
    )
    visibility: Visibility | None = Field(
        None, description="Absent: as the document is already; `workspace` for a new one."
    )
    metadata: dict[str, Any] = Field(default_factory=dict)
    session_id: SessionId | None = Field(
        None,
        description="Hand it in anonymously: only the same avatar sees it, in this session, until that "
        "ends. It lies in no folder and is never shared.",
    )


class DocumentChanges(Request):
    """Body of `PATCH /v1/documents/{id}`. A field that is absent or null changes nothing."""

    title: str | None = Field(None, min_length=1, max_length=500)
    filename: str | None = Field(
        None,
        min_length=1,
        max_length=255,
        description="The file's new name. The ending stays: a file of another kind is another upload.",
    )
    folder: str | None = Field(
        None, max_length=1000, description="The path to move to. Missing folders are made."
    )
    visibility: Visibility | None = Field(None, description="Only the document's owner may change it.")
    metadata: dict[str, Any] | None = Field(None, description="Replaces the metadata.")
    legal_hold: bool | None = Field(
        None, description="Whether deletion is forbidden, also that of its parts. Needs the scope `admin`."
    )
    if_sha256: str | None = Field(
        None,
        pattern=SHA256,
        description="Change nothing (409) unless the last version was made from the bytes with this SHA-256.",
    )


class Transition(WireModel):
    """One row of a document's timeline. `duration_ms` is the time in the stage that ended with it."""

    seq: int
    version: int
    status: Status
    at: Moment
    duration_ms: float | None = None
    attempt: int = 0
    detail: str | None = None


class Timeline(WireModel):
    """What happened to a document, oldest first."""

    items: list[Transition]


class _ChunkText(WireModel):
    id: str
    ordinal: int
    text: str
    kind: str


class Chunk(Languages, Place, _ChunkText):
    """A chunk as `GET /v1/documents/{id}/chunks` lists it.

    `tombstone` marks a chunk that the live version no longer has.
    """

    tombstone: bool = False


class ChunkPage(WireModel):
    """One page of a document's chunks, in order."""

    document_id: str
    title: str
    source: str
    session_id: str | None = Field(None, description="The session that the document belongs to.")
    items: list[Chunk]
    next_cursor: str | None = None


class CitedPassage(Request):
    """Body of `POST /v1/documents:cited`: a passage as it was shown, and when.

    `chunk_id` is absent for a whole document. `session_id` names the session of an anonymous upload.
    `version` is the document's version at that time.
    """

    document_id: str
    chunk_id: str | None = None
    session_id: str | None = None
    version: int | None = None
    quote: str
    shown_at: GivenMoment


class ShownSource(Request):
    """A document of which something was shown, and when."""

    document_id: str = Field(max_length=200)
    shown_at: GivenMoment


class ShownSources(Request):
    """Body of `POST /v1/documents:withheld`."""

    items: list[ShownSource] = Field(max_length=1000)


class WithheldSources(WireModel):
    """Answer to `POST /v1/documents:withheld`: positions of the sources withdrawn from the reader."""

    withheld: list[int]


class FoundText(WireModel):
    """Where the live version holds a text: its characters in the extracted text, and its first chunk."""

    char_start: int
    char_end: int
    chunk: Chunk


class CitedSource(WireModel):
    """What became of a cited source, for the reader for whom the calling service vouches.

    `withheld`: the source is there, but the reader, who could see it when the passage was shown, no longer
    may. `absent`: the source was deleted, was never there, or was never the reader's to see. With either of
    the two, nothing else is set.
    """

    access: Literal["visible", "withheld", "absent"]
    document: Document | None = None
    same_bytes: bool | None = Field(
        None,
        description="Whether the live version and `version` were made from the same bytes; null: not known.",
    )
    chunk: Chunk | None = Field(
        None, description="The cited chunk as it is now. Once it is gone: as it last was, a tombstone."
    )
    found: FoundText | None = Field(
        None,
        description="Where the quote stands now: in the cited chunk, or else elsewhere in the document.",
    )
    beside: list[Chunk] = Field(
        default_factory=list, description="Live chunks around the place where the quote stands now."
    )


class ChunkRef(WireModel):
    """A chunk as a vector point names it.

    `text_hash` tells from which text of the chunk the vector was made.
    """

    document_id: str
    chunk_id: str
    text_hash: str


class ChunkLookup(Request):
    """Body of `POST /v1/chunks:lookup`, the batch read of fresh metadata (spec 4.2.5)."""

    refs: list[ChunkRef] = Field(max_length=1000)
    memory: bool | None = Field(
        None, description="Look among the documents of memory alone. Else they are left out of the answer."
    )
    around: int | None = Field(None, ge=1, le=20, description="Also live chunks so near to the first 100.")
    folders: bool | None = Field(None, description="Also the folders in which each document lies now.")


class _LiveText(ChunkRef):
    content_hash: str = ""
    title: str
    source: str
    text: str
    tokens: int | None = None
    ordinal: int
    kind: str


class LiveChunk(Languages, Place, _LiveText):
    """A chunk of a live version, with everything that a passage shows.

    `text_hash` is the one asked for, over the text that was embedded, with title and headings. `content_hash`
    is over `text` alone, so that equal passages of different documents share it. `tokens` counts `text` by
    the lane's tokenizer.
    """

    source_type: SourceType
    url: str | None = None
    created_at: Moment
    folder_ids: list[str] | None = Field(None, description="The folder and those above it, if asked for.")


class LiveChunks(WireModel):
    """Answer to `POST /v1/chunks:lookup`.

    A chunk that is not live, or not visible to the caller, is not in it. Neither is one of memory, unless
    memory was asked for.
    """

    items: list[LiveChunk]
    around: list[LiveChunk] = Field(default_factory=list, description="Chunks near these, if asked for.")
    generation: int | None = Field(
        None,
        description="The counter of the workspace's index changes. Only neighbours get it: it also counts "
        "changes of documents that the caller may not see.",
    )


class Folder(WireModel):
    """A folder; `documents` counts those directly in it that the caller sees."""

    id: str
    path: str
    documents: int


class NewFolder(Request):
    """Body of `POST /v1/folders`."""

    path: str = Field(min_length=1, max_length=1000)


class StageCounts(WireModel):
    """Documents of the workspace by status, and the age in seconds of the oldest one that has not ended."""

    counts: dict[str, int]
    chunks: int = Field(0, description="Chunks of all live versions.")
    oldest_waiting_s: float | None = None


class DocumentLookup(Request):
    """Body of `POST /v1/documents:lookup`."""

    ids: list[str] = Field(max_length=200)


class DocumentToDelete(Request):
    """A document to delete."""

    id: str
    if_sha256: str | None = Field(
        None,
        pattern=SHA256,
        description="Keep it unless its last version was made from the bytes with this SHA-256.",
    )


class DocumentsToDelete(Request):
    """Body of `POST /v1/documents:delete`."""

    items: list[DocumentToDelete] = Field(max_length=200)


class Deleted(WireModel):
    """What was deleted, and which documents of the request stay.

    `documents` counts attachments too. A document stays if it is not there, not visible to the caller, or
    holds other bytes than `if_sha256` says.
    """

    documents: int
    kept: list[str]


class Documents(WireModel):
    """Several documents. An id that is unknown to the caller has no document here."""

    items: list[Document]


class KnownFile(Request):
    """A file that a client is about to upload: its future place, and the SHA-256 of its bytes in hex."""

    folder: str | None = None
    filename: str | None = None
    external_id: str | None = None
    sha256: str = Field(pattern=SHA256)


class KnownFiles(Request):
    """Body of `POST /v1/documents:known`."""

    items: list[KnownFile] = Field(max_length=200)


class KnownDocuments(WireModel):
    """Which files need no upload: `items[i]` is the document that holds the bytes of file `i`, or null.

    A document that failed does not count.
    """

    items: list[Document | None]
