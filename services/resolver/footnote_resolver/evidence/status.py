"""What became of a cited passage since it was shown (spec 2.7)."""

from dataclasses import dataclass

from footnote_shared.clients.ingest import IngestClient
from footnote_shared.contracts.documents import Chunk
from footnote_shared.contracts.evidence import CitationEntry, Neighbour, Pill, PillStatus
from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.errors import Forbidden, NotFound
from footnote_shared.kernel.text import text_hash


@dataclass(frozen=True, slots=True)
class Standing:
    """How a passage stands today: its status, its chunk if there is one, and the chunks beside it."""

    status: PillStatus
    chunk: Chunk | None = None
    beside: tuple[Chunk, ...] = ()


async def pill_of(entry: CitationEntry, reader: Principal, ingest: IngestClient) -> Pill:
    """What the reader gets who opens the citation. Raises Unavailable when ingest does not answer.

    Ingest answers a document that the reader may not see like one that is not there. Visibility is by workspace, and the
    conversation is the reader's own, so what is not there was deleted; only an explicit refusal is `forbidden`.
    """
    try:
        standing = await _standing(entry, reader, ingest)
    except NotFound:
        standing = Standing("deleted")
    except Forbidden:
        return Pill(n=entry.n, status="forbidden")
    chunk = standing.chunk
    return Pill(
        n=entry.n,
        status=standing.status,
        source_type=entry.source_type,
        locator=entry.locator,
        display=entry.display,
        quote=entry.quote,
        span=entry.span,
        first_turn_id=entry.first_turn_id,
        current_text=chunk.text if chunk is not None and standing.status == "changed" else None,
        context=[Neighbour(chunk_id=c.id, ordinal=c.ordinal, text=c.text) for c in standing.beside] or None,
        document_url=document_url(entry, chunk) if standing.status != "deleted" else None,
    )


async def _standing(entry: CitationEntry, reader: Principal, ingest: IngestClient) -> Standing:
    document_id, chunk_id = entry.locator.get("document_id"), entry.locator.get("chunk_id")
    if document_id is None:
        # Pages, connector items and messages are not asked for again: what was shown is what there is.
        return Standing("current")
    if chunk_id is None:
        document = await ingest.document(reader, document_id)
        if document.status in ("deleting", "deleted"):
            return Standing("deleted")
        seen = entry.source_version
        return Standing("changed" if seen is not None and document.version != seen else "current")
    page = await ingest.chunks(reader, document_id, around=chunk_id)
    return judge(entry, page.items)


def judge(entry: CitationEntry, chunks: list[Chunk]) -> Standing:
    """Compare an entry with its chunk and the chunks around it, as the source has them now."""
    chunk = next((c for c in chunks if c.id == entry.locator.get("chunk_id")), None)
    if chunk is None or chunk.tombstone:
        return Standing("deleted")
    beside = tuple(c for c in chunks if c.id != chunk.id and not c.tombstone)
    if text_hash(chunk.text) != entry.content_hash and _squeezed(entry.quote) not in _squeezed(chunk.text):
        return Standing("changed", chunk, beside)
    return Standing("current" if _same_place(entry, chunk) else "moved", chunk, beside)


def document_url(entry: CitationEntry, chunk: Chunk | None) -> str | None:
    """The link to the source, with page and characters to highlight as a fragment (RFC 5147 for characters)."""
    document_id = entry.locator.get("document_id")
    if document_id is None:
        return entry.locator.get("url") or entry.display.url
    page = chunk.page_start if chunk is not None else entry.display.page_start
    span = (chunk.char_start, chunk.char_end) if chunk is not None else entry.span
    places = [f"page={page}"] if page is not None else []
    places += [f"char={span[0]},{span[1]}"] if span is not None else []
    return f"/v1/documents/{document_id}/content" + (f"#{'&'.join(places)}" if places else "")


def _same_place(entry: CitationEntry, chunk: Chunk) -> bool:
    """Whether the chunk begins where it did; a page is compared only where the entry names one."""
    shown = entry.display
    if entry.span is not None and entry.span[0] != chunk.char_start:
        return False
    return shown.page_start is None or chunk.page_start is None or shown.page_start == chunk.page_start


def _squeezed(text: str) -> str:
    return " ".join(text.split())
