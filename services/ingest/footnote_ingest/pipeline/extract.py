"""The stage `extracting`: from the bytes of a document to what it says."""

from collections.abc import Callable
from dataclasses import dataclass

from sqlmodel import col, select

from footnote_ingest.documents.attachment_budget import AttachmentBudget
from footnote_ingest.documents.delete import delete_documents
from footnote_ingest.documents.quota import Quota
from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.pipeline.attachments import accept_attachments
from footnote_ingest.pipeline.in_work import DocumentInWork
from footnote_ingest.store.tables import DocumentRow, VersionRow
from footnote_ingest.work import stages
from footnote_ingest.work.bench import Bench
from footnote_ingest.work.lease import Lease
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.blobs.protocol import BlobMissing, BlobStore

Parse = Callable[[bytes, str, str], Extracted]
"""Takes bytes, file name and declared media type; returns what the document says, or raises ParseFailed."""


@dataclass(frozen=True, slots=True)
class ExtractTools:
    """What this stage needs beside the bench."""

    blobs: BlobStore
    parse: Parse
    quota: Quota
    budget: AttachmentBudget


def extract(bench: Bench, tools: ExtractTools, lease: Lease, document: DocumentInWork) -> Extracted:
    """Parse the document, store what it says as a blob, and go on to `chunking`.

    A document that is already in `chunking` was parsed by an earlier try, and the blob is read.
    """
    leased, version = document.leased, document.version
    key = blob_keys.elements(leased.workspace_id, leased.id, leased.version)
    if leased.status == "chunking":
        try:
            return Extracted.from_json(tools.blobs.get(key))
        except BlobMissing:
            # The original is still there, so the document is parsed again.
            pass
    original = tools.blobs.get(blob_keys.original(leased.workspace_id, version.sha256))
    extracted = tools.parse(original, version.filename, version.declared_mime)
    tools.blobs.put(key, extracted.to_json())
    kept, left_out = accept_attachments(
        bench, tools.blobs, tools.quota, tools.budget, document.row, extracted
    )
    _commit(bench, lease, document, extracted, kept, [*extracted.warnings, *left_out])
    return extracted


def _commit(
    bench: Bench,
    lease: Lease,
    document: DocumentInWork,
    extracted: Extracted,
    kept: list[str],
    warnings: list[str],
) -> None:
    """Store the facts about the version, and delete attachments that only earlier versions had."""
    leased = document.leased
    with lease.commit(leased) as (session, held):
        found = session.get(VersionRow, (leased.id, leased.version))
        if found is not None:
            found.pages, found.warnings, found.mime = extracted.pages or None, warnings, extracted.mime
            session.add(found)
        held.mime = extracted.mime
        gone = select(DocumentRow.id).where(
            col(DocumentRow.parent_id) == leased.id,
            col(DocumentRow.id).not_in(kept),
            col(DocumentRow.deleted_at).is_(None),
        )
        delete_documents(session, bench.dispatcher, bench.policy, held.workspace_id, list(session.exec(gone)))
        if held.status == "extracting":
            stages.advance(session, held, "chunking", detail=" ".join(warnings) or None)
