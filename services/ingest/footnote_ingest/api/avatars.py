"""`/v1/avatars`: the people of a workspace, whom its admins may delete (spec 3.6)."""

from typing import Annotated

from fastapi import APIRouter, Query

from footnote_ingest.api.dependencies import Resources
from footnote_ingest.contracts.avatars import AvatarCard, AvatarReceipt, SharedDocuments
from footnote_ingest.maintenance.close_avatar import close_avatar, list_avatars, receipt
from footnote_shared.contracts.base import Page
from footnote_shared.web.dependencies import Admin, Edge, ReadUnit
from footnote_shared.web.paging import Cursor, Limit, cut_page, key_of

router = APIRouter(prefix="/v1/avatars", tags=["avatars"])
Name = Annotated[
    str, Query(max_length=1000, description="The name of the avatar, to confirm it: 422 for another one.")
]
Shared = Annotated[
    SharedDocuments,
    Query(description="What becomes of documents that they shared with the workspace. `keep`: they stay."),
]


@router.get("", summary="The avatars of the workspace")
def list_all(
    principal: Admin, session: ReadUnit, limit: Limit = 50, cursor: Cursor = None
) -> Page[AvatarCard]:
    """Those that are gone are no longer among them."""
    found = list_avatars(session, principal.workspace_id, limit + 1, key_of(cursor, str))
    items, following = cut_page(found, limit, lambda card: (card.id,))
    return Page(items=items, next_cursor=following)


@router.delete("/{avatar_id}", status_code=202, summary="Delete a person with all that is theirs")
async def delete_avatar(
    avatar_id: str,
    name: Name,
    principal: Admin,
    edge: Edge,
    resources: Resources,
    shared: Shared = "keep",
) -> AvatarReceipt:
    """From this answer on their keys and tokens are useless, and no search finds what was theirs alone or
    came by their connectors. There is no way back.

    Refused (409) while one of the documents that would go is under legal hold, and for your own avatar. To
    ask once more changes nothing.
    """
    return await edge.database.write_async(
        lambda session: close_avatar(
            session, resources.dispatcher, resources.policy, principal, avatar_id, name, shared
        )
    )


@router.get("/{avatar_id}/receipt", summary="What has gone of a person who was deleted")
def get_receipt(avatar_id: str, principal: Admin, session: ReadUnit) -> AvatarReceipt:
    """Counted store by store."""
    return receipt(session, principal.workspace_id, avatar_id)
