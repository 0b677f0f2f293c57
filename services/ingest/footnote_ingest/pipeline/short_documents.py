"""Short documents pass `extracting` and `chunking` together: what each costs by itself is paid once for all.

One statement reads their rows, one child of the sandbox reads the files of one owner, and one transaction
writes what came out. A document that fails, fails by itself.
"""

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby

from sqlmodel import col, select

from footnote_ingest.documents.delete import delete_documents
from footnote_ingest.hints.queues import Task
from footnote_ingest.parsing.elements import Extracted
from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.parsing.formats import FAMILY_OF, READ_TOGETHER
from footnote_ingest.parsing.parser_input import GivenFile
from footnote_ingest.pipeline.chunk import (
    ROWS_AT_ONCE,
    ChunkResources,
    CutDocument,
    chunk,
    cut_document,
    note_cut,
)
from footnote_ingest.pipeline.extract import (
    ExtractResources,
    extract,
    given_file,
    keep,
    kept_text,
    note_extracted,
)
from footnote_ingest.pipeline.in_work import DocumentInWork, load_all, versions_of
from footnote_ingest.store import chunks as chunk_store
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work import stages
from footnote_ingest.work.lease import Lease
from footnote_ingest.work.resources import WorkResources
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.clock import now

_ROUND_S = 2.0
"""Seconds after which a round ends. What is not read by then goes back, and others come before it."""


@dataclass(frozen=True, slots=True)
class ShortDocument:
    """A document that was read at `moment`, and its chunks."""

    extracted: Extracted
    moment: datetime
    cut: CutDocument


@dataclass(slots=True)
class ShortRound:
    """One round of a worker over documents that it has taken together."""

    work: WorkResources
    extract: ExtractResources
    chunk: ChunkResources
    lease: Lease
    begun: float = field(default_factory=time.monotonic)
    ready: list[ShortDocument] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        return self.work.stopping() or time.monotonic() - self.begun > _ROUND_S


def parse_short(
    work: WorkResources, extracting: ExtractResources, chunking: ChunkResources, lease: Lease
) -> None:
    """Bring the documents of the lease to `embedding`. Those that find no time in this round are handed back.

    Each round ends at least one document, so that none goes back for ever.
    """
    if not lease.documents:
        return
    batch = ShortRound(work, extracting, chunking, lease)
    for group in _groups(load_all(work, lease.documents)):
        _read_group(batch, group)
    _write(batch)
    lease.hand_back()


def _groups(documents: Iterable[DocumentInWork]) -> list[list[DocumentInWork]]:
    """The documents that one child of the sandbox may read one after the other.

    A parser that was taken over sees all of them. So they have one owner and the same readers, and formats
    that only Python code of ours reads. Every other document is by itself.
    """
    in_order = sorted(documents, key=_readers)
    groups: list[list[DocumentInWork]] = []
    for _, same in groupby(in_order, key=_readers):
        of_one = list(same)
        together = [document for document in of_one if _may_share(document)]
        groups += [together] if together else []
        groups += [[document] for document in of_one if not _may_share(document)]
    return groups


def _readers(document: DocumentInWork) -> tuple[str, str, str, str, bool, str]:
    row = document.row
    groups = json.dumps(row.reader_groups)
    return row.workspace_id, row.avatar_id, row.visibility, groups, row.is_public, row.session_id or ""


def _may_share(document: DocumentInWork) -> bool:
    # What is in `chunking` was read by an earlier try.
    return document.leased.status != "chunking" and FAMILY_OF.get(document.row.mime) in READ_TOGETHER


