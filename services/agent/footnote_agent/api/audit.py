"""`/v1/audit`: who changed what the workspace is set to, and when."""

from fastapi import APIRouter

from footnote_shared.contracts.audit import AuditEntry
from footnote_shared.contracts.base import Page
from footnote_shared.db.audit_log import list_entries
from footnote_shared.web.dependencies import Admin, Edge
from footnote_shared.web.paging import Cursor, Limit, cut_page, key_of

router = APIRouter(prefix="/v1/audit", tags=["audit"])


@router.get("", summary="Changes of the workspace's flags and tools, the newest first")
async def list_audit(edge: Edge, caller: Admin, limit: Limit = 50, cursor: Cursor = None) -> Page[AuditEntry]:
    """Each entry was written with its change: neither is there without the other."""
    older_than = key_of(cursor, str)
    rows = await edge.database.read_async(
        lambda session: list_entries(session, caller, limit + 1, older_than)
    )
    items, following = cut_page(rows, limit, lambda entry: (entry.id,))
    return Page(items=items, next_cursor=following)
