"""Facts that a model has read from documents, each with the passage that says so (spec 3.9)."""

from typing import Literal

from pydantic import Field

from footnote_shared.contracts.base import Moment, Request, WireModel

FactStatus = Literal["not_applicable", "queued", "completed", "failed"]
"""How far the facts of a document are. `not_applicable`: no model reads it, because its `classification` is
not one that the operator has allowed, or none is set up. `queued`: it waits, or is being read."""

EntityKind = Literal["person", "organisation", "place", "thing"]


class SourceRef(WireModel):
    """The passage that says it: a fact is cited by its passage, as `kb_chunk`."""

    document_id: str
    chunk_id: str
    title: str


class FactEntity(WireModel):
    """Whom or what a fact names, as its passage writes it.

    Facts whose entities have one `entity_id` name the same one, as far as you can see: the same person by an
    address, an organisation, a document or a role, and never by a name alone.
    """

    entity_id: str
    kind: EntityKind
    name: str
    role: str | None = None
    organisation: str | None = None
    address: str | None = None


class StatedFact(WireModel):
    """One fact. `quote` stands word for word in the passage; `text` is what the model made of it."""

    id: str
    text: str
    quote: str
    source_ref: SourceRef
    also_in: list[SourceRef] = Field(
        default_factory=list, description="Other passages that say the same and that you may see, 20 at most."
    )
    entities: list[FactEntity] = Field(default_factory=list)
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


class FactOfEntity(WireModel):
    """A fact that names an entity, and the passage that states it."""

    id: str
    text: str
    source_ref: SourceRef


class Entity(WireModel):
    """One person, organisation, place or thing, by what the facts say that you may see.

    `id` is good as long as these facts are. `names` are all that it is written by.
    """

    id: str
    kind: EntityKind
    names: list[str]
    roles: list[str]
    organisations: list[str]
    addresses: list[str]
    facts: list[FactOfEntity] = Field(description="The latest 20 facts that name it.")


class Entities(WireModel):
    """What `GET /v1/entities` answers: people of one name are told apart.

    `more`: the name stands in more facts than were looked at, which are the latest 200.
    """

    items: list[Entity]
    more: bool
