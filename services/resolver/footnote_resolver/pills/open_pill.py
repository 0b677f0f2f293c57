"""Asking the service that owns a cited source what became of it."""

import asyncio
from dataclasses import dataclass
from datetime import datetime

from footnote_resolver.pills.status import (
    GONE,
    NOT_ASKED,
    Standing,
    judge,
    judge_message,
    pill_of,
    unanswered,
)
from footnote_shared.clients.agent import AgentClient
from footnote_shared.clients.ingest import IngestClient
from footnote_shared.contracts.citations import CitationEntry, Pill
from footnote_shared.contracts.documents import CitedPassage
from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.errors import NotFound, Unavailable
from footnote_shared.kernel.ids import is_id
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_PATIENCE_S = 5.0
_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class PillOpener:
    """The neighbours that own what is cited."""

    ingest: IngestClient
    agent: AgentClient

    async def pill(self, entry: CitationEntry, shown_at: datetime, reader: Principal) -> Pill:
        """What a reader gets who opens a citation of their own conversation, first shown at `shown_at`.

        A service that does not answer leaves the status `unknown`. Nothing of a document is shown then, since
        it may have been withdrawn. A message is the reader's own for ever, and the entry is shown.
        """
        try:
            async with asyncio.timeout(_PATIENCE_S):
                standing = await self._standing(entry, shown_at, reader)
        except (Unavailable, TimeoutError) as error:
            service = "agent" if entry.source_type == "chat_turn" else "ingest"
            metrics.DEGRADED.labels(service).inc()
            _log.warning("pill.degraded", part=service, reason=str(error))
            return unanswered(entry, service)
        return pill_of(entry, standing)

    async def _standing(self, entry: CitationEntry, shown_at: datetime, reader: Principal) -> Standing:
        match entry.source_type:
            case "kb_chunk" | "kb_document" | "anon_chunk":
                return await self._of_document(entry, shown_at, reader)
            case "chat_turn":
                return await self._of_message(entry, reader)
            case "web_result" | "connector_item":
                return NOT_ASKED

    async def _of_document(self, entry: CitationEntry, shown_at: datetime, reader: Principal) -> Standing:
        passage = CitedPassage(
            document_id=entry.locator["document_id"],
            chunk_id=entry.locator.get("chunk_id"),
            session_id=entry.locator.get("session_id"),
            version=entry.source_version,
            quote=entry.quote,
            shown_at=shown_at,
        )
        return judge(entry, await self.ingest.cited(reader, passage))

    async def _of_message(self, entry: CitationEntry, reader: Principal) -> Standing:
        """Compare with the message of today.

        A thread is its avatar's own and never changes hands. So what is not there was deleted, or never was
        the reader's.
        """
        thread_id, message_id = entry.locator["thread_id"], entry.locator["message_id"]
        if not (is_id(thread_id) and is_id(message_id)):
            return GONE
        try:
            return judge_message(entry, await self.agent.message(reader, thread_id, message_id))
        except NotFound:
            return GONE
