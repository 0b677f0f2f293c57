"""Stored answers as their reader may see them: the quotes of withdrawn sources are not shown."""

from collections.abc import Sequence

from footnote_shared.clients.ingest import IngestClient
from footnote_shared.clients.resolver import ResolverClient
from footnote_shared.contracts.citations import MOST_NUMBERS, CitationEntry, Hidden
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.turns import ThreadMessage
from footnote_shared.kernel.errors import FootnoteError
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)
_AT_ONCE = 200


async def as_readable(
    resolver: ResolverClient,
    caller: Principal,
    thread_id: str,
    messages: Sequence[ThreadMessage],
    *,
    owner: str | None = None,
) -> list[ThreadMessage]:
    """The messages of a thread, with one call for all of their entries.

    `owner` is the avatar whose thread it is, where that has shared them. Where the resolver cannot say
    what the caller may see, nothing of a document is shown.
    """
    entries = [entry for message in messages for entry in message.citations]
    hidden = await hidden_entries(resolver, caller, thread_id, entries, owner=owner)
    if not hidden:
        return list(messages)
    return [
        message.model_copy(update={"citations": [hidden.get(entry.n, entry) for entry in message.citations]})
        for message in messages
    ]


async def hidden_entries(
    resolver: ResolverClient,
    caller: Principal,
    thread_id: str,
    entries: Sequence[CitationEntry],
    *,
    owner: str | None = None,
) -> dict[int, CitationEntry]:
    """What is shown instead of those entries whose source the caller may not see at this moment."""
    of_documents = {entry.n: entry for entry in entries if "document_id" in entry.locator}
    numbers = sorted(of_documents)
    known: dict[int, CitationEntry] = {}
    try:
        for start in range(0, len(numbers), MOST_NUMBERS):
            part = numbers[start : start + MOST_NUMBERS]
            known |= {e.n: e for e in await resolver.citations(caller, thread_id, part, owner=owner)}
    except FootnoteError as error:
        metrics.DEGRADED.labels("resolver").inc()
        _log.warning("quotes.hidden", part="resolver", entries=len(numbers), reason=str(error))
    return {
        n: shown
        for n, entry in of_documents.items()
        if (shown := known.get(n) or entry.without_source("unknown")).status is not None
    }


async def without_foreign_sources(
    ingest: IngestClient, caller: Principal, message: ThreadMessage
) -> ThreadMessage:
    """An answer of somebody else, with no more of its sources than the caller could read without it.

    A document has to be one that the caller sees at this moment, in the version that was cited: earlier
    ones may be from before it was shared. A document that is private, deleted or made up looks the same.
    What is the owner's alone, such as another message of theirs or a file of their session, is never shown.
    """
    entries = [one for one in message.citations if one.status is None and not is_personal(one)]
    ids = sorted({one.locator["document_id"] for one in entries if "document_id" in one.locator})
    seen: dict[str, int | None] = {}
    status: Hidden = "forbidden"
    try:
        for start in range(0, len(ids), _AT_ONCE):
            part = ids[start : start + _AT_ONCE]
            seen |= {one.id: one.live_version for one in await ingest.documents_of(caller, part)}
    except FootnoteError as error:
        metrics.DEGRADED.labels("ingest").inc()
        _log.warning("quotes.hidden", part="ingest", entries=len(ids), reason=str(error))
        seen, status = {}, "unknown"

    def is_open(entry: CitationEntry) -> bool:
        if entry.status is not None:
            return True
        if is_personal(entry):
            return False
        document = entry.locator.get("document_id")
        if document is None:
            return True
        return entry.source_version is not None and seen.get(document) == entry.source_version

    shown = [one if is_open(one) else one.without_source(status) for one in message.citations]
    return message.model_copy(update={"citations": shown})


def is_personal(entry: CitationEntry) -> bool:
    """Whether only the avatar that was shown the source may see it: a file of a session, another message."""
    if entry.source_type == "anon_chunk":
        return True
    return "document_id" not in entry.locator and entry.source_type != "web_result"
