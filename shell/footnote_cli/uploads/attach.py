"""Files for one conversation: uploaded into its session, waited for, and deleted with it (ADR 0065)."""

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from footnote_cli.api_client import Api
from footnote_cli.uploads.local_files import storable
from footnote_shared.kernel.errors import NotFound

_UPLOAD_S = 300.0
_WAIT_S = 5.0


def new_session() -> str:
    """The name of a session that nobody else has."""
    return secrets.token_urlsafe(24)


def attach(api: Api, session_id: str, paths: Sequence[Path]) -> list[dict[str, Any]]:
    """Hand the files in and wait until each is indexed or has failed; return their documents.

    Raises OSError for a file that cannot be read, and what the server answers.
    """
    waiting: dict[str, dict[str, Any]] = {}
    for path in paths:
        with path.open("rb") as content:
            document = api.request(
                "POST",
                "/v1/documents",
                files={"file": (storable(path.name), content)},
                data={"session_id": session_id},
                timeout=_UPLOAD_S,
            ).json()
        waiting[document["id"]] = document
    ended: dict[str, dict[str, Any]] = {}
    asked: dict[str, Any] = {"wait_s": _WAIT_S}
    while left := [one for one in waiting if one not in ended]:
        answer = api.post("/v1/documents:progress", {**asked, "ids": left})
        ended |= {one["id"]: one for one in answer["ended"]}
        # What somebody has deleted meanwhile is as it was last.
        ended |= {one: waiting[one] for one in answer["absent"]}
        asked["cursor"] = answer["cursor"]
    return [ended[one] for one in waiting]


def end(api: Api, session_id: str) -> int:
    """Delete what was handed in; return how many files that were."""
    try:
        answer = api.request("DELETE", f"/v1/sessions/{session_id}")
    except NotFound:
        return 0
    return len(answer.json()["documents"])
