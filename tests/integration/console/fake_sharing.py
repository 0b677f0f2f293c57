"""Answers that are shared, as the console sees them."""

from typing import TYPE_CHECKING, Any

from fastapi import FastAPI

from footnote_shared.kernel.errors import NotFound
from footnote_shared.web.problems import problem_response

if TYPE_CHECKING:
    from tests.integration.console.fake_api import FakeApi

_AT = "2026-11-22T10:00:00Z"


def add_sharing(app: FastAPI, api: "FakeApi") -> None:
    @app.post("/v1/threads/{thread_id}/messages/{message_id}:share")
    async def share(message_id: str, body: dict[str, Any]) -> dict[str, Any]:
        if not body["shared"]:
            api.shared.discard(message_id)
            return {"id": message_id}
        api.shared.add(message_id)
        return {"id": message_id, "shared_at": _AT}

    @app.get("/v1/shared/{message_id}")
    async def shared(message_id: str) -> Any:
        if message_id not in api.shared:
            return problem_response(NotFound())
        turn = next(one for one in api.turns.values() if f"m-{one.id}" == message_id)
        place = {"id": message_id, "thread_id": turn.thread_id, "turn_id": turn.id, "role": "assistant"}
        message = {**turn.events[-1]["data"], **place, "status": "completed", "shared_at": _AT}
        return {"question": turn.question, "message": message, "mine": False}
