"""What models have read from documents, each fact with its passage (spec 3.9)."""

from typing import Annotated

from fastapi import APIRouter, Query

from footnote_ingest.facts.named_entities import LONGEST_NAME
from footnote_ingest.facts.shown_entities import entities_named
from footnote_ingest.facts.shown_facts import facts_of, shown_facts
from footnote_ingest.store import documents
from footnote_shared.contracts.facts import DocumentFacts, Entities, FactLookup, ShownFacts
from footnote_shared.web.dependencies import Edge, Reader, ReadUnit

router = APIRouter(tags=["facts"])


@router.get("/v1/documents/{document_id}/facts", summary="Facts that were read from a document")
def list_facts(document_id: str, principal: Reader, session: ReadUnit, edge: Edge) -> DocumentFacts:
    """Cite a fact by its passage: `source_ref` names what a citation of the kind `kb_chunk` needs."""
    document = documents.get(session, principal, document_id)
    return facts_of(session, principal, document.row, edge.settings.facts_allowed)


@router.post(
    "/v1/documents:facts", summary="Several facts; those that are not there or not yours are left out"
)
def lookup_facts(body: FactLookup, principal: Reader, session: ReadUnit, edge: Edge) -> ShownFacts:
    return shown_facts(session, principal, body.ids, edge.settings.facts_allowed)


@router.get("/v1/entities", summary="Who and what has a name, by the facts that name them")
def list_entities(
    principal: Reader,
    session: ReadUnit,
    edge: Edge,
    name: Annotated[str, Query(min_length=1, max_length=LONGEST_NAME)],
) -> Entities:
    """A person is found by the family name, with or without the first name or an initial. People of one name
    are told apart by address, organisation, document and role; who could be two people stands alone."""
    key = edge.database.sealing_key(principal.workspace_id)
    return entities_named(session, principal, name, edge.settings.facts_allowed, key)
