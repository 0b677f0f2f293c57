"""What a connector leaves at its system when it is deleted or begins anew: the channel for changes."""

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from footnote_ingest.connectors.errors import SourceTrouble
from footnote_ingest.connectors.google_drive import DriveItems
from footnote_ingest.connectors.json_values import Json, object_of
from footnote_ingest.connectors.kinds import SourceResources, open_source
from footnote_ingest.store import connectors as store
from footnote_ingest.store.connector_tables import ConnectorRow
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.kernel.errors import FootnoteError

_WITHIN_S = 5.0
"""Whoever deletes a connector waits for so long. A channel that stays open ends by itself within a week."""


@dataclass(frozen=True, slots=True)
class Former:
    """A connector as it was, and the cursors that may hold channels of it."""

    row: ConnectorRow
    cursors: Sequence[str | None]


def former_of(session: ReadSession | WriteSession, row: ConnectorRow) -> Former:
    """The connector as it is now, before it changes."""
    run = store.last_runs(session, [row.id]).get(row.id)
    cursors = [row.cursor, run.cursor if run is not None else None]
    return Former(ConnectorRow.model_validate(row.model_dump()), cursors)


def take_leave(
    resources: SourceResources, former: Former, *, has_other_credentials: bool = False
) -> str | None:
    """End the channels of it, as far as can be; return what has stayed open, and why.

    It asks over the network, so no transaction may be open. The credentials are those that the connector has
    now. With `has_other_credentials` nobody is asked: they are not for the place before.
    """
    channels = _channels(former.row, former.cursors)
    if not channels:
        return None
    if has_other_credentials:
        return _left_open(channels, "The connector has other credentials now.")
    outside = replace(resources.outside, within_s=_WITHIN_S)
    try:
        with closing(open_source(replace(resources, outside=outside), former.row)) as source:
            assert isinstance(source, DriveItems), "it is of this kind"
            for channel in channels:
                source.stop_listening(channel)
    except (SourceTrouble, FootnoteError) as trouble:
        return _left_open(channels, trouble.reason if isinstance(trouble, SourceTrouble) else trouble.detail)
    return None


def _left_open(channels: Sequence[Json], reason: str) -> str:
    last = max(channel["ends_at"] for channel in channels)
    ends_at = datetime.fromtimestamp(last, UTC).strftime("%Y-%m-%d %H:%M")
    return f"Google's channel could not be stopped, and ends by itself at {ends_at} UTC. {reason}"


def _channels(row: ConnectorRow, cursors: Sequence[str | None]) -> list[Json]:
    if row.kind != "google_drive" or row.credentials is None:
        return []
    found = (object_of(json.loads(cursor).get("channel")) for cursor in cursors if cursor)
    return list({channel["id"]: channel for channel in found if channel}.values())
