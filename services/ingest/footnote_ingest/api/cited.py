"""The routes by which the resolver asks what became of cited sources (docs/adr/0014)."""

from fastapi import APIRouter

from footnote_ingest.documents.cited import cited_source, withheld_at_once, withheld_sources
from footnote_shared.clients.in_process import DirectCall
from footnote_shared.contracts.documents import CitedPassage, CitedSource, ShownSources, WithheldSources
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.web.body_limits import LARGE_BODY, body_limit
from footnote_shared.web.dependencies import Edge, Neighbour, ReadUnit
from footnote_shared.web.problems import valid_body

router = APIRouter(tags=["documents"])

WITHHELD = "/v1/documents:withheld"
"""The path that is asked whenever entries leave for a reader."""


@router.post(
    "/v1/documents:cited",
    summary="For the resolver: what became of a cited source. An API key finds nothing here",
    response_model_exclude_none=True,
)
@body_limit(LARGE_BODY)
def cited(body: CitedPassage, principal: Neighbour, session: ReadUnit) -> CitedSource:
    return cited_source(session, principal, body)


@router.post(
    WITHHELD,
    summary="For the resolver: which of many sources were withdrawn. An API key finds nothing here",
)
@body_limit(LARGE_BODY)
async def withheld(body: ShownSources, principal: Neighbour, edge: Edge) -> WithheldSources:
    return await _withheld(edge.database, principal, body)


def direct_withheld(database: Database) -> DirectCall:
    """The same for a service of this process, which has the caller from its own door."""

    async def answer(caller: Principal, body: bytes) -> bytes:
        asked = valid_body(ShownSources, body)
        return (await _withheld(database, caller, asked)).model_dump_json().encode()

    return answer


async def _withheld(database: Database, principal: Principal, body: ShownSources) -> WithheldSources:
    found = withheld_at_once(database, principal, body.items)
    if found is None:
        found = await database.read_async(lambda session: withheld_sources(session, principal, body.items))
    return WithheldSources(withheld=found)
