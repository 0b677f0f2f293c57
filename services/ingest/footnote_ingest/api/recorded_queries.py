"""The route by which the retriever hands in what was searched for (spec 3.8)."""

from fastapi import APIRouter

from footnote_ingest.lanes.recorded_queries import RecordedQueries
from footnote_shared.contracts.recorded_queries import AskedQuery, RecordedQuery
from footnote_shared.web.dependencies import Edge, Neighbour, WriteUnit

router = APIRouter(tags=["lanes"])


@router.post(
    "/v1/lanes:asked",
    summary="For the retriever: a query for the sample of a workspace. An API key finds nothing here",
)
def record(body: AskedQuery, principal: Neighbour, edge: Edge, session: WriteUnit) -> RecordedQuery:
    """Kept where the workspace has set the flag `record_queries`, and nowhere else."""
    recorded = RecordedQueries.from_settings(edge.settings)
    return RecordedQuery(kept=recorded.record(session, principal.workspace_id, body.query))
