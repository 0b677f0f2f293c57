"""Stored answers as their reader may see them: the quotes of withdrawn sources are not shown."""

from collections.abc import Mapping, Sequence

from footnote_shared.clients.ingest import IngestClient
from footnote_shared.clients.resolver import ResolverClient
from footnote_shared.contracts.citations import MOST_NUMBERS, CitationEntry
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.turns import ThreadMessage
from footnote_shared.kernel.errors import FootnoteError
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)
_DOCUMENTS_AT_ONCE = 200
"""As many as `POST /v1/documents:lookup` takes."""


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
    found = (one.locator.get("document_id") for one in message.citations if not is_personal(one))
    ids = sorted({document_id for document_id in found if document_id is not None})
    seen: dict[str, int | None] = {}
    live: Mapping[str, int | None] | None = seen
    try:
        for start in range(0, len(ids), _DOCUMENTS_AT_ONCE):
            part = ids[start : start + _DOCUMENTS_AT_ONCE]
            seen |= {one.id: one.live_version for one in await ingest.documents_of(caller, part)}
    except FootnoteError as error:
        metrics.DEGRADED.labels("ingest").inc()
        _log.warning("quotes.hidden", part="ingest", entries=len(ids), reason=str(error))
        live = None
    return message.model_copy(
        update={"citations": [as_open_to_others(one, live) for one in message.citations]}
    )


def as_open_to_others(entry: CitationEntry, live: Mapping[str, int | None] | None) -> CitationEntry:
    """An entry for a reader who was not shown its source.

    `live` holds the live version of each document that the reader sees; None if nobody could say.
    """
    if entry.status is not None or entry.source_type == "web_result":
        return entry
    if is_personal(entry):
        return entry.without_source("forbidden")
    if live is None:
        return entry.without_source("unknown")
    version = live.get(entry.locator["document_id"])
    return (
        entry
        if version is not None and version == entry.source_version
        else entry.without_source("forbidden")
    )


def is_personal(entry: CitationEntry) -> bool:
    """Whether only the avatar that was shown the source may see it: a file of a session, another message."""
    if entry.source_type == "anon_chunk":
        return True
    return "document_id" not in entry.locator and entry.source_type != "web_result"
