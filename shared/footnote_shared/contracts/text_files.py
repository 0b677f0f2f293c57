"""Documents as files of text: changing a part of one, and finding a text in many (spec 5.5)."""

from typing import Any

from pydantic import Field

from footnote_shared.contracts.base import Request, WireModel
from footnote_shared.contracts.documents import Chunk


class TextEdit(Request):
    """Body of `POST /v1/documents/{id}:edit`: the whole new `text`, or `new` in place of `old`."""

    text: str | None = Field(None, max_length=500_000)
    old: str | None = Field(
        None,
        min_length=1,
        max_length=100_000,
        description="A part of the text. It stands there exactly once, unless `everywhere`.",
    )
    new: str = Field("", max_length=100_000)
    everywhere: bool = False
    no_numbers: bool = Field(
        False, description="Refuse the edit where it would leave one more `[1]` that reads as a citation."
    )
    metadata: dict[str, Any] = Field(default_factory=dict, description="Added to that of the document.")


class TextLookup(Request):
    """Body of `POST /v1/documents:grep`: a text as it is written, in large or small letters."""

    text: str = Field(min_length=2, max_length=200)
    folder: str | None = Field(None, max_length=1000, description="Only in this folder and below it.")
    document_ids: list[str] | None = Field(None, max_length=200)
    limit: int = Field(20, ge=1, le=50)


class ChunkWithText(WireModel):
    """A chunk of a live version that holds the text."""

    document_id: str
    title: str
    source: str
    folder: str
    session_id: str | None = Field(None, description="The session that the document belongs to.")
    chunk: Chunk


class ChunksWithText(WireModel):
    """Answer to `POST /v1/documents:grep`: newest documents first. `more`: there are others behind these.

    `partial`: texts are encrypted and there are many, so only those of the newest documents were looked
    through. A folder or ids of documents narrow it down.
    """

    items: list[ChunkWithText]
    more: bool
    partial: bool = False
