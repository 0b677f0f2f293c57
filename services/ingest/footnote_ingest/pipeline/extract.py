"""From bytes to chunks: the stages `extracting` and `chunking` of one document."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count

from sqlmodel import col, select

from footnote_ingest.chunking.align import OldChunk, align
from footnote_ingest.chunking.chunk import Chunk, ChunkLimits
from footnote_ingest.chunking.split import chunk_document
from footnote_ingest.chunking.tokens import TokenCounter
from footnote_ingest.documents.accept import Acceptor, Upload
from footnote_ingest.documents.delete import delete_documents
from footnote_ingest.documents.paths import plain_name
from footnote_ingest.documents.quota import Quota
from footnote_ingest.parsing.elements import Attachment, Extracted
from footnote_ingest.store import chunks as chunk_store
from footnote_ingest.store import folders
from footnote_ingest.store.tables import DocumentRow, VersionRow
from footnote_ingest.work import stages
from footnote_ingest.work.lease import Bench, Claimed, Lease, LeaseLost, claim
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.blobs.protocol import BlobMissing, BlobStore
from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.errors import UnsupportedType
from footnote_shared.kernel.ids import new_id
from footnote_shared.kernel.text import text_hash
from footnote_shared.tasks.queues import Task

_ROWS_AT_ONCE = 1000
_CARRIED = ("subject", "sender", "date")

Parse = Callable[[bytes, str, str], Extracted]
"""Bytes, file name, declared media type -> what the document says; raises ParseFailed."""


@dataclass(frozen=True, slots=True)
class ParseTools:
    """What this stage needs beside the bench."""

    blobs: BlobStore
    parse: Parse
    counter: TokenCounter
    limits: ChunkLimits
    quota: Quota


def parse_document(bench: Bench, tools: ParseTools, document_id: str) -> bool:
    """Take the document as far as `embedding`; False where there was nothing to do for us."""
    with claim(bench, ("queued", "extracting", "chunking"), document_id) as lease:
        for item in lease.claimed:
            row, version = _load(bench, item)
            extracted = _extract(bench, tools, lease, item, row, version)
            _chunk(bench, tools, lease, item, row, version, extracted)
    return bool(lease.claimed)


def _load(bench: Bench, item: Claimed) -> tuple[DocumentRow, VersionRow]:
    with bench.database.read() as session:
        row = session.get(DocumentRow, item.id)
        version = session.get(VersionRow, (item.id, item.version))
    if row is None or version is None:
        raise LeaseLost
    return row, version


def _extract(
    bench: Bench, tools: ParseTools, lease: Lease, item: Claimed, row: DocumentRow, version: VersionRow
) -> Extracted:
    key = blob_keys.elements(item.workspace_id, item.id, item.version)
    if item.status == "chunking":
        try:
            return Extracted.from_json(tools.blobs.get(key))
        except BlobMissing:
            # It can be made again from the original.
            pass
    original = tools.blobs.get(blob_keys.original(item.workspace_id, version.sha256))
    extracted = tools.parse(original, version.filename, version.declared_mime)
    tools.blobs.put(key, extracted.to_json())
    kept, left_out = _accept_attachments(bench, tools, row, extracted)
    warnings = [*extracted.warnings, *left_out]
    with lease.commit(item) as (session, held):
        found = session.get(VersionRow, (item.id, item.version))
        if found is not None:
            found.pages, found.warnings, found.mime = extracted.pages or None, warnings, extracted.mime
            session.add(found)
        held.mime = extracted.mime
        gone = select(DocumentRow.id).where(
            col(DocumentRow.parent_id) == item.id,
            col(DocumentRow.id).not_in(kept),
            col(DocumentRow.deleted_at).is_(None),
        )
        delete_documents(session, bench.dispatcher, bench.policy, held.workspace_id, list(session.exec(gone)))
        if held.status == "extracting":
            stages.advance(session, held, "chunking", detail=" ".join(warnings) or None)
    return extracted


def _accept_attachments(
    bench: Bench, tools: ParseTools, row: DocumentRow, extracted: Extracted
) -> tuple[list[str], list[str]]:
    """Attachments become documents of their own; returns their ids, and a sentence for each that cannot."""
    if not extracted.attachments:
        return [], []
    acceptor = Acceptor(bench.database, tools.blobs, bench.dispatcher, bench.policy, tools.quota)
    principal = Principal(workspace_id=row.workspace_id, avatar_id=row.avatar_id, scopes=frozenset())
    with bench.database.read() as session:
        folder = folders.path_of(session, row.folder_id)
    carried = {name: extracted.metadata[name] for name in _CARRIED if name in extracted.metadata}
    kept: list[str] = []
    left_out: list[str] = []
    for name, attachment in _named(extracted.attachments):
        upload = Upload(
            filename=name,
            declared_mime=attachment.mime,
            folder=folder,
            metadata={**carried, "parent_id": row.id},
            source_type="email_attachment",
            parent_id=row.id,
        )
        try:
            kept.append(acceptor.accept_bytes(principal, upload, attachment.content).id)
        except UnsupportedType:
            left_out.append(f"The attachment {name} was left out: its type is not supported.")
    return kept, left_out


def _named(attachments: tuple[Attachment, ...]) -> Iterator[tuple[str, Attachment]]:
    """Attachments under names that differ: the second `image.png` is `image.png (2)`."""
    taken: set[str] = set()
    for attachment in attachments:
        name = plain_name(attachment.name) or "attachment"
        free = next(
            candidate for n in count(1) if (candidate := name if n == 1 else f"{name} ({n})") not in taken
        )
        taken.add(free)
        yield free, attachment


def _chunk(
    bench: Bench,
    tools: ParseTools,
    lease: Lease,
    item: Claimed,
    row: DocumentRow,
    version: VersionRow,
    extracted: Extracted,
) -> None:
    title = version.title if row.title_given else (extracted.title or version.filename)
    made = chunk_document(extracted, tools.counter, tools.limits, title=title)
    with bench.database.read() as session:
        live = [
            OldChunk(c.chunk_id, c.text_hash, c.ordinal)
            for c in chunk_store.of_version(session, item.id, row.live_version)
        ]
    placed = align(live, [chunk.text_hash for chunk in made], new_id).placed
    rows = [_row(item, chunk, place.id) for chunk, place in zip(made, placed, strict=True)]
    # In pieces, so that a long document does not keep others from writing; no reader sees them before the flip.
    with lease.commit(item) as (session, _):
        chunk_store.drop_version(session, item.id, item.version)
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        with lease.commit(item) as (session, _):
            chunk_store.add(session, rows[start : start + _ROWS_AT_ONCE])
    with lease.commit(item) as (session, held):
        found = session.get(VersionRow, (item.id, item.version))
        if found is not None:
            found.title = title
            session.add(found)
        held.title = title
        stages.advance(session, held, "embedding", detail=f"{len(rows)} chunks")
        stages.hand_over(held)
        bench.dispatcher.send_after_commit(session, Task.EMBED, [item.id])


def _row(item: Claimed, chunk: Chunk, chunk_id: str) -> dict[str, object]:
    prefix = chunk.embed_text.removesuffix(chunk.text)
    return {
        "chunk_id": chunk_id,
        "version": item.version,
        "document_id": item.id,
        "workspace_id": item.workspace_id,
        "ordinal": chunk.ordinal,
        "text": chunk.text,
        "embed_prefix": prefix,
        "text_hash": chunk.text_hash,
        "embed_hash": text_hash(chunk.embed_text),
        "kind": chunk.kind,
        "heading_path": list(chunk.heading_path),
        "page_start": chunk.page_start,
        "page_end": chunk.page_end,
        "char_start": chunk.char_start,
        "char_end": chunk.char_end,
        "policy": f"{chunk.policy}/{chunk.policy_version}",
        "tokens": chunk.tokens,
        "retired_at": None,
    }
