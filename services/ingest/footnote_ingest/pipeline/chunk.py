"""The stage `chunking`: from what a document says to its chunks, of which unchanged ones keep their ids."""

from dataclasses import dataclass

from footnote_ingest.chunking.chunk_draft import ChunkDraft
from footnote_ingest.chunking.chunk_limits import ChunkLimits
from footnote_ingest.chunking.languages import with_languages
from footnote_ingest.chunking.split import chunk_document
from footnote_ingest.chunking.stable_ids import OldChunk, align
from footnote_ingest.chunking.token_counter import TokenCounter
from footnote_ingest.hints.queues import Task
from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.pipeline.in_work import DocumentInWork
from footnote_ingest.store import chunks as chunk_store
from footnote_ingest.store.tables import VersionRow
from footnote_ingest.work import stages
from footnote_ingest.work.lease import Lease, LeasedDocument
from footnote_ingest.work.resources import WorkResources
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.ids import new_id
from footnote_shared.kernel.text import text_hash

_ROWS_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class ChunkResources:
    """What this stage needs beside the work."""

    counter: TokenCounter
    limits: ChunkLimits


def chunk(
    work: WorkResources,
    resources: ChunkResources,
    lease: Lease,
    document: DocumentInWork,
    extracted: Extracted,
) -> None:
    """Cut the document, store its chunks, and hand it over to `embedding`."""
    leased, row, version = document.leased, document.row, document.version
    title = version.title if row.title_given else (extracted.title or version.filename)
    cut = chunk_document(extracted, resources.counter, resources.limits, title=title)
    drafts, language = with_languages(cut, extracted.language)
    with work.database.read() as session:
        live = [
            OldChunk(c.chunk_id, c.text_hash, c.ordinal)
            for c in chunk_store.of_version(session, leased.id, row.live_version)
        ]
    alignment = align(live, [draft.text_hash for draft in drafts], new_id)
    rows = [_row(leased, draft, same.id) for draft, same in zip(drafts, alignment.chunks, strict=True)]
    # A long document goes in pieces, so that it does not keep others from writing. No reader sees the rows
    # before the flip.
    last = max(0, len(rows) - 1) // _ROWS_AT_ONCE * _ROWS_AT_ONCE
    for start in range(0, last, _ROWS_AT_ONCE):
        with lease.commit(leased) as (session, _):
            _write(session, leased, rows, start)
    with lease.commit(leased) as (session, held):
        _write(session, leased, rows, last)
        found = session.get(VersionRow, (leased.id, leased.version))
        if found is not None:
            found.title = title
            session.add(found)
        held.title, held.language = title, language
        held.chunks_in_work = len(rows)
        stages.advance(session, held, "embedding", detail=f"{len(rows)} chunks")
        stages.hand_over(held)
        work.dispatcher.send_after_commit(session, Task.EMBED, [leased.id])


def _write(session: WriteSession, leased: LeasedDocument, rows: list[dict[str, object]], start: int) -> None:
    """Write the rows from `start` on, as many as go at once. The first replace those of an earlier try."""
    if start == 0:
        chunk_store.drop_version(session, leased.id, leased.version)
    if rows:
        chunk_store.add(session, rows[start : start + _ROWS_AT_ONCE])


def _row(leased: LeasedDocument, draft: ChunkDraft, chunk_id: str) -> dict[str, object]:
    return {
        "chunk_id": chunk_id,
        "version": leased.version,
        "document_id": leased.id,
        "workspace_id": leased.workspace_id,
        "ordinal": draft.ordinal,
        "text": draft.text,
        "embed_prefix": draft.embed_text.removesuffix(draft.text),
        "text_hash": draft.text_hash,
        "embed_hash": text_hash(draft.embed_text),
        "kind": draft.kind,
        "language": draft.language,
        "code_language": draft.code_language,
        "heading_path": list(draft.heading_path),
        "page_start": draft.page_start,
        "page_end": draft.page_end,
        "char_start": draft.char_start,
        "char_end": draft.char_end,
        "policy": f"{draft.policy}/{draft.policy_version}",
        "tokens": draft.tokens,
        "retired_at": None,
    }
