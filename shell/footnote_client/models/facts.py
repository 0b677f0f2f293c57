"""Answers about facts. Written by `make reference` from the OpenAPI documents."""

from datetime import datetime

from pydantic import Field

from footnote_client.answer_model import AnswerModel


class FactEntity(AnswerModel):
    """Whom or what a fact names, as its passage writes it.

    Facts whose entities have one `entity_id` name the same one, as far as you can see: the same person by an
    address, an organisation, a document or a role, and never by a name alone.
    """

    entity_id: str
    kind: str
    """One of `person`, `organisation`, `place`, `thing`."""
    name: str
    role: str | None = None
    organisation: str | None = None
    address: str | None = None


class SourceRef(AnswerModel):
    """The passage that says it: a fact is cited by its passage, as `kb_chunk`."""

    document_id: str
    chunk_id: str
    title: str


class ShownFact(AnswerModel):
    """A fact by its id, and the passage that states it."""

    id: str
    text: str
    quote: str
    document_id: str
    chunk_id: str


class FactOfEntity(AnswerModel):
    """A fact that names an entity, and the passage that states it."""

    id: str
    text: str
    source_ref: SourceRef


class StatedFact(AnswerModel):
    """One fact. `quote` stands word for word in the passage; `text` is what the model made of it."""

    id: str
    text: str
    quote: str
    source_ref: SourceRef
    also_in: list[SourceRef] = Field(default_factory=list)
    """Other passages that say the same and that you may see, 20 at most."""
    entities: list[FactEntity] = Field(default_factory=list)
    created_at: datetime


class ShownFacts(AnswerModel):
    """The facts that are there and that the caller may see, in no order. Others are left out."""

    items: list[ShownFact]


class Entity(AnswerModel):
    """One person, organisation, place or thing, by what the facts say that you may see.

    `id` is good as long as these facts are. `names` are all that it is written by.
    """

    id: str
    kind: str
    """One of `person`, `organisation`, `place`, `thing`."""
    names: list[str]
    roles: list[str]
    organisations: list[str]
    addresses: list[str]
    facts: list[FactOfEntity]
    """The latest 20 facts that name it."""


class DocumentFacts(AnswerModel):
    """What `GET /v1/documents/{id}/facts` answers. `reason` is why there are none where reading failed."""

    document_id: str
    fact_extraction_status: str
    """One of `not_applicable`, `queued`, `completed`, `failed`."""
    reason: str | None = None
    items: list[StatedFact]


class Entities(AnswerModel):
    """What `GET /v1/entities` answers: people of one name are told apart.

    `more`: the name stands in more facts than were looked at, which are the latest 200.
    """

    items: list[Entity]
    more: bool
