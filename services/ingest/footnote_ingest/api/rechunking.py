"""`/v1/documents:rechunk`: cut the documents of a workspace again after a change of settings (spec 3.4)."""

from fastapi import APIRouter

from footnote_ingest.chunking.cut_digest import cut_digest
from footnote_ingest.contracts.rechunking import Rechunking
from footnote_ingest.maintenance import rechunk
from footnote_shared.db.audit_log import add_entry
from footnote_shared.web.dependencies import Admin, Edge, ReadUnit, WriteUnit

router = APIRouter(tags=["documents"])


@router.post(
    "/v1/documents:rechunk",
    status_code=202,
    summary="Cut again what other settings have cut, in the background",
)
def begin_rechunking(principal: Admin, edge: Edge, session: WriteUnit) -> Rechunking:
    """The documents of the caller's workspace, as many at a time as leave room for uploads.

    A document stays searchable by its chunks of before until the new ones are there. Text that is cut as
    before keeps its ids and its vectors, and old citations keep what they quote.
    """
    digest = cut_digest(edge.settings)
    begun = rechunk.request(session, principal.workspace_id, digest)
    add_entry(
        session, principal, "documents.rechunked", digest, before=None, after={"documents": begun.total}
    )
    return begun


@router.get("/v1/documents:rechunk", summary="How many documents other settings have cut, and how far it is")
def rechunking(principal: Admin, edge: Edge, session: ReadUnit) -> Rechunking:
    return rechunk.state(session, principal.workspace_id, cut_digest(edge.settings))


@router.delete("/v1/documents:rechunk", summary="Cut no more documents again")
def stop_rechunking(principal: Admin, edge: Edge, session: WriteUnit) -> Rechunking:
    """Those that are in work are ended."""
    digest = cut_digest(edge.settings)
    before = rechunk.state(session, principal.workspace_id, digest)
    if before.running:
        said = {"documents": before.left}
        add_entry(session, principal, "documents.rechunk_stopped", digest, before=said, after=None)
    return rechunk.stop(session, principal.workspace_id, digest)
