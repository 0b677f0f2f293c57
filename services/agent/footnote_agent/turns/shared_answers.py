"""What of a shared answer somebody else reads: its words, and the sources that are theirs to read anyway."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from footnote_agent.contracts.shared_messages import SharedAnswer
from footnote_shared.clients.ingest import IngestClient
from footnote_shared.contracts.answers import MarkedSentence, VerificationSummary, VerifiedSentence
from footnote_shared.contracts.citations import CitationEntry
from footnote_shared.contracts.documents import Document
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.turns import ThreadMessage
from footnote_shared.kernel.citation_tokens import SPACED_TOKEN
from footnote_shared.kernel.errors import FootnoteError
from footnote_shared.telemetry import metrics
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)
_Sentence = TypeVar("_Sentence", MarkedSentence, VerifiedSentence)
_DOCUMENTS_AT_ONCE = 200
"""As many as `POST /v1/documents:lookup` takes."""


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """What a caller may see of a document that they see: some of its versions.

    They are shown the names that it has `today`, because the cited passage may be from a time when it was
    private and had others. For its owner that is None: they see the names that it had.
    """

    versions: range
    today: Document | None


async def without_foreign_sources(
    ingest: IngestClient, caller: Principal, message: ThreadMessage
) -> ThreadMessage:
    """An answer of somebody else, with no more of its sources than the caller could read without it.

    A document has to be one that the caller sees at this moment, and the cited version one that the caller
    may see: earlier ones may be from before it was shared. Its names are those of today for the same reason.
    A document that is private, deleted or made up looks the same. What is the owner's alone, such as another
    message of theirs or a file of their session, is never shown.
    """
    found = (one.locator.get("document_id") for one in message.citations if not is_personal(one))
    ids = sorted({document_id for document_id in found if document_id is not None})
    seen: dict[str, OpenDocument] = {}
    readable: Mapping[str, OpenDocument] | None = seen
    try:
        for start in range(0, len(ids), _DOCUMENTS_AT_ONCE):
            part = ids[start : start + _DOCUMENTS_AT_ONCE]
            seen |= {one.id: _open_to(caller, one) for one in await ingest.documents_of(caller, part)}
    except FootnoteError as error:
        metrics.DEGRADED.labels("ingest").inc()
        _log.warning("quotes.hidden", part="ingest", entries=len(ids), reason=str(error))
        readable = None
    return message.model_copy(
        update={"citations": [as_open_to_others(one, readable) for one in message.citations]}
    )


def _open_to(caller: Principal, document: Document) -> OpenDocument:
    own = document.avatar_id == caller.avatar_id
    first = 0 if own else document.open_from
    return OpenDocument(range(first, (document.live_version or 0) + 1), None if own else document)


def as_open_to_others(entry: CitationEntry, readable: Mapping[str, OpenDocument] | None) -> CitationEntry:
    """An entry for a reader who was not shown its source.

    `readable` holds the documents that the reader sees; None if nobody could say.
    """
    if entry.status is not None or entry.source_type == "web_result":
        return entry
    if is_personal(entry):
        return entry.without_source("forbidden")
    if readable is None:
        return entry.without_source("unknown")
    document = readable.get(entry.locator["document_id"])
    if document is None or entry.source_version not in document.versions:
        return entry.without_source("forbidden")
    return entry if document.today is None else _named_as(entry, document.today)


def _named_as(entry: CitationEntry, today: Document) -> CitationEntry:
    shown = entry.display
    names = {
        "title": today.title,
        "source": today.filename,
        "url": shown.url if shown.url == today.url else None,
    }
    return entry.model_copy(update={"display": shown.model_copy(update=names)})


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
    marked = None if found.marked is None else _naming(found.marked, named)
    doubtful = [_without_tokens_but(one, named) for one in _naming(found.doubtful, named)]
    return found.model_copy(update={"marked": marked, "withdrawn": None, "doubtful": doubtful})


def _naming(sentences: Sequence[_Sentence], named: set[int]) -> list[_Sentence]:
    """The sentences with these numbers alone. One that has none of them is not there."""
    kept = [
        one.model_copy(
            update={
                "citations": [n for n in one.citations if n in named],
                "better": one.better if one.better in named else None,
            }
        )
        for one in sentences
    ]
    return [one for one in kept if one.citations or one.better is not None]


def _without_tokens_but(sentence: VerifiedSentence, named: set[int]) -> VerifiedSentence:
    """The sentence as the answer has it, whose tokens of other numbers were taken away."""

    def cleaned(text: str) -> str:
        return SPACED_TOKEN.sub(lambda token: token[0] if int(token[1]) in named else "", text)

    quotes = [one.model_copy(update={"text": cleaned(one.text)}) for one in sentence.quotes or ()]
    return sentence.model_copy(update={"sentence": cleaned(sentence.sentence), "quotes": quotes or None})
