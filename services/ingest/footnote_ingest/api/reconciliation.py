"""`POST /v1/documents:reconcile`: compare the stores now, and repair what differs (spec 3.6)."""

import time
from contextlib import closing

from fastapi import APIRouter

from footnote_ingest.api.dependencies import Resources
from footnote_ingest.contracts.reconciliation import ReconciledPortion, ReconcileRequest
from footnote_ingest.maintenance.repair import FIRST, PARTS, PortionStart, repair_portion
from footnote_ingest.pipeline.remove import RemoveResources
from footnote_ingest.store.kept_texts import KeptLimits
from footnote_ingest.work.resources import WorkResources
from footnote_shared.db.audit_log import add_entry
from footnote_shared.kernel.ids import is_id
from footnote_shared.web.dependencies import Admin, Edge
from footnote_shared.web.paging import decode_cursor, encode_cursor, invalid_cursor

router = APIRouter(tags=["documents"])
_PORTION_S = 5.0
"""A portion ends with the first look behind this time, so that an answer comes before anybody gives up."""


@router.post("/v1/documents:reconcile", summary="Compare SQL, vectors and blobs, and repair what differs")
def reconcile_now(
    principal: Admin, edge: Edge, resources: Resources, body: ReconcileRequest | None = None
) -> ReconciledPortion:
    """The documents of the caller's workspace, a portion with each request: go on with `next_cursor`.

    A clock does the same every hour for all of them.
    """
    asked = None if body is None else body.cursor
    place = _place(asked)
    ends_at = time.monotonic() + _PORTION_S
    work = WorkResources(edge.database, resources.dispatcher, resources.policy, "reconcile")
    with closing(resources.open_lane()) as lane:
        facts, limits = lane.named(edge.settings.fact_lane), KeptLimits.from_settings(edge.settings)
        stores = RemoveResources(resources.blobs, lane, facts, limits)
        portion = repair_portion(
            work, stores, principal.workspace_id, place, lambda: time.monotonic() > ends_at
        )
    counts = {name: count for name, count in sorted(portion.found.items()) if count}
    if asked is None or counts:
        with edge.database.write() as session:
            after = {"part": portion.part, **counts}
            add_entry(session, principal, "documents.reconciled", "documents", before=None, after=after)
    following = portion.following
    cursor = None if following is None else encode_cursor(following.part, following.after)
    said = {"part": portion.part, "looked_at": portion.looked_at, "next_cursor": cursor}
    return ReconciledPortion.model_validate({**counts, **said})


def _place(cursor: str | None) -> PortionStart:
    if cursor is None:
        return FIRST
    part, after = map(str, decode_cursor(cursor, str, str))
    if part not in PARTS or (after and not is_id(after)):
        raise invalid_cursor()
    return PortionStart(part, after)
