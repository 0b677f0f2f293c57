"""Many documents handed in with one request, and what becomes of each (spec 9.2)."""

from typing import Any

from pydantic import Field

from footnote_shared.contracts.base import Request, WireModel
from footnote_shared.contracts.documents import Document, Visibility


class FileFields(Request):
    """What is said about one file of `POST /v1/documents:batch`. What is absent is as in a single upload."""

    title: str | None = Field(None, max_length=500)
    folder: str | None = Field(None, max_length=1000)
    external_id: str | None = Field(None, min_length=1, max_length=500)
    visibility: Visibility | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)


class BatchOutcome(WireModel):
    """What became of one document of a batch: either `document` or `problem` is there.

    `status` and `problem` (RFC 9457) are those that a single upload would have been answered with.
    """

    status: int
    document: Document | None = None
    problem: dict[str, Any] | None = None


class BatchOutcomes(WireModel):
    """`items[i]` is the outcome of document `i`. One that is refused refuses no other."""

    items: list[BatchOutcome]
