"""The channel by which Google Drive tells of changes: opened by a sync, renewed before it ends.

developers.google.com/workspace/drive/api/guides/push. A message says that something has changed and not
what, so it asks for a sync.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from footnote_ingest.connectors.drive_wire import DriveWire
from footnote_ingest.connectors.errors import SourceDown
from footnote_ingest.connectors.json_values import Json, text_of
from footnote_shared.kernel.ids import new_id

_LONGEST = timedelta(days=7)
"""Google opens no channel for longer."""

_RENEWED_BEFORE = timedelta(days=3)
_MILLISECONDS = 1000


@dataclass(frozen=True, slots=True)
class Listening:
    """Where this server is told of changes, and the token that goes with a channel's id."""

    address: str
    token_of: Callable[[str], str]


def kept_open(
    wire: DriveWire, listening: Listening, before: Json | None, place: str, moment: datetime
) -> Json:
    """A channel for the changes behind the place that is good for days: the one before, or the next one.

    What is returned is for the cursor. A channel of a sync that dies right after ends by itself.
    """
    if before is not None and _is_good(before, listening, moment):
        return before
    channel_id = new_id()
    until = int((moment + _LONGEST).timestamp() * _MILLISECONDS)
    said = {
        "id": channel_id,
        "address": listening.address,
        "token": listening.token_of(channel_id),
        "expiration": str(until),
    }
    answer = wire.watch(place, said)
    resource, ends = text_of(answer.get("resourceId")), text_of(answer.get("expiration"))
    if not resource or not (ends.isascii() and ends.isdecimal() and len(ends) < 16):
        raise SourceDown("Google Drive does not say how long it tells of changes.")
    if before is not None:
        wire.stop(before["id"], before["resource"])
    ends_at = min(int(ends), until) / _MILLISECONDS
    return {"id": channel_id, "resource": resource, "ends_at": ends_at, "known_by": said["token"][:8]}


def _is_good(channel: Json, listening: Listening, moment: datetime) -> bool:
    """Whether it lasts, and its token is still the one of the hook's secret."""
    lasts = channel["ends_at"] - moment.timestamp() > _RENEWED_BEFORE.total_seconds()
    return bool(lasts) and channel["known_by"] == listening.token_of(channel["id"])[:8]
