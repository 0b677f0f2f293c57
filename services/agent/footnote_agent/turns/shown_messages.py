"""Stored answers as their reader may see them: the quotes of withdrawn sources are not shown."""

from collections.abc import Sequence

from footnote_shared.clients.resolver import ResolverClient
from footnote_shared.contracts.citations import MOST_NUMBERS, CitationEntry
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.turns import ThreadMessage
from footnote_shared.kernel.errors import FootnoteError
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)


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
