"""Answers about chunks. Written by `make reference` from the OpenAPI documents."""

from datetime import datetime

from pydantic import Field

from footnote_client.answer_model import AnswerModel
from footnote_client.models.shared import Chunk


class ChunkPage(AnswerModel):
    """One page of a document's chunks, in order."""

    document_id: str
    title: str
    source: str
    session_id: str | None = None
    """The session that the document belongs to."""
    items: list[Chunk]
    next_cursor: str | None = None


class LiveChunk(AnswerModel):
    """A chunk of a live version, with everything that a passage shows.

    `text_hash` is the one asked for, over the text that was embedded, with title and headings. `content_hash`
    is over `text` alone, so that equal passages of different documents share it. `tokens` counts `text` by
    the lane's tokenizer.
    """

    document_id: str
    chunk_id: str
    text_hash: str
    content_hash: str = ""
    title: str
    source: str
    text: str
    tokens: int | None = None
    ordinal: int
    kind: str
    heading_path: list[str]
    page_start: int | None = None
    page_end: int | None = None
    char_start: int
    char_end: int
    version: int
    language: str | None = None
    """ISO 639 code of the text's language; null for code, and where it could not be told."""
    code_language: str | None = None
    """Programming language of a chunk of code, such as `python`, where it is known."""
    source_type: str
    """One of `upload`, `generated`, `connector`, `web`, `email`, `email_attachment`, `image_capture`,
    `voice_memo`, `anonymous`.
    """
    url: str | None = None
    created_at: datetime
    folder_ids: list[str] | None = Field(default_factory=list)
    """The folder and those above it, if asked for."""


class LiveChunks(AnswerModel):
    """Answer to `POST /v1/chunks:lookup`.

    A chunk that is not live, or not visible to the caller, is not in it. Neither is one of memory, unless
    memory was asked for.
    """

    items: list[LiveChunk]
    around: list[LiveChunk] = Field(default_factory=list)
    """Chunks near these, if asked for."""
    generation: int | None = None
    """The counter of the workspace's index changes. Only neighbours get it: it also counts changes of
    documents that the caller may not see.
    """
