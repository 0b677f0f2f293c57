"""`POST /v1/documents:reconcile`: compare the stores now, and repair what differs (spec 3.6)."""

from contextlib import closing

from fastapi import APIRouter

from footnote_ingest.api.dependencies import Resources
from footnote_ingest.contracts.reconciliation import Reconciliation
from footnote_ingest.maintenance.repair import repair
from footnote_ingest.pipeline.remove import RemoveResources
from footnote_ingest.store.kept_texts import KeptLimits
from footnote_ingest.work.resources import WorkResources
from footnote_shared.db.audit_log import add_entry
from footnote_shared.web.dependencies import Admin, Edge

router = APIRouter(tags=["documents"])


@router.post("/v1/documents:reconcile", summary="Compare SQL, vectors and blobs, and repair what differs")
def reconcile_now(principal: Admin, edge: Edge, resources: Resources) -> Reconciliation:
    """The documents of the caller's workspace. A clock does the same every hour for all of them."""
    work = WorkResources(edge.database, resources.dispatcher, resources.policy, "reconcile")
    with closing(resources.open_lane()) as lane:
        facts = lane.named(edge.settings.fact_lane)
        limits = KeptLimits.from_settings(edge.settings)
        found = repair(work, RemoveResources(resources.blobs, lane, facts, limits), principal.workspace_id)
    with edge.database.write() as session:
        counts = found.model_dump(mode="json")
        add_entry(session, principal, "documents.reconciled", "documents", before=None, after=counts)
    return found
