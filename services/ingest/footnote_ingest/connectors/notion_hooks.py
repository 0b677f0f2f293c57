"""What Notion says by its web hooks: the token by which it will sign, or an event.

developers.notion.com/reference/webhooks. The token comes once, before anything is signed. Footnote keeps it
until somebody with the scope `admin` takes it (`handshake.py`), and until then no hook is good by it.
"""

import json
from dataclasses import replace
from datetime import datetime, timedelta

from footnote_ingest.connectors.feed import moment_of
from footnote_ingest.connectors.json_values import Json, text_of
from footnote_ingest.connectors.signatures import SignedHook, is_event_id

_LONGEST_OFFER = 1024
"""Bytes of a body that is looked at before its sender is known."""

_SHORTEST_TOKEN, _LONGEST_TOKEN = 16, 200
_ON_ITS_WAY = timedelta(days=2)
"""Notion repeats an event for about a day. What was said longer ago is somebody else's copy: its signature
has no end of its own, and which events came is known for a week."""


def offered_token(body: bytes) -> str:
    """The token that a body offers; empty if it offers none."""
    if len(body) > _LONGEST_OFFER:
        return ""
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    token = text_of(said.get("verification_token")) if isinstance(said, dict) else ""
    fit = token.isascii() and token.isprintable() and " " not in token
    return token if fit and _SHORTEST_TOKEN <= len(token) <= _LONGEST_TOKEN else ""


def notion_event(hook: SignedHook, said: Json, moment: datetime, window: timedelta) -> SignedHook | None:
    """The hook with the id and the moment of its event; None if these are none, or not of these days.

    Both stand in the body, which is signed: a copy that comes later is the same event.
    """
    event_id, sent_at = text_of(said.get("id")), moment_of(text_of(said.get("timestamp")))
    if not is_event_id(event_id) or sent_at is None:
        return None
    if sent_at > moment + window or sent_at < moment - _ON_ITS_WAY:
        return None
    return replace(hook, event_id=event_id, sent_at=sent_at)
