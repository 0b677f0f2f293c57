"""What another release has written is read: in an upgrade both answer each other and share the stores."""

import json
from typing import Any

import httpx
import pytest
from pydantic import ValidationError

from footnote_agent.contracts.answer_records import AnswerRecord
from footnote_shared.clients.retriever import RetrieverClient
from footnote_shared.contracts.base import from_any_release
from footnote_shared.contracts.flags import EffectiveFlag
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.search import SearchRequest, SearchResult, SearchSettings
from footnote_shared.contracts.turns import NewTurn

CALLER = Principal(workspace_id="w", avatar_id="a", scopes=frozenset({"read"}))
MOMENT = "2026-11-23T10:00:00Z"


def newer() -> dict[str, Any]:
    """A result with fields, settings and flags that this release has never heard of."""
    known = SearchResult(
        retrieval_id="r",
        passages=[],
        sufficient=False,
        degraded=[],
        settings=SearchSettings(),
        settings_hash="0",
        preset="balanced",
        timings_ms={},
        flags={"hybrid": EffectiveFlag(value=True, source="default")},
    )
    told: dict[str, Any] = json.loads(known.model_dump_json())
    told["invented_later"] = {"a": 1}
    told["settings"]["invented_later"] = "on"
    told["flags"]["invented_later"] = {"value": "much", "source": "workspace", "since": MOMENT}
    return told


async def test_a_newer_neighbours_answer_is_understood_at_every_depth() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=newer())

    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as http:
        client = RetrieverClient(http, "http://retriever", "s" * 32)
        found = await client.search(CALLER, SearchRequest(query="q"))
    assert found.settings == SearchSettings()
    assert found.flags == {"hybrid": EffectiveFlag(value=True, source="default")}


def test_a_record_of_a_newer_release_is_shown_with_the_flags_that_are_known() -> None:
    record = AnswerRecord.model_validate(
        {
            "turn_id": "t",
            "thread_id": "t",
            "message_id": "m",
            "status": "completed",
            "engine": "extractive",
            "settings_hash": "0",
            "flags": newer()["flags"],
            "created_at": MOMENT,
            "ended_at": MOMENT,
        }
    )
    assert set(record.flags) == {"hybrid"}


def test_a_request_that_was_kept_is_read_and_one_that_is_sent_is_still_refused() -> None:
    kept = {"text": "When?", "invented_later": 1, "mentions": [{"type": "document", "id": "d", "since": 2}]}
    assert from_any_release(NewTurn, kept).text == "When?"
    with pytest.raises(ValidationError):
        NewTurn.model_validate(kept)
