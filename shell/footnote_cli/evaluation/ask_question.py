"""One question of an evaluation, asked as everybody asks it."""

from collections.abc import Mapping
from typing import Any

import httpx

from footnote_shared.kernel.errors import OurFault


def ask_question(
    server: httpx.Client, text: str, settings: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The finished message of a turn in a thread of its own. Raises OurFault for a turn that fails."""
    body = {"text": text, "stream": False, **({"settings": dict(settings)} if settings else {})}
    try:
        thread = server.post("/v1/threads", json={}).raise_for_status().json()["id"]
        answer = server.post(f"/v1/threads/{thread}/turns", json=body)
        turn: dict[str, Any] = answer.raise_for_status().json()
    except httpx.HTTPError as error:
        raise OurFault(f"A turn failed: {error!r}. The question was: {text}") from error
    if turn["status"] != "completed":
        raise OurFault(f"A turn ended as {turn['status']}: {turn.get('error')}")
    message: dict[str, Any] = turn["message"]
    return message
