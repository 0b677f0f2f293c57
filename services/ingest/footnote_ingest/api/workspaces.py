"""`/v1/workspaces`: for the operator of the deployment, who alone may delete one (spec 3.6)."""

from typing import Annotated

from fastapi import APIRouter, Query

from footnote_ingest.api.dependencies import Resources
from footnote_ingest.api.operator import Operator
from footnote_ingest.contracts.workspaces import WorkspaceCard, WorkspaceReceipt
from footnote_ingest.maintenance.close_workspace import close_workspace, list_workspaces, receipt
from footnote_shared.contracts.base import Page
from footnote_shared.web.dependencies import Edge, ReadUnit
from footnote_shared.web.paging import Cursor, Limit, cut_page, key_of

router = APIRouter(prefix="/v1/workspaces", tags=["workspaces"])
Name = Annotated[
    str, Query(max_length=1000, description="The name of the workspace, to confirm it: 422 for another one.")
]


@router.get("", summary="The workspaces of the deployment, the oldest first")
def list_all(
    principal: Operator, session: ReadUnit, limit: Limit = 50, cursor: Cursor = None
) -> Page[WorkspaceCard]:
    """For operators alone. Those that are gone are no longer among them."""
    found = list_workspaces(session, limit + 1, key_of(cursor, str))
    items, following = cut_page(found, limit, lambda card: (card.id,))
    return Page(items=items, next_cursor=following)


@router.delete("/{workspace_id}", status_code=202, summary="Delete a workspace with all that it has")
async def delete_workspace(
    workspace_id: str, name: Name, principal: Operator, edge: Edge, resources: Resources
) -> WorkspaceReceipt:
    """Its keys and tokens are useless from this answer on, and there is no way back.

    Refused (409) while one of its documents is under legal hold, and for the operator's own workspace. To ask
    once more changes nothing. For operators alone.
    """
    return await edge.database.write_async(
        lambda session: close_workspace(session, resources.dispatcher, principal, workspace_id, name)
    )


@router.get("/{workspace_id}/receipt", summary="What has gone of a workspace that was deleted")
def get_receipt(workspace_id: str, principal: Operator, session: ReadUnit) -> WorkspaceReceipt:
    """Counted store by store. For operators alone."""
    return receipt(session, workspace_id)
