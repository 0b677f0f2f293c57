"""What became of a source that a conversation cites. Only the resolver is told (docs/adr/0014)."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from footnote_ingest.documents.access import first_shown
from footnote_ingest.documents.find_quote import ChunkText, locate, within
from footnote_ingest.documents.view import chunk_view, document_view
from footnote_ingest.store import chunks, documents
from footnote_ingest.store.tables import ChunkRow, DocumentRow, VersionRow
from footnote_shared.contracts.documents import CitedPassage, CitedSource, FoundText, ShownSource
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database, ReadSession
from footnote_shared.kernel.errors import NotFound
from footnote_shared.kernel.ids import is_id


def cited_source(session: ReadSession, principal: Principal, passage: CitedPassage) -> CitedSource:
    """The source as the principal sees it now.

    A document that was made private is `withheld` only if the passage was shown before that. So a citation
    that somebody made up afterwards, from an id that was passed on, learns nothing.
    """
    principal = principal.model_copy(update={"session_id": passage.session_id})
    try:
        document = documents.get(session, principal, passage.document_id)
    except NotFound:
        shown = ShownSource(document_id=passage.document_id, shown_at=passage.shown_at)
        known = withheld_sources(session, principal, [shown])
        return CitedSource(access="withheld" if known else "absent")
    row = document.row
    source = CitedSource(
        access="visible",
        document=document_view(document),
        same_bytes=_same_bytes(session, row, passage.version),
    )
    if passage.chunk_id is None or not is_id(passage.chunk_id):
        return source
    near, tombstone = chunks.around(session, row, passage.chunk_id, first_shown(row, principal))
    cited = next((chunk for chunk in near if chunk.chunk_id == passage.chunk_id), None)
    if cited is None:
        return source
    span = None if tombstone else within(passage.quote, _text_of(cited))
    if span is not None:
        found: FoundText | None = FoundText(char_start=span[0], char_end=span[1], chunk=chunk_view(cited))
        around = near
    else:
        found, around, pages = _elsewhere(session, row, passage.quote, cited)
        if found is not None and not tombstone and _holds(found, cited):
            # A section was shown around the chunk that is cited, with the headings of the chunk.
            found = found.model_copy(update={"chunk": chunk_view(cited).model_copy(update=pages)})
    middle = found.chunk.id if found is not None else cited.chunk_id
    return source.model_copy(
        update={
            "chunk": chunk_view(cited, tombstone=tombstone),
            "found": found,
            "beside": [chunk_view(chunk) for chunk in around or near if chunk.chunk_id != middle],
        }
    )


def withheld_sources(session: ReadSession, principal: Principal, sources: Sequence[ShownSource]) -> list[int]:
    """Positions of the sources that the principal could see when they were shown, and now may not.

    A document that was deleted after it was withdrawn stays withdrawn.
    """
    since = documents.withdrawn_from(session, principal, {source.document_id for source in sources})
    return _shown_before(since, sources)


def withheld_at_once(
    database: Database, principal: Principal, sources: Sequence[ShownSource]
) -> list[int] | None:
    """The same without a session, for few sources on SQLite; None where `withheld_sources` has to look."""
    since = documents.withdrawn_at_once(database, principal, {source.document_id for source in sources})
    return None if since is None else _shown_before(since, sources)


def _shown_before(since: Mapping[str, datetime], sources: Sequence[ShownSource]) -> list[int]:
    return [
        place
        for place, source in enumerate(sources)
        if (moment := since.get(source.document_id)) is not None and source.shown_at < moment
    ]


def _same_bytes(session: ReadSession, row: DocumentRow, version: int | None) -> bool | None:
    then = session.get(VersionRow, (row.id, version)) if version is not None else None
    today = documents.live_version(session, row)
    return None if then is None or today is None else then.sha256 == today.sha256


def _elsewhere(
    session: ReadSession, row: DocumentRow, quote: str, cited: ChunkRow
) -> tuple[FoundText | None, list[ChunkRow], dict[str, int | None]]:
    """The quote in the live version, with the chunks around it and its pages; nothing if it is not there."""
    live = chunks.of_version(session, row.id, row.live_version)
    located = locate(quote, [_text_of(chunk) for chunk in live], cited.char_start)
    if located is None:
        return None, [], {}
    found = FoundText(char_start=located.start, char_end=located.end, chunk=chunk_view(live[located.chunk]))
    first, last = max(0, located.chunk - chunks.NEIGHBOURS), located.chunk + chunks.NEIGHBOURS
    return found, live[first : last + 1], pages_of(live, found.char_start, found.char_end)


def pages_of(live: Sequence[ChunkRow], start: int, end: int) -> dict[str, int | None]:
    """The pages of the chunks that a range of characters begins in, goes through and ends in."""
    own = [one for one in live if one.char_start < end and start < one.char_end]
    # Chunks share some text. The range begins in the last one that holds its beginning.
    while len(own) > 1 and own[1].char_start <= start:
        own.pop(0)
    while len(own) > 1 and own[-2].char_end >= end:
        own.pop()
    return {
        "page_start": min((one.page_start for one in own if one.page_start), default=None),
        "page_end": max((one.page_end for one in own if one.page_end), default=None),
    }


def _holds(found: FoundText, chunk: ChunkRow) -> bool:
    return found.char_start <= chunk.char_start and chunk.char_end <= found.char_end


def _text_of(chunk: ChunkRow) -> ChunkText:
    return ChunkText(chunk.text, chunk.char_start, chunk.char_end)
