"""Answers about documents. Written by `make reference` from the OpenAPI documents."""

from datetime import datetime
from typing import Any

from pydantic import Field

from footnote_client.answer_model import AnswerModel
from footnote_client.models.shared import Chunk


class ChangedPassage(AnswerModel):
    """A passage that one version has and the other has not, or has with another text.

    `before` is absent where it was added, `after` where it was removed. Its place is that of `after`, and of
    `before` where it was removed.
    """

    heading_path: list[str]
    page_start: int | None = None
    page_end: int | None = None
    char_start: int
    char_end: int
    version: int
    chunk_id: str
    before: str | None = None
    after: str | None = None


class ChunkWithText(AnswerModel):
    """A chunk of a live version that holds the text."""

    document_id: str
    title: str
    source: str
    folder: str
    session_id: str | None = None
    """The session that the document belongs to."""
    chunk: Chunk


class Deleted(AnswerModel):
    """What was deleted, and which documents of the request stay.

    `documents` counts attachments too. A document stays if it is not there, not visible to the caller, or
    holds other bytes than `if_sha256` says.
    """

    documents: int
    kept: list[str]


class RemovedCounts(AnswerModel):
    """What a deletion has counted gone: rows of SQL, vectors, facts, and what lay in the object store.

    `originals` are the bytes as they came in. Bytes that another document shares stay and are not counted.
    """

    rows: int = 0
    vectors: int = 0
    blobs: int = 0
    originals: int = 0
    facts: int = 0


class DocumentError(AnswerModel):
    """Why a document failed: the stage, a code, a sentence for people, and whether a retry can help."""

    stage: str
    """One of `queued`, `extracting`, `chunking`, `embedding`, `indexing`, `indexed`, `failed`, `skipped`,
    `deleting`, `deleted`.
    """
    code: str
    reason: str
    retryable: bool


class DocumentSummary(AnswerModel):
    """What a document is about, in a few sentences."""

    text: str
    made_by: str
    """`extract`: sentences of the document as they stand there. `model`: written by a model that read the
    beginning of the document. One of `model`, `extract`.
    """


class DocumentVersion(AnswerModel):
    """One version that was accepted. `live_at` is absent where readers never saw it."""

    version: int
    cause: str
    """One of `uploaded`, `restored`, `cut_again`, `read_again`."""
    live: bool
    """Whether searches find this one."""
    title: str
    filename: str
    mime: str
    size: int
    sha256: str
    pages: int | None = None
    accepted_at: datetime
    live_at: datetime | None = None
    comparable: bool
    """Whether its texts are still kept, so that it can be compared."""


class EndedSession(AnswerModel):
    """Answer to `DELETE /v1/sessions/{id}`: the documents that are deleted, each of which has a receipt."""

    documents: list[str]
    """Their ids, without those of the files inside them."""


class Holdings(AnswerModel):
    """What the workspace holds, and what it may hold. Bytes are those of files, each counted once."""

    documents: int
    documents_limit: int
    bytes: int
    bytes_limit: int
    chunks: int
    """Chunks of all live versions."""


class Rechunking(AnswerModel):
    """How far it is. Readers see the chunks of before until the new ones of a document are searchable."""

    running: bool
    requested_at: datetime | None = None
    """None if nothing is running."""
    total: int
    """How many documents there were to be cut; 0 if nothing is running."""
    left: int
    """How many of them are still as they were; failed ones do not count."""
    failed: int
    """Documents that could not be read again. Their chunks of before stay."""
    outdated: int
    """Documents that these settings would cut differently, or may."""


class ReconciledPortion(AnswerModel):
    """What one portion of the comparison has found. The next one is asked for with `next_cursor`."""

    vectors_without_row: int = 0
    """Vectors that no document needs: removed."""
    rows_without_vector: int = 0
    """Documents that lacked vectors: indexed anew."""
    vectors_outdated: int = 0
    """Documents whose vectors told another folder or other readers: told anew."""
    rows_left: int = 0
    """Documents with rows of passages or facts that nothing needs: being removed."""
    parts_without_document: int = 0
    """Attachments of deleted documents: deleted."""
    passages_lost: int = 0
    """Documents that lacked passages in SQL: indexed anew."""
    readers_differed: int = 0
    """Documents that were compared with other groups than their source names: corrected."""
    kept_texts_differed: int = 0
    """Documents whose texts of earlier versions were counted wrongly: counted again."""
    texts_lost: int = 0
    """Documents whose text was lost: indexed anew."""
    rows_without_bytes: int = 0
    """Documents that lack vectors or text, and whose bytes are gone: hand them in again."""
    originals_lost: int = 0
    """Documents that are searched, but whose file is gone: hand them in again."""
    blobs_without_row: int = 0
    """Blobs that nothing refers to for an hour: removed."""
    facts_without_row: int = 0
    """Vectors of facts that are no more: removed."""
    facts_without_vector: int = 0
    """Documents whose facts lacked vectors: brought in again."""
    documents_stuck: int = 0
    """Documents that nobody held and no message named: sent again."""
    documents_failed: int = 0
    """Documents whose tries were used up by workers that died."""
    removals_stuck: int = 0
    """Deletions whose message was lost: sent again."""
    part: str
    """What was looked at: `stuck` work, `rows` of documents that differ, stray `files`, `texts` and
    `vectors`, incomplete `documents`, stray `fact_vectors`, `facts` without vectors.
    """
    looked_at: int
    """Rows, vectors or blobs of that part."""
    next_cursor: str | None = None
    """Absent at the end."""


