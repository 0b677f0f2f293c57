"""Entries as their reader may see them at this moment: nothing is shown of a source that was withdrawn.

An entry keeps its quote for ever, and the rights of its reader change. So whatever leaves for a reader asks
again, with one call for all of its entries.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from footnote_shared.clients.ingest import IngestClient
from footnote_shared.contracts.citations import CitationEntry, Hidden
from footnote_shared.contracts.documents import ShownSource
from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.errors import FootnoteError
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_PATIENCE_S = 2.0
_AT_ONCE = 1000
_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class SourceRights:
    """Asks ingest what a reader may still see. Without an answer, nothing of a document is shown."""

    ingest: IngestClient

    async def hidden(
        self, entries: Sequence[CitationEntry], shown_at: Mapping[int, datetime], reader: Principal
    ) -> dict[int, Hidden]:
        """The numbers whose sources the reader is not shown now, and why.

        `shown_at` says when each number was given out. A document whose number is not there is hidden.
        """
        asked = [entry for entry in entries if "document_id" in entry.locator and entry.n in shown_at]
        hidden: dict[int, Hidden] = {
            entry.n: "unknown"
            for entry in entries
            if "document_id" in entry.locator and entry.n not in shown_at
        }
        for start in range(0, len(asked), _AT_ONCE):
            part = asked[start : start + _AT_ONCE]
            hidden |= await self._hidden(part, shown_at, reader)
        return hidden

    async def _hidden(
        self, entries: Sequence[CitationEntry], shown_at: Mapping[int, datetime], reader: Principal
    ) -> dict[int, Hidden]:
        sources = [
            ShownSource(document_id=entry.locator["document_id"], shown_at=shown_at[entry.n])
            for entry in entries
        ]
        try:
            async with asyncio.timeout(_PATIENCE_S):
                withheld = await self.ingest.withheld(reader, sources)
        except (FootnoteError, TimeoutError) as error:
            metrics.DEGRADED.labels("ingest").inc()
            _log.warning("quotes.hidden", part="ingest", entries=len(entries), reason=str(error))
            return {entry.n: "unknown" for entry in entries}
        return {entries[at].n: "forbidden" for at in withheld}


def as_readable(entries: Sequence[CitationEntry], hidden: Mapping[int, Hidden]) -> list[CitationEntry]:
    """The entries, those that are hidden without their sources."""
    return [entry.without_source(hidden[entry.n]) if entry.n in hidden else entry for entry in entries]
