"""Whom a key stands for, and the key of a link that is renewed or revoked, as the console sees them."""

from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request

from footnote_agent.contracts.api_keys import KeyHolder
from tests.integration.console.fake_workspace import api_key

if TYPE_CHECKING:
    from tests.integration.console.fake_api import FakeApi

RENEWED = "fn_in-place-of-a-link"
_LINK = "link1"


def add_keys(app: FastAPI, api: "FakeApi") -> None:
    """The key of a link is always that of the avatar `a1`."""

    @app.get("/v1/keys:mine")
    async def holder(request: Request) -> KeyHolder:
        linked = request.headers["authorization"] == f"Bearer {api.link}"
        avatar, key_id = ("a1", _LINK) if linked else (api.avatar, "own1")
        return KeyHolder(workspace_id="w1", avatar_id=avatar, scopes=["admin"], key_id=key_id)

    @app.post(f"/v1/keys/{_LINK}:renew")
    async def renew() -> dict[str, Any]:
        api.key, api.link, api.avatar = RENEWED, "none", "a1"
        return {**api_key(_LINK, "link"), "key": RENEWED}

    @app.delete(f"/v1/keys/{_LINK}")
    async def revoke() -> dict[str, Any]:
        api.link = "none"
        return api_key(_LINK, "link")
