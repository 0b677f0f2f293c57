"""The stage `chunking`: from what a document says to its chunks, of which unchanged ones keep their ids."""

from dataclasses import dataclass, replace

from footnote_ingest.chunking.chunk_draft import ChunkDraft
from footnote_ingest.chunking.chunk_limits import ChunkLimits
from footnote_ingest.chunking.languages import with_languages
from footnote_ingest.chunking.split import chunk_document
from footnote_ingest.chunking.stable_ids import OldChunk, align
from footnote_ingest.chunking.token_counter import TokenCounter
from footnote_ingest.hints.queues import Task
from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.pipeline.attachments import message_above
from footnote_ingest.pipeline.in_work import DocumentInWork
from footnote_ingest.store import chunks as chunk_store
from footnote_ingest.store.tables import ChunkRow, DocumentRow, VersionRow
from footnote_ingest.work import stages
from footnote_ingest.work.lease import Lease, LeasedDocument
from footnote_ingest.work.resources import WorkResources
from footnote_shared.db.engine import WriteSession
from footnote_shared.db.sealed_rows import SealingKey
from footnote_shared.kernel.counted import counted
from footnote_shared.kernel.ids import new_id
from footnote_shared.kernel.text import text_hash

ROWS_AT_ONCE = 200
"""The most chunks that one transaction writes: a few milliseconds, in which nobody else writes to SQLite."""


@dataclass(frozen=True, slots=True)
class ChunkResources:
    """What this stage needs beside the work. `digest` tells by what it cuts."""

    counter: TokenCounter
    limits: ChunkLimits
    digest: str


@dataclass(frozen=True, slots=True)
class CutDocument:
    """A document whose chunks are ready to be written.

    `rows` are those of the table of chunks, and `cut_by` is the digest of what it was cut by.
    """

    document: DocumentInWork
    cut_by: str
    title: str
    language: str | None
    rows: list[dict[str, object]]


def cut_document(
    work: WorkResources, resources: ChunkResources, document: DocumentInWork, extracted: Extracted
) -> CutDocument:
    """Cut the document. Chunks of unchanged text get the ids that they have in the live version."""
    leased, row, version = document.leased, document.row, document.version
    title = version.title if row.title_given else (extracted.title or version.filename)
    cut = chunk_document(extracted, resources.counter, resources.limits, title=title)
    drafts, language = with_languages(cut, extracted.language)
    key = work.database.sealing_key(leased.workspace_id)
    live: list[OldChunk] = []
    if row.live_version is not None:
        with work.database.read() as session:
            live = [
                OldChunk(c.chunk_id, _comparable(c, key), c.ordinal)
                for c in chunk_store.of_version(session, leased.id, row.live_version)
            ]
    alignment = align(live, [_keyed(draft.text_hash, key) for draft in drafts], new_id)
    above = message_above(row)
    rows = [
        _row(leased, replace(draft, heading_path=(*above, *draft.heading_path)), same.id, key)
        for draft, same in zip(drafts, alignment.chunks, strict=True)
    ]
    return CutDocument(document, resources.digest, title, language, rows)


def chunk(
    work: WorkResources,
    resources: ChunkResources,
    lease: Lease,
    document: DocumentInWork,
    extracted: Extracted,
) -> None:
    """Cut the document, store its chunks, and hand it over to `embedding`."""
    cut = cut_document(work, resources, document, extracted)
    leased, rows = document.leased, cut.rows
    # A long document goes in pieces. No reader sees the rows before the flip.
    last = max(0, len(rows) - 1) // ROWS_AT_ONCE * ROWS_AT_ONCE
    for start in range(0, last, ROWS_AT_ONCE):
        with lease.commit(leased) as (session, _):
            _write(session, leased, rows, start)
    with lease.commit(leased) as (session, held):
        _write(session, leased, rows, last)
        found = session.get(VersionRow, (leased.id, leased.version))
        note_cut(session, held, found, cut)
        work.dispatcher.send_after_commit(session, Task.EMBED, [leased.id])


def note_cut(session: WriteSession, held: DocumentRow, version: VersionRow | None, cut: CutDocument) -> None:
    """Store what cutting has shown about the document, and release it to `embedding`."""
    if version is not None:
        version.title, version.cut_by = cut.title, cut.cut_by
        session.add(version)
    held.title, held.language = cut.title, cut.language
    held.chunks_in_work = len(cut.rows)
    stages.advance(session, held, "embedding", detail=counted(len(cut.rows), "chunk"))
    stages.hand_over(held)


def _write(session: WriteSession, leased: LeasedDocument, rows: list[dict[str, object]], start: int) -> None:
    """Write the rows from `start` on, as many as go at once. The first replace those of an earlier try."""
    if start == 0:
        chunk_store.drop_versions(session, [(leased.id, leased.version)])
    chunk_store.add(session, rows[start : start + ROWS_AT_ONCE])


def _keyed(digest: str, key: SealingKey | None) -> str:
    """The hash of a text as it is stored. Beside encrypted texts a plain one would give short ones away."""
    return digest if key is None else key.keyed(digest)


def _comparable(chunk: ChunkRow, key: SealingKey | None) -> str:
    """The hash of a stored chunk in the form of today, whatever form the chunk has."""
    if (chunk.sealed is not None) == (key is not None):
        return chunk.text_hash
    return _keyed(text_hash(chunk.text), key)


def _row(
    leased: LeasedDocument, draft: ChunkDraft, chunk_id: str, key: SealingKey | None
) -> dict[str, object]:
    return {
        "chunk_id": chunk_id,
        "version": leased.version,
        "document_id": leased.id,
        "workspace_id": leased.workspace_id,
        "ordinal": draft.ordinal,
        "text": draft.text,
        "embed_prefix": draft.embed_text.removesuffix(draft.text),
        "text_hash": _keyed(draft.text_hash, key),
        "embed_hash": _keyed(text_hash(draft.embed_text), key),
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
