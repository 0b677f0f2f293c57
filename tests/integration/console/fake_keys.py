"""Whom a key stands for, and the key of a link that is renewed, as the console sees them."""

from typing import TYPE_CHECKING, Any

from fastapi import FastAPI

from footnote_agent.contracts.api_keys import KeyHolder
from tests.integration.console.fake_workspace import api_key

if TYPE_CHECKING:
    from tests.integration.console.fake_api import FakeApi

RENEWED = "fn_in-place-of-a-link"


def add_keys(app: FastAPI, api: "FakeApi") -> None:
    @app.get("/v1/keys:mine")
    async def holder() -> KeyHolder:
        return KeyHolder(workspace_id="w1", avatar_id=api.avatar, scopes=["read", "write"])

    @app.post("/v1/keys/{key_id}:renew")
    async def renew(key_id: str) -> dict[str, Any]:
        api.key, api.link = RENEWED, "none"
        return {**api_key(key_id, "link"), "key": RENEWED}
