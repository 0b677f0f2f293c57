"""Answers about citations. Written by `make reference` from the OpenAPI documents."""

from pydantic import Field

from footnote_client.answer_model import AnswerModel
from footnote_client.models.shared import CitationEntry, Display


class CitationEntries(AnswerModel):
    """Entries of a conversation, by number."""

    items: list[CitationEntry]
    next_cursor: str | None = None


class CurrentPlace(AnswerModel):
    """Where the cited passage stands today, or what has replaced it.

    Characters count in the text of `GET /v1/documents/{id}/text`.
    """

    chunk_id: str
    ordinal: int
    heading_path: list[str]
    page_start: int | None = None
    page_end: int | None = None
    char_start: int
    char_end: int
    version: int


class NearbyChunk(AnswerModel):
    """A chunk beside the cited one, for context."""

    chunk_id: str
    ordinal: int
    text: str


class RegisterResult(AnswerModel):
    """`numbers[i]` stands for `items[i]`; `rendered` is the text for the model."""

    numbers: list[int]
    rendered: str


class Pill(AnswerModel):
    """What a reader gets who opens `[n]` (spec 2.7, docs/pills.md).

    A pill that is `forbidden`, or of a document and `unknown`, holds nothing of its source.
    """

    n: int
    status: str
    """`current`: as it was shown. `moved`: the same text at another place of the document. `changed`: the
    place holds another text now. `deleted`: it is no longer there. `forbidden`: the reader may no longer
    see it. `unknown`: the service that knows does not answer. One of `current`, `changed`, `moved`,
    `deleted`, `forbidden`, `unknown`.
    """
    checked: bool | None = None
    """Whether the source itself was asked just now. Web pages and connector items are not: their `current`
    says no more than that this is what was shown.
    """
    degraded: list[str] | None = Field(default_factory=list)
    """Services that did not answer, with status `unknown`."""
    source_type: str | None = None
    """One of `kb_chunk`, `kb_document`, `connector_item`, `web_result`, `chat_turn`, `anon_chunk`."""
    locator: dict[str, str] | None = Field(default_factory=dict)
    display: Display | None = None
    quote: str | None = None
    span: tuple[int, int] | None = None
    """Characters of the source's text at the time when the passage was shown."""
    first_turn_id: str | None = None
    current_text: str | None = None
    """With `changed`: the text that stands there now. The one that was shown is `quote`."""
    place: CurrentPlace | None = None
    """Where it stands today."""
    context: list[NearbyChunk] | None = Field(default_factory=list)
    document_url: str | None = None
    """The source itself. A fragment names the page and the characters to highlight, as they are today (RFC
    5147).
    """
    text_url: str | None = None
    """The text that was read from the document. Those characters count in it, whatever the document's format
    is.
    """
