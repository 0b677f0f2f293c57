"""Who runs the deployment: an administrator of the operator's workspace, and nobody else."""

from typing import Annotated

from fastapi import Depends
from sqlmodel import select

from footnote_shared.contracts.identity import Principal
from footnote_shared.db.tables import WorkspaceRow
from footnote_shared.kernel.errors import Forbidden
from footnote_shared.web.dependencies import Admin, Edge


async def operator(principal: Admin, edge: Edge) -> Principal:
    """The caller, who administers the workspace of whoever runs this deployment."""
    wanted = edge.settings.operator_workspace
    if not wanted:
        some = await edge.database.read_async(
            lambda session: list(session.exec(select(WorkspaceRow.id).limit(2)))
        )
        if len(some) > 1:
            raise Forbidden(
                "This belongs to the whole deployment, which has several workspaces. Its operator names the "
                "one that may see and change it in FOOTNOTE_OPERATOR_WORKSPACE."
            )
        return principal
    if principal.workspace_id != wanted:
        raise Forbidden("This belongs to the whole deployment: only its operator may see and change it.")
    return principal


Operator = Annotated[Principal, Depends(operator)]
