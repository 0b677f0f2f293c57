"""The stage `extracting`: from the bytes of a document to what it says."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlmodel import col, select

from footnote_ingest.documents.attachment_budget import AttachmentBudget
from footnote_ingest.documents.delete import delete_documents
from footnote_ingest.documents.quota import Quota
from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.parser_input import GivenFile
from footnote_ingest.pipeline.attachments import accept_attachments
from footnote_ingest.pipeline.in_work import DocumentInWork
from footnote_ingest.store.tables import DocumentRow, VersionRow
from footnote_ingest.work import stages
from footnote_ingest.work.lease import Lease
from footnote_ingest.work.resources import WorkResources
from footnote_shared.blobs import keys as blob_keys
from footnote_shared.blobs.protocol import BlobMissing, BlobStore

Parse = Callable[[bytes, str, str], Extracted]
"""Takes bytes, file name and declared media type; returns what the document says, or raises ParseFailed."""


ParseTogether = Callable[[Sequence[GivenFile]], list[Extracted | ParseFailed]]
"""Reads files one after the other in one process, and returns what each says or why it says nothing.

The list is shorter than the files if the process ended early. The next file must then be read by itself.
"""


@dataclass(frozen=True, slots=True)
class ExtractResources:
    """What this stage needs beside the work. Without `parse_together` each file has a process of its own."""

    blobs: BlobStore
    parse: Parse
    quota: Quota
    budget: AttachmentBudget
    parse_together: ParseTogether | None = None


def extract(
    work: WorkResources,
    resources: ExtractResources,
    lease: Lease,
    document: DocumentInWork,
    asks: str | None = None,
) -> Extracted:
    """Parse the document, store what it says as a blob, and go on to `chunking`.

    `asks` says which model has to read it, for whoever waits. A document that is already in `chunking` was
    parsed by an earlier try, and the blob is read.
    """
    leased = document.leased
    key = blob_keys.elements(leased.workspace_id, leased.id, leased.version)
    if leased.status == "chunking":
        try:
            return Extracted.from_json(resources.blobs.get(key))
        except BlobMissing:
            # The original is still there, so the document is parsed again.
            pass
    extracted = _read_before(resources, document)
    if extracted is None:
        if asks is not None:
            _tell(lease, document, asks)
        extracted = resources.parse(*given_file(resources, document))
    keep(work, resources, lease, document, extracted)
    return extracted


def _read_before(resources: ExtractResources, document: DocumentInWork) -> Extracted | None:
    """What an earlier version of the same bytes says; None if that is not to be taken, or gone."""
    earlier = document.version.read_as
    if earlier is None:
        return None
    leased = document.leased
    try:
        return Extracted.from_json(
            resources.blobs.get(blob_keys.elements(leased.workspace_id, leased.id, earlier))
        )
    except BlobMissing:
        return None


def _tell(lease: Lease, document: DocumentInWork, asks: str) -> None:
    with lease.commit(document.leased) as (session, held):
        stages.note(session, held, held.status, asks, attempt=held.attempts)


def given_file(resources: ExtractResources, document: DocumentInWork) -> GivenFile:
    """The bytes of the document, as a parser is given them. Raises BlobMissing."""
    version = document.version
    original = resources.blobs.get(blob_keys.original(document.leased.workspace_id, version.sha256))
    return GivenFile(original, version.filename, version.declared_mime)


def kept_text(document: DocumentInWork, extracted: Extracted) -> tuple[str, bytes]:
    """What the document says as a blob, for a later try and for readers: its key and its bytes."""
    leased = document.leased
    return blob_keys.elements(leased.workspace_id, leased.id, leased.version), extracted.to_json()


def keep(
    work: WorkResources,
    resources: ExtractResources,
    lease: Lease,
    document: DocumentInWork,
    extracted: Extracted,
) -> None:
    """Store what the document says and accept its attachments, and go on to `chunking`."""
    resources.blobs.put(*kept_text(document, extracted))
    kept, left_out = accept_attachments(
        work, resources.blobs, resources.quota, resources.budget, document.row, extracted
    )
    _commit(work, lease, document, extracted, kept, [*extracted.warnings, *left_out])


def note_extracted(
    held: DocumentRow, version: VersionRow | None, extracted: Extracted, warnings: list[str]
) -> None:
    """Store the facts about the version that reading it has shown."""
    if version is not None:
        version.pages, version.warnings, version.mime = extracted.pages or None, warnings, extracted.mime
    held.mime = extracted.mime


def _commit(
    work: WorkResources,
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
        note_extracted(held, found, extracted, warnings)
        gone = select(DocumentRow.id).where(
            col(DocumentRow.parent_id) == leased.id,
            col(DocumentRow.id).not_in(kept),
            col(DocumentRow.deleted_at).is_(None),
            col(DocumentRow.legal_hold).is_(False),
        )
        delete_documents(session, work.dispatcher, work.policy, held.workspace_id, list(session.exec(gone)))
        if held.status == "extracting":
            stages.advance(session, held, "chunking", detail=" ".join(warnings) or None)
