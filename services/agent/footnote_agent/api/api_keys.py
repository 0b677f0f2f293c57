"""`/v1/keys`: the keys of a workspace, made and revoked by its admins (spec 7.2)."""

from typing import Annotated

from fastapi import APIRouter, Header

from footnote_agent.contracts.api_keys import ApiKey, KeyHolder, MadeApiKey, NewApiKey
from footnote_agent.store.workspace_keys import (
    id_of_key,
    keys_of_workspace,
    make_for_workspace,
    renew_in_workspace,
    revoke_in_workspace,
)
from footnote_shared.contracts.base import Page, WireModel
from footnote_shared.db.engine import WriteSession
from footnote_shared.db.idempotency import KeyedRequest, keep_answer, kept_answer
from footnote_shared.kernel.errors import Conflict
from footnote_shared.security.api_keys import PREFIX, hash_of
from footnote_shared.web.authentication import bearer_token
from footnote_shared.web.dependencies import Admin, Edge, Reader
from footnote_shared.web.idempotency import IdempotencyKey
from footnote_shared.web.paging import Cursor, Limit, cut_page, key_of

router = APIRouter(prefix="/v1", tags=["keys"])
Authorization = Annotated[str, Header(include_in_schema=False)]


class _Made(WireModel):
    """What is kept of the answer to a creating request: the key is not."""

    id: str


@router.get("/keys:mine", summary="Whom the key of this request stands for")
async def key_holder(edge: Edge, caller: Reader, authorization: Authorization = "") -> KeyHolder:
    """A client tells by it whether another key is another avatar's, and renews or revokes its own."""
    asking = hash_of(bearer_token(authorization))
    return KeyHolder(
        workspace_id=caller.workspace_id,
        avatar_id=caller.avatar_id,
        scopes=sorted(caller.scopes),
        key_id=await edge.database.read_async(lambda session: id_of_key(session, asking)),
    )


@router.get("/keys", summary="The keys of the workspace, newest first")
async def list_api_keys(
    edge: Edge, caller: Admin, limit: Limit = 50, cursor: Cursor = None, authorization: Authorization = ""
) -> Page[ApiKey]:
    """Only the beginning of a key is kept. Revoked keys stay in the list."""
    asking = hash_of(bearer_token(authorization))
    older_than = key_of(cursor, str)
    found = await edge.database.read_async(
        lambda session: keys_of_workspace(session, caller, limit + 1, older_than, asking)
    )
    items, following = cut_page(found, limit, lambda key: (key.id,))
    return Page(items=items, next_cursor=following)


@router.post("/keys", status_code=201, summary="Make a key")
async def make_api_key(
    body: NewApiKey, edge: Edge, caller: Admin, idempotency_key: IdempotencyKey = None
) -> MadeApiKey:
    """The key is in this answer and in no other. It is for your own avatar, or for one that is made with it.

    A second request with the same idempotency key is refused (409), for the key is not kept: revoke the one
    that was made, and make another.
    """
    request = KeyedRequest.of(caller, idempotency_key, "POST /v1/keys", body)

    def make(session: WriteSession) -> MadeApiKey:
        kept = kept_answer(session, request, _Made)
        if kept is not None:
            raise Conflict(f"This request has made the key {kept.id}, which was shown once.")
        made = make_for_workspace(session, caller, body)
        keep_answer(session, request, _Made(id=made.id))
        return made

    return await edge.database.write_async(make)


@router.post("/keys/{key_id}:renew", summary="Give a key another secret")
async def renew_api_key(
    key_id: str, edge: Edge, caller: Reader, authorization: Authorization = ""
) -> MadeApiKey:
    """For a key of your own avatar; without the scope `admin`, only for the key that makes this request.

    The old secret is useless from the next request on. The new one is in this answer and in no other. So a
    key that somebody may have seen, as in the history of a browser, opens nothing. Where several requests
    renew one key with itself at the same time, one is answered and the others are refused (401).
    """
    asking = _key_of(authorization)
    return await edge.database.write_async(
        lambda session: renew_in_workspace(session, caller, key_id, asking)
    )


@router.delete("/keys/{key_id}", summary="Revoke a key")
async def revoke_api_key(
    key_id: str, edge: Edge, caller: Reader, authorization: Authorization = ""
) -> ApiKey:
    """The key is useless from the next request on. Revoking it again changes nothing. Without the scope
    `admin` a key can revoke itself and no other.
    """
    asking = _key_of(authorization)
    return await edge.database.write_async(
        lambda session: revoke_in_workspace(session, caller, key_id, asking)
    )


def _key_of(authorization: str) -> str | None:
    """The hash of the key that asks. None where a token of an issuer does."""
    token = bearer_token(authorization)
    return hash_of(token) if token.startswith(PREFIX) else None
