"""Facts that a model has read from documents, each with the passage that says so (spec 3.9)."""

from typing import Literal

from pydantic import Field

from footnote_shared.contracts.base import Moment, Request, WireModel

FactStatus = Literal["not_applicable", "queued", "completed", "failed"]
"""How far the facts of a document are. `not_applicable`: no model reads it, because its `classification` is
not one that the operator has allowed, or none is set up. `queued`: it waits, or is being read."""


class SourceRef(WireModel):
    """The passage that says it: a fact is cited by its passage, as `kb_chunk`."""

    document_id: str
    chunk_id: str
    title: str


class StatedFact(WireModel):
    """One fact. `quote` stands word for word in the passage; `text` is what the model made of it."""

    id: str
    text: str
    quote: str
    source_ref: SourceRef
    also_in: list[SourceRef] = Field(
        default_factory=list, description="Other passages that say the same and that you may see, 20 at most."
    )
    created_at: Moment


class DocumentFacts(WireModel):
    """What `GET /v1/documents/{id}/facts` answers. `reason` is why there are none where reading failed."""

    document_id: str
    fact_extraction_status: FactStatus
    reason: str | None = None
    items: list[StatedFact]


class FactLookup(Request):
    """Body of `POST /v1/documents:facts`."""

    ids: list[str] = Field(max_length=500)


class ShownFact(WireModel):
    """A fact by its id, and the passage that states it."""

    id: str
    text: str
    quote: str
    document_id: str
    chunk_id: str


class ShownFacts(WireModel):
    """The facts that are there and that the caller may see, in no order. Others are left out."""

    items: list[ShownFact]
