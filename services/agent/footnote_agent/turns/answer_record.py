"""Composing the answer record of a turn that has ended (spec 5.9). Pure."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from footnote_agent.contracts.answer_records import (
    AnswerRecord,
    RecordedCitations,
    RecordedContent,
    RecordedVerification,
    UsedTool,
)
from footnote_agent.store.turns import Ending, LeasedTurn
from footnote_agent.turns.options import kept_settings
from footnote_shared.contracts.answers import Compliance, VerificationSummary

_TOOL_NAME = re.compile(r"[a-z][a-z_]{0,63}|[a-z][a-z0-9-]{0,19}__[A-Za-z0-9_-]{1,41}", re.ASCII)
"""A tool of ours, or one of an MCP server."""

_TOOLS_AT_MOST = 200


def answer_record(
    leased: LeasedTurn, facts: Mapping[str, Any], ending: Ending, ended_at: datetime, *, content: bool
) -> AnswerRecord:
    """The record. `facts` is what the engine noted; `content` says whether texts are kept too."""
    turn_settings, search_settings = kept_settings(leased.request.settings)
    compliance = Compliance.model_validate(ending.compliance or {})
    return AnswerRecord.model_validate(
        {
            **facts,
            "turn_id": leased.id,
            "thread_id": leased.thread_id,
            "message_id": leased.message_id,
            "status": ending.status,
            "error": str(ending.error.get("code") or "") or None if ending.error else None,
            "engine": leased.engine,
            "model": facts.get("model") or leased.model,
            "preset": leased.request.preset,
            "settings": turn_settings.model_dump(mode="json", exclude_none=True) | search_settings,
            "settings_hash": leased.settings_hash,
            "flags": leased.flags,
            "tools": [_known(tool) for tool in (facts.get("tools") or ())[:_TOOLS_AT_MOST]],
            "citations": RecordedCitations(
                given=[entry["n"] for entry in ending.citations],
                dropped=compliance.report.dropped,
                unshown=compliance.report.unshown,
                injected=compliance.injected,
                uncited=compliance.uncited,
                withdrawn=compliance.withdrawn,
            ),
            "verification": _verification(ending.verification),
            "cut": ending.cut,
            "runs": leased.fence,
            "trace_id": leased.trace_id,
            "created_at": leased.created_at,
            "ended_at": ended_at,
            "content": _content(leased, ending) if content else None,
        }
    )


def _known(tool: Mapping[str, Any]) -> UsedTool:
    name = str(tool["tool"])
    return UsedTool(
        tool=name if _TOOL_NAME.fullmatch(name) else "unknown", ms=tool["ms"], failed=bool(tool.get("failed"))
    )


def _verification(found: Mapping[str, Any] | None) -> RecordedVerification | None:
    if found is None:
        return None
    return RecordedVerification.model_validate(VerificationSummary.model_validate(found).model_dump())


def _content(leased: LeasedTurn, ending: Ending) -> RecordedContent:
    return RecordedContent(
        question=leased.request.text,
        answer=ending.text,
        quotes={entry["n"]: str(entry.get("quote", "")) for entry in ending.citations},
    )
