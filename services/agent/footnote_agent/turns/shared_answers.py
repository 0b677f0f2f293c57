"""What of a shared answer somebody else reads: its words, and the sources that are theirs to read anyway."""

from collections.abc import Mapping

from footnote_agent.contracts.shared_messages import SharedAnswer
from footnote_shared.clients.ingest import IngestClient
from footnote_shared.contracts.answers import VerificationSummary
from footnote_shared.contracts.citations import CitationEntry
from footnote_shared.contracts.documents import Document
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.turns import ThreadMessage
from footnote_shared.kernel.errors import FootnoteError
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)
_DOCUMENTS_AT_ONCE = 200
"""As many as `POST /v1/documents:lookup` takes."""


async def without_foreign_sources(
    ingest: IngestClient, caller: Principal, message: ThreadMessage
) -> ThreadMessage:
    """An answer of somebody else, with no more of its sources than the caller could read without it.

    A document has to be one that the caller sees at this moment, and the cited version one that the caller
    may see: earlier ones may be from before it was shared. A document that is private, deleted or made up
    looks the same. What is the owner's alone, such as another message of theirs or a file of their session,
    is never shown.
    """
    found = (one.locator.get("document_id") for one in message.citations if not is_personal(one))
    ids = sorted({document_id for document_id in found if document_id is not None})
    seen: dict[str, range] = {}
    readable: Mapping[str, range] | None = seen
    try:
        for start in range(0, len(ids), _DOCUMENTS_AT_ONCE):
            part = ids[start : start + _DOCUMENTS_AT_ONCE]
            seen |= {
                one.id: _versions_open_to(caller, one) for one in await ingest.documents_of(caller, part)
            }
    except FootnoteError as error:
        metrics.DEGRADED.labels("ingest").inc()
        _log.warning("quotes.hidden", part="ingest", entries=len(ids), reason=str(error))
        readable = None
    return message.model_copy(
        update={"citations": [as_open_to_others(one, readable) for one in message.citations]}
    )


def _versions_open_to(caller: Principal, document: Document) -> range:
    """The versions of a document that the caller sees which the caller may see as well."""
    first = 0 if document.avatar_id == caller.avatar_id else document.open_from
    return range(first, (document.live_version or 0) + 1)


def as_open_to_others(entry: CitationEntry, readable: Mapping[str, range] | None) -> CitationEntry:
    """An entry for a reader who was not shown its source.

    `readable` holds the versions of each document that the reader may see; None if nobody could say.
    """
    if entry.status is not None or entry.source_type == "web_result":
        return entry
    if is_personal(entry):
        return entry.without_source("forbidden")
    if readable is None:
        return entry.without_source("unknown")
    return (
        entry
        if entry.source_version in readable.get(entry.locator["document_id"], ())
        else entry.without_source("forbidden")
    )


def is_personal(entry: CitationEntry) -> bool:
    """Whether only the avatar that was shown the source may see it: a file of a session, another message."""
    if entry.source_type == "anon_chunk":
        return True
    return "document_id" not in entry.locator and entry.source_type != "web_result"


def as_shared(message: ThreadMessage) -> SharedAnswer:
    """The answer without what leads to its conversation: its ids and numbers that it does not name."""
    plain = message.model_dump(include=set(SharedAnswer.model_fields) - {"citations", "verification"})
    return SharedAnswer(
        **plain,
        citations=[
            one.model_copy(update={"first_turn_id": None, "shown_to": []}) for one in message.citations
        ],
        verification=_of_named(message.verification, {one.n for one in message.citations}),
    )


def _of_named(found: VerificationSummary | None, named: set[int]) -> VerificationSummary | None:
    """What verification found, without a word of sources that the answer does not name."""
    if found is None:
        return None
    marked = [
        one if one.better in named else one.model_copy(update={"better": None}) for one in found.marked or ()
    ]
    doubtful = [
        one if one.better in named else one.model_copy(update={"better": None}) for one in found.doubtful
    ]
    return found.model_copy(
        update={"marked": None if found.marked is None else marked, "withdrawn": None, "doubtful": doubtful}
    )
