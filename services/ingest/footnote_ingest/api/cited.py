"""The route by which the resolver asks what became of a cited source (docs/adr/0014)."""

from fastapi import APIRouter

from footnote_ingest.documents.cited import cited_source, withheld_sources
from footnote_shared.contracts.documents import CitedPassage, CitedSource, ShownSources, WithheldSources
from footnote_shared.web.body_limits import LARGE_BODY, body_limit
from footnote_shared.web.dependencies import Neighbour, ReadUnit

router = APIRouter(tags=["documents"])


@router.post(
    "/v1/documents:cited",
    summary="For the resolver: what became of a cited source. An API key finds nothing here",
    response_model_exclude_none=True,
)
@body_limit(LARGE_BODY)
def cited(body: CitedPassage, principal: Neighbour, session: ReadUnit) -> CitedSource:
    return cited_source(session, principal, body)


@router.post(
    "/v1/documents:withheld",
    summary="For the resolver: which of many sources were withdrawn. An API key finds nothing here",
)
@body_limit(LARGE_BODY)
def withheld(body: ShownSources, principal: Neighbour, session: ReadUnit) -> WithheldSources:
    return WithheldSources(withheld=withheld_sources(session, principal, body.items))
