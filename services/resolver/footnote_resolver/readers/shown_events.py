"""A turn's events as one reader may see them: their entries are checked when they are read."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from footnote_resolver.pills.withheld import SourceRights
from footnote_resolver.store.entries_now import moments_of
from footnote_shared.contracts.citations import CitationEntry, Hidden
from footnote_shared.contracts.events import TERMINAL
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.kernel.errors import Unavailable
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger
from footnote_shared.web.sse import encode_event

_log = logger(__name__)

_END = b"\n\n"
_WITH_ENTRIES = tuple(
    b"\nevent: %b\n" % kind.encode() for kind in ("citation", "text.replaced", *sorted(TERMINAL))
)


@dataclass(frozen=True, slots=True)
class ShownEvents:
    """What stands between a feed, which all readers of a turn share, and one reader of it."""

    database: Database
    rights: SourceRights

    async def of(
        self, chunks: AsyncIterator[bytes], reader: Principal, conversation_id: str
    ) -> AsyncGenerator[bytes, None]:
        """The chunks; the entries in them without what the reader may not see at this moment.

        One call for each chunk that holds entries. Every other byte goes through as it is.
        """
        moments: dict[int, datetime] = {}
        async for chunk in chunks:
            if any(mark in chunk for mark in _WITH_ENTRIES):
                yield await self._shown(chunk, reader, conversation_id, moments)
            else:
                yield chunk

    async def _shown(
        self, chunk: bytes, reader: Principal, conversation_id: str, moments: dict[int, datetime]
    ) -> bytes:
        """The chunk for this reader. `moments`: when entries were registered, which never changes."""
        frames = [_Frame.of(raw) for raw in chunk.split(_END) if raw]
        entries = {entry.n: entry for frame in frames for entry in frame.entries}
        documents = [entry for entry in entries.values() if "document_id" in entry.locator]
        if not documents:
            return chunk
        if fresh := [entry.n for entry in documents if entry.n not in moments]:
            moments.update(await self._registered(conversation_id, fresh))
        hidden = await self.rights.hidden(documents, moments, reader)
        return b"".join(frame.without(hidden) for frame in frames) if hidden else chunk

    async def _registered(self, conversation_id: str, numbers: list[int]) -> Mapping[int, datetime]:
        """When the entries were registered. Nothing is known of them without the database: the stream goes on
        and shows none of their sources.
        """
        try:
            return await moments_of(self.database, conversation_id, numbers)
        except Unavailable as error:
            metrics.DEGRADED.labels("sql").inc()
            _log.warning("stream.entries_not_checked", reason=error.detail)
            return {}


@dataclass(frozen=True, slots=True)
class _Frame:
    """One event on the wire, and the entries in it."""

    raw: bytes
    entries: tuple[CitationEntry, ...] = ()

    @classmethod
    def of(cls, raw: bytes) -> "_Frame":
        if not any(mark in raw for mark in _WITH_ENTRIES):
            return cls(raw)
        return cls(raw, tuple(CitationEntry.model_validate(entry) for entry in _entries_in(_data_of(raw))))

    def without(self, hidden: Mapping[int, Hidden]) -> bytes:
        """The event without the sources of these numbers."""
        if not any(entry.n in hidden for entry in self.entries):
            return self.raw + _END
        event = _data_of(self.raw)
        data = event["data"]
        if "entry" in data:
            data["entry"] = _blank(data["entry"], hidden)
        else:
            data["citations"] = [_blank(entry, hidden) for entry in data["citations"]]
        fields = dict(line.split(b": ", 1) for line in self.raw.split(b"\n"))
        return encode_event(orjson.dumps(event), event_id=fields.get(b"id"), event=fields[b"event"])


def _data_of(raw: bytes) -> dict[str, Any]:
    (line,) = (line for line in raw.split(b"\n") if line.startswith(b"data: "))
    event: dict[str, Any] = orjson.loads(line.removeprefix(b"data: "))
    return event


def _entries_in(event: Mapping[str, Any]) -> list[dict[str, Any]]:
    data = event["data"]
    return [data["entry"]] if "entry" in data else list(data.get("citations", ()))


def _blank(entry: dict[str, Any], hidden: Mapping[int, Hidden]) -> dict[str, Any]:
    status = hidden.get(entry["n"])
    if status is None:
        return entry
    blank = CitationEntry.model_validate(entry).without_source(status)
    return blank.model_dump(mode="json", exclude_none=True)
