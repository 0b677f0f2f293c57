"""What became of a cited source since it was shown (spec 2.7). Pure."""

from dataclasses import dataclass

from footnote_shared.contracts.citations import CitationEntry, CurrentPlace, NearbyChunk, Pill, PillStatus
from footnote_shared.contracts.documents import Chunk, CitedSource
from footnote_shared.contracts.place import place_fields
from footnote_shared.contracts.turns import ThreadMessage
from footnote_shared.kernel.citation_tokens import without_tokens
from footnote_shared.kernel.text import text_hash


@dataclass(frozen=True, slots=True)
class Standing:
    """How a cited source stands today.

    `there` says whether it can still be opened, `checked` whether its service was asked.
    """

    status: PillStatus
    current_text: str | None = None
    place: CurrentPlace | None = None
    beside: tuple[Chunk, ...] = ()
    there: bool = True
    checked: bool = True


FORBIDDEN = Standing("forbidden", there=False)
GONE = Standing("deleted", there=False)
NOT_ASKED = Standing("current", checked=False)


def judge(entry: CitationEntry, source: CitedSource) -> Standing:
    """Compare an entry of a document or of one of its chunks with what ingest says of it."""
    if source.access == "withheld":
        return FORBIDDEN
    if source.access == "absent":
        return GONE
    if "chunk_id" not in entry.locator:
        return Standing("changed" if source.same_bytes is False else "current")
    beside = tuple(source.beside)
    if source.found is not None:
        found = source.found
        place = _place(found.chunk, found.char_start, found.char_end)
        return Standing("current" if _same_place(entry, place) else "moved", None, place, beside)
    chunk = source.chunk
    if chunk is None or chunk.tombstone:
        return Standing("deleted", beside=beside)
    return Standing("changed", chunk.text, _place(chunk, chunk.char_start, chunk.char_end), beside)


def judge_message(entry: CitationEntry, message: ThreadMessage) -> Standing:
    """The same for a message.

    What was shown may have been a part of it, without its citation tokens.
    """
    shown, today = _said(entry.quote), _said(message.text)
    if text_hash(message.text) == entry.content_hash or shown in today:
        return Standing("current")
    return Standing("changed", message.text)


def pill_of(entry: CitationEntry, standing: Standing) -> Pill:
    """What the reader gets. Of a source that it may no longer see, that is the status and nothing else."""
    if standing.status == "forbidden":
        return Pill(n=entry.n, status="forbidden")
    return _pill(entry, standing, document_url(entry, standing), text_url(entry, standing))


def unanswered(entry: CitationEntry, service: str) -> Pill:
    """What can be told without the service that knows the source: of a document, not even the entry."""
    if "document_id" in entry.locator:
        return Pill(n=entry.n, status="unknown", checked=False, degraded=[service])
    standing = Standing("unknown", checked=False)
    pill = _pill(entry, standing, document_url(entry, standing), text_url(entry, standing))
    return pill.model_copy(update={"degraded": [service]})


def document_url(entry: CitationEntry, standing: Standing) -> str | None:
    """The link to the source. Its fragment names the page and the characters to highlight (RFC 5147)."""
    if not standing.there:
        return None
    document_id = entry.locator.get("document_id")
    if document_id is None:
        return entry.locator.get("url") or entry.display.url
    url = f"/v1/documents/{document_id}/content"
    page, characters = _highlight(entry, standing)
    marks = [*([f"page={page}"] if page is not None else []), *([characters] if characters else [])]
    return url + (f"#{'&'.join(marks)}" if marks else "")


def text_url(entry: CitationEntry, standing: Standing) -> str | None:
    """The link to the text in which the characters count; None when there is nothing to highlight."""
    document_id = entry.locator.get("document_id")
    characters = _highlight(entry, standing)[1]
    if document_id is None or not characters or not standing.there:
        return None
    return f"/v1/documents/{document_id}/text#{characters}"


def _highlight(entry: CitationEntry, standing: Standing) -> tuple[int | None, str]:
    """Page and characters as of today; as of the showing while today is not known; none for what is gone."""
    place = standing.place
    if place is not None:
        return place.page_start, f"char={place.char_start},{place.char_end}"
    if standing.status != "unknown":
        return None, ""
    span = entry.span
    return entry.display.page_start, f"char={span[0]},{span[1]}" if span is not None else ""


def _pill(entry: CitationEntry, standing: Standing, document: str | None, text: str | None) -> Pill:
    return Pill(
        n=entry.n,
        status=standing.status,
        checked=standing.checked,
        source_type=entry.source_type,
        locator=entry.locator,
        display=entry.display,
        quote=entry.quote,
        span=entry.span,
        first_turn_id=entry.first_turn_id,
        current_text=standing.current_text,
        place=standing.place,
        context=[NearbyChunk(chunk_id=c.id, ordinal=c.ordinal, text=c.text) for c in standing.beside] or None,
        document_url=document,
        text_url=text,
    )


def _place(chunk: Chunk, start: int, end: int) -> CurrentPlace:
    place = {**place_fields(chunk), "char_start": start, "char_end": end}
    return CurrentPlace(chunk_id=chunk.id, ordinal=chunk.ordinal, **place)


def _same_place(entry: CitationEntry, place: CurrentPlace) -> bool:
    """Whether it begins where it did, on the same page and under the same headings.

    Only what the entry names is compared.
    """
    shown = entry.display
    if entry.span is not None and entry.span[0] != place.char_start:
        return False
    if shown.page_start is not None and place.page_start is not None:
        # A passage of several chunks has several pages, and part of it has fewer.
        last, ends = shown.page_end or shown.page_start, place.page_end or place.page_start
        if last < place.page_start or ends < shown.page_start:
            return False
    path = shown.heading_path or []
    return place.heading_path[len(place.heading_path) - len(path) :] == path if path else True


def _said(text: str) -> str:
    return " ".join(without_tokens(text).split())
