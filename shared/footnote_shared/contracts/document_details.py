"""One document with what it is about (spec 3.9)."""

from typing import Literal

from pydantic import Field

from footnote_shared.contracts.base import WireModel
from footnote_shared.contracts.documents import Document


class DocumentSummary(WireModel):
    """What a document is about, in a few sentences."""

    text: str
    made_by: Literal["model", "extract"] = Field(
        description="`extract`: sentences of the document as they stand there. `model`: written by a model "
        "that read the beginning of the document."
    )


class DocumentDetails(Document):
    """What `GET /v1/documents/{id}` answers."""

    summary: DocumentSummary | None = Field(
        None, description="Of the live version; null before there is one, and where it has no running text."
    )
