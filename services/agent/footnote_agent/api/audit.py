"""`/v1/audit`: who changed what the workspace is set to, who was refused, and when."""

from typing import Annotated

from fastapi import APIRouter, Query

from footnote_shared.contracts.audit import AuditEntry, AuditQuery
from footnote_shared.contracts.base import Page
from footnote_shared.db.audit_log import list_entries
from footnote_shared.web.dependencies import Admin, Edge
from footnote_shared.web.paging import Cursor, Limit, cut_page, key_of

router = APIRouter(prefix="/v1/audit", tags=["audit"])


class _Listing(AuditQuery):
    limit: Limit = 50
    cursor: Cursor = None


@router.get("", summary="Administrative acts in the workspace and refusals, the newest first")
async def list_audit(asked: Annotated[_Listing, Query()], edge: Edge, caller: Admin) -> Page[AuditEntry]:
    """Each entry was written with its act: neither is there without the other.

    An entry is kept for 400 days. Of one avatar, 30 refusals an hour are written.
    """
    older_than = key_of(asked.cursor, str)
    rows = await edge.database.read_async(
        lambda session: list_entries(session, caller, asked.limit + 1, older_than, asked)
    )
    items, following = cut_page(rows, asked.limit, lambda entry: (entry.id,))
    return Page(items=items, next_cursor=following)