class StageCounts(AnswerModel):
    """Documents of the workspace by status, and the age in seconds of the oldest one that has not ended."""

    counts: dict[str, int]
    chunks: int = 0
    """Chunks of all live versions."""
    oldest_waiting_s: float | None = None


class Transition(AnswerModel):
    """One row of a document's timeline. `duration_ms` is the time in the stage that ended with it."""

    seq: int
    version: int
    status: str
    """One of `queued`, `extracting`, `chunking`, `embedding`, `indexing`, `indexed`, `failed`, `skipped`,
    `deleting`, `deleted`.
    """
    at: datetime
    duration_ms: float | None = None
    attempt: int = 0
    detail: str | None = None


class VersionChanges(AnswerModel):
    """What changed between two versions. `more` changes are left out."""

    before: int
    after: int
    unchanged: int
    """Passages that both have with the same text."""
    items: list[ChangedPassage]
    more: int = 0


class ChunksWithText(AnswerModel):
    """Answer to `POST /v1/documents:grep`: newest documents first. `more`: there are others behind these.

    `partial`: texts are encrypted and there are many, so only those of the newest documents were looked
    through. A folder or ids of documents narrow it down.
    """

    items: list[ChunkWithText]
    more: bool
    partial: bool = False


class DeletionReceipt(AnswerModel):
    """What has gone of a deleted document and of the `children` that were found in it."""

    document_id: str
    asked_at: datetime
    gone_at: datetime | None = None
    """When the last of it had gone; null while some is left."""
    children: int
    removed: RemovedCounts


class Document(AnswerModel):
    """A document as the API shows it.

    `version` is the last version that was accepted, `live_version` the one that searches find.
    """

    id: str
    workspace_id: str
    avatar_id: str = ""
    """The avatar that owns it; empty when that person was deleted."""
    visibility: str = "workspace"
    """One of `workspace`, `private`."""
    title: str
    filename: str
    mime: str
    language: str | None = None
    """ISO 639 code of the language of its text; null where that could not be told."""
    size: int
    sha256: str = ""
    """SHA-256 of the bytes of `version`, in hex."""
    source_type: str
    """One of `upload`, `generated`, `connector`, `web`, `email`, `email_attachment`, `image_capture`,
    `voice_memo`, `anonymous`.
    """
    folder: str
    folder_id: str | None = None
    external_id: str | None = None
    status: str
    """One of `queued`, `extracting`, `chunking`, `embedding`, `indexing`, `indexed`, `failed`, `skipped`,
    `deleting`, `deleted`.
    """
    error: DocumentError | None = None
    version: int
    live_version: int | None = None
    open_from: int = 0
    """The first version that others than its owner may see."""
    chunks: int
    url: str | None = None
    connector_id: str | None = None
    """The connector that brought it in."""
    groups: list[str] | None = Field(default_factory=list)
    """Only these groups and its owner see it; null: whoever `visibility` says."""
    legal_hold: bool = False
    """Nobody may delete or replace it, and no sync does."""
    session_id: str | None = None
    """The session that it belongs to and ends with."""
    expires_at: datetime | None = None
    """When it is deleted by itself; null: never."""
    metadata: dict[str, Any] = Field(default_factory=dict)
    created_at: datetime
    updated_at: datetime
    indexed_at: datetime | None = None


class DocumentVersions(AnswerModel):
    """The latest versions, the newest first."""

    items: list[DocumentVersion]


class Timeline(AnswerModel):
    """What happened to a document, oldest first."""

    items: list[Transition]


class BatchOutcome(AnswerModel):
    """What became of one document of a batch: either `document` or `problem` is there.

    `status` and `problem` (RFC 9457) are those that a single upload would have been answered with.
    """

    status: int
    document: Document | None = None
    problem: dict[str, Any] | None = Field(default_factory=dict)


class DocumentDetails(Document):
    """What `GET /v1/documents/{id}` answers."""

    summary: DocumentSummary | None = None
    """Of the live version; null before there is one, and where it has no running text."""


class DocumentProgress(AnswerModel):
    """How far the documents of a request are.

    `waiting` counts those in work by status. `ended` are those that have ended. `absent` are those that are
    not there for the caller, for instance because somebody deleted them. `cursor` is opaque and stands for
    what those in work look like in this answer.
    """

    waiting: dict[str, int]
    ended: list[Document]
    absent: list[str]
    cursor: str


class Documents(AnswerModel):
    """Several documents. An id that is unknown to the caller has no document here."""

    items: list[Document]


class KnownDocuments(AnswerModel):
    """Which files need no upload: `items[i]` is the document that holds the bytes of file `i`, or null.

    A document that failed does not count.
    """

    items: list[Document | None]


class DocumentList(AnswerModel):
    """One page of DocumentList."""

    items: list[Document]
    next_cursor: str | None = None


class BatchOutcomes(AnswerModel):
    """`items[i]` is the outcome of document `i`. One that is refused refuses no other."""

    items: list[BatchOutcome]