def _read_group(batch: ShortRound, group: Sequence[DocumentInWork]) -> None:
    together = batch.extract.parse_together
    waiting = list(group)
    while waiting and (not batch.is_over or not batch.ready):
        outcomes: list[Extracted | ParseFailed] = []
        if together is not None and len(waiting) > 1:
            files = _files(batch, waiting)
            waiting = [document for document, _ in files]
            outcomes = together([file for _, file in files])
        for document, outcome in zip(waiting, outcomes, strict=False):
            with batch.lease.alone(document.leased):
                if isinstance(outcome, ParseFailed):
                    raise outcome
                _settle(batch, document, outcome)
        waiting = waiting[len(outcomes) :]
        if waiting:
            # Nobody else is read beside what ended the child.
            _read_alone(batch, waiting.pop(0))


def _files(batch: ShortRound, documents: Sequence[DocumentInWork]) -> list[tuple[DocumentInWork, GivenFile]]:
    files = []
    for document in documents:
        with batch.lease.alone(document.leased):
            files.append((document, given_file(batch.extract, document)))
    return files


def _read_alone(batch: ShortRound, document: DocumentInWork) -> None:
    with batch.lease.alone(document.leased):
        if document.leased.status == "chunking":
            extracted = extract(batch.work, batch.extract, batch.lease, document)
            chunk(batch.work, batch.chunk, batch.lease, document, extracted)
        else:
            _settle(batch, document, batch.extract.parse(*given_file(batch.extract, document)))


def _settle(batch: ShortRound, document: DocumentInWork, extracted: Extracted) -> None:
    """Cut the document, and have it written with the others unless it brings much along."""
    moment = now()
    cut = cut_document(batch.work, batch.chunk, document, extracted)
    if extracted.attachments or len(cut.rows) > ROWS_AT_ONCE:
        keep(batch.work, batch.extract, batch.lease, document, extracted)
        chunk(batch.work, batch.chunk, batch.lease, document, extracted)
        return
    if sum(len(read.cut.rows) for read in batch.ready) + len(cut.rows) > ROWS_AT_ONCE:
        _write(batch)
    batch.ready.append(ShortDocument(extracted, moment, cut))


def _write(batch: ShortRound) -> None:
    """Store all that was read in this round, and hand it over to `embedding`, in one transaction."""
    ready, batch.ready = batch.ready, []
    if not ready:
        return
    with batch.lease.only(*(read.cut.document.leased for read in ready)):
        batch.extract.blobs.put_all(dict(kept_text(read.cut.document, read.extracted) for read in ready))
        _commit(batch, ready)


def _commit(batch: ShortRound, ready: Sequence[ShortDocument]) -> None:
    with batch.lease.commit_all([read.cut.document.leased for read in ready]) as (session, rows):
        held = [(read, rows[read.cut.document.leased]) for read in ready if read.cut.document.leased in rows]
        _delete_attachments(batch.work, session, [row for _, row in held])
        versions = versions_of(session, list(rows))
        chunk_store.drop_versions(session, [(row.id, row.version) for _, row in held])
        for read, row in held:
            version = versions.get(read.cut.document.leased)
            warnings = list(read.extracted.warnings)
            note_extracted(row, version, read.extracted, warnings)
            stages.advance(session, row, "chunking", detail=" ".join(warnings) or None, moment=read.moment)
            note_cut(session, row, version, read.cut)
        chunk_store.add(session, [chunk_row for read, _ in held for chunk_row in read.cut.rows])
        batch.work.dispatcher.send_after_commit(session, Task.EMBED, [row.id for _, row in held])


def _delete_attachments(work: WorkResources, session: WriteSession, rows: Sequence[DocumentRow]) -> None:
    """Delete the attachments that earlier versions of these documents had: none of them has any now."""
    workspaces = {row.id: row.workspace_id for row in rows}
    gone = select(DocumentRow).where(
        col(DocumentRow.parent_id).in_(list(workspaces)),
        col(DocumentRow.deleted_at).is_(None),
        col(DocumentRow.legal_hold).is_(False),
    )
    for attachment in session.exec(gone.order_by(col(DocumentRow.id))):
        delete_documents(session, work.dispatcher, work.policy, attachment.workspace_id, [attachment.id])
