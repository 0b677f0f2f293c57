"""Ending a session: its anonymous uploads are deleted, with a receipt for each (docs/adr/0065)."""

from fastapi import APIRouter

from footnote_ingest.api.dependencies import Resources
from footnote_ingest.documents.session import end_session
from footnote_shared.contracts.sessions import EndedSession
from footnote_shared.db.engine import WriteSession
from footnote_shared.web.dependencies import Edge, Writer

router = APIRouter(tags=["documents"])


@router.delete(
    "/v1/sessions/{session_id}",
    status_code=202,
    summary="End a session: its uploads are gone for readers at once",
)
async def end(session_id: str, principal: Writer, edge: Edge, resources: Resources) -> EndedSession:
    """What the caller has handed in under this name is deleted. Its receipts are read in the session."""

    def delete(session: WriteSession) -> EndedSession:
        ids = end_session(session, resources.dispatcher, resources.policy, principal, session_id)
        return EndedSession(documents=ids)

    return await edge.database.write_async(delete)
