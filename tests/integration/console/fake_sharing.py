"""Answers that are shared, as the console sees them."""

from typing import TYPE_CHECKING, Any

from fastapi import FastAPI

from footnote_agent.contracts.shared_messages import SharedAnswer
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
        said = {**turn.events[-1]["data"], "id": message_id, "status": "completed", "shared_at": _AT}
        message = {name: said[name] for name in SharedAnswer.model_fields if name in said}
        return {"question": turn.question, "message": message, "mine": False}

    @app.get("/v1/shared/{message_id}/citations/{n}")
    async def pill(message_id: str, n: int) -> Any:
        there = message_id in api.shared and n in api.pills
        return api.pills[n] if there else problem_response(NotFound())
