"""What a connector leaves at its system when it is deleted: the channel by which that tells of changes."""

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime

from footnote_ingest.connectors.errors import SourceTrouble
from footnote_ingest.connectors.google_drive import DriveItems
from footnote_ingest.connectors.json_values import Json, object_of
from footnote_ingest.connectors.kinds import SourceResources, open_source
from footnote_ingest.store.connector_tables import ConnectorRow
from footnote_shared.kernel.errors import FootnoteError

_WITHIN_S = 5.0
"""Whoever deletes a connector waits for so long. A channel that stays open ends by itself within a week."""


def take_leave(resources: SourceResources, row: ConnectorRow, cursors: Sequence[str | None]) -> str | None:
    """End the channels that these cursors hold, as far as can be; return what has stayed open, and why.

    It asks over the network, so no transaction may be open. The credentials of the connector are still there.
    """
    channels = _channels(row, cursors)
    if not channels:
        return None
    outside = replace(resources.outside, within_s=_WITHIN_S)
    try:
        with closing(open_source(replace(resources, outside=outside), row)) as source:
            assert isinstance(source, DriveItems), "it is of this kind"
            for channel in channels:
                source.stop_listening(channel)
    except (SourceTrouble, FootnoteError) as trouble:
        last = max(channel["ends_at"] for channel in channels)
        reason = trouble.reason if isinstance(trouble, SourceTrouble) else trouble.detail
        ends_at = datetime.fromtimestamp(last, UTC).strftime("%Y-%m-%d %H:%M")
        return f"Google's channel could not be stopped, and ends by itself at {ends_at} UTC. {reason}"
    return None


def _channels(row: ConnectorRow, cursors: Sequence[str | None]) -> list[Json]:
    if row.kind != "google_drive" or row.credentials is None:
        return []
    found = (object_of(json.loads(cursor).get("channel")) for cursor in cursors if cursor)
    return list({channel["id"]: channel for channel in found if channel}.values())
