"""Comparing the rows of documents in SQL with each other: what was left, what is missing, what disagrees.

One statement writes each of these together with the rest, so they differ only where rows were lost or brought
back without the others, as from an incomplete backup, or through a fault of ours.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from sqlalchemy import ColumnElement, and_, func, or_
from sqlalchemy.orm import aliased
from sqlmodel import col, delete, select

from footnote_ingest.documents.access import bring_points_up_to_date
from footnote_ingest.documents.delete import delete_documents
from footnote_ingest.documents.legal_hold import UnderLegalHold
from footnote_ingest.documents.retry import reindex
from footnote_ingest.maintenance.looks import Look
from footnote_ingest.store import facts
from footnote_ingest.store.fact_tables import FactJobRow, FactRow, SummaryRow
from footnote_ingest.store.generations import raise_generation
from footnote_ingest.store.kept_texts import count_again, differently_counted
from footnote_ingest.store.tables import ChunkRow, DocumentGroupRow, DocumentRow, VersionRow
from footnote_ingest.work.resources import WorkResources
from footnote_ingest.work.settling import settle_soon
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.kernel.errors import Conflict
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)
_DOCUMENTS_AT_ONCE = 200


def differing_rows(work: WorkResources, workspace_id: str | None, after: str = "") -> Iterator[Look]:
    """Look through all documents, deleted ones too, and repair what differs. Safe beside workers."""
    while True:
        with work.database.read() as session:
            ours = () if workspace_id is None else (col(DocumentRow.workspace_id) == workspace_id,)
            in_order = select(DocumentRow.id).where(col(DocumentRow.id) > after, *ours)
            ids = list(session.exec(in_order.order_by(col(DocumentRow.id)).limit(_DOCUMENTS_AT_ONCE)))
            if not ids:
                return
            wanted = {
                "rows_left": _with_rows_left(session, ids),
                "parts_without_document": _without_parent(session, ids),
                "passages_lost": _without_passages(session, ids),
                "readers_differed": _with_other_readers(session, ids),
                "kept_texts_differed": differently_counted(session, ids),
            }
        found: Counter[str] = Counter()
        for kind, documents in wanted.items():
            for document_id in sorted(documents):
                with work.database.write() as session:
                    row = session.get(DocumentRow, document_id, with_for_update=True)
                    found[kind] += row is not None and _repair(session, work, kind, row)
        after = ids[-1]
        yield Look(len(ids), found, after)


def _repair(session: WriteSession, work: WorkResources, kind: str, row: DocumentRow) -> bool:
    """Repair it, unless that was done meanwhile, or cannot be."""
    match kind:
        case "rows_left":
            if row.id not in _with_rows_left(session, [row.id]):
                return False
            # A tombstone does not tell any more whether there were points.
            row.points_lag = row.points_lag or row.deleted_at is not None
            settle_soon(session, work.dispatcher, row)
        case "parts_without_document":
            if row.id not in _without_parent(session, [row.id]):
                return False
            try:
                delete_documents(session, work.dispatcher, work.policy, row.workspace_id, [row.id])
            except UnderLegalHold:
                return False
        case "passages_lost":
            if row.id not in _without_passages(session, [row.id]):
                return False
            try:
                reindex(session, work.dispatcher, work.policy, row)
            except Conflict:
                _log.warning("reconcile.bytes_missing", document=row.id)
                return False
        case "readers_differed":
            if row.id not in _with_other_readers(session, [row.id]):
                return False
            session.exec(delete(DocumentGroupRow).where(col(DocumentGroupRow.document_id) == row.id))
            session.add_all(DocumentGroupRow(document_id=row.id, name=one) for one in row.reader_groups or ())
            bring_points_up_to_date(session, work.dispatcher, row)
            raise_generation(session, row.workspace_id)
        case "kept_texts_differed":
            return count_again(session, row.id)
    return True


def _with_rows_left(session: ReadSession | WriteSession, ids: Sequence[str]) -> set[str]:
    """Documents that nobody settles, though they have rows that no version in use needs."""
    gone = col(DocumentRow.deleted_at).is_not(None)
    of_document = [
        select(table.document_id).where(col(table.document_id) == col(DocumentRow.id)).exists()
        for table in (ChunkRow, VersionRow, FactRow, SummaryRow, FactJobRow)
    ]
    superseded = and_(
        col(ChunkRow.document_id) == col(DocumentRow.id),
        col(ChunkRow.retired_at).is_(None),
        col(ChunkRow.version) != col(DocumentRow.version),
        col(ChunkRow.version).is_distinct_from(col(DocumentRow.live_version)),
    )
    left = or_(
        and_(gone, or_(col(DocumentRow.status) == "deleting", *of_document)),
        and_(~gone, select(ChunkRow.chunk_id).where(superseded).exists()),
    )
    unsettled = col(DocumentRow.id).in_(ids), col(DocumentRow.settle_at).is_(None)
    return {
        *session.exec(select(DocumentRow.id).where(*unsettled, left)),
        *_with_dead_facts(session, unsettled),
    }


def _with_dead_facts(
    session: ReadSession | WriteSession, chosen: tuple[ColumnElement[bool], ...]
) -> set[str]:
    """Documents that have facts of passages which are no more. Work on facts ends those of its document."""
    live = select(ChunkRow.chunk_id).where(facts.LIVE).correlate(FactRow, DocumentRow)
    statement = (
        select(FactRow.document_id)
        .join(DocumentRow, col(DocumentRow.id) == col(FactRow.document_id))
        .join(FactJobRow, col(FactJobRow.document_id) == col(FactRow.document_id))
        .where(*chosen, col(FactJobRow.status) != "queued", ~live.exists())
    )
    return set(session.exec(statement.distinct()))


def _without_parent(session: ReadSession | WriteSession, ids: Sequence[str]) -> set[str]:
    """Parts of documents that are deleted, or were so long ago that their rows are gone."""
    parent = aliased(DocumentRow)
    alive = select(parent.id).where(
        col(parent.id) == col(DocumentRow.parent_id), col(parent.deleted_at).is_(None)
    )
    statement = select(DocumentRow.id).where(
        col(DocumentRow.id).in_(ids),
        col(DocumentRow.deleted_at).is_(None),
        col(DocumentRow.parent_id).is_not(None),
        col(DocumentRow.legal_hold).is_(False),
        ~alive.exists(),
    )
    return set(session.exec(statement))


def _without_passages(session: ReadSession | WriteSession, ids: Sequence[str]) -> set[str]:
    """Documents of which fewer passages are there than were indexed."""
    there = (
        select(func.count())
        .select_from(ChunkRow)
        .where(
            col(ChunkRow.document_id) == col(DocumentRow.id),
            col(ChunkRow.version) == col(DocumentRow.live_version),
            col(ChunkRow.retired_at).is_(None),
        )
        .correlate(DocumentRow)
        .scalar_subquery()
    )
    statement = select(DocumentRow.id).where(
        col(DocumentRow.id).in_(ids),
        col(DocumentRow.deleted_at).is_(None),
        col(DocumentRow.status) == "indexed",
        col(DocumentRow.chunk_count) > there,
    )
    return set(session.exec(statement))


def _with_other_readers(session: ReadSession | WriteSession, ids: Sequence[str]) -> set[str]:
    """Documents whose groups by which readers are compared are not those that the source has named."""
    found: dict[str, set[str]] = defaultdict(set)
    groups = select(DocumentGroupRow).where(col(DocumentGroupRow.document_id).in_(ids))
    for group in session.exec(groups):
        found[group.document_id].add(group.name)
    said = select(DocumentRow.id, DocumentRow.reader_groups).where(
        col(DocumentRow.id).in_(ids), col(DocumentRow.deleted_at).is_(None)
    )
    return {document for document, named in session.exec(said) if set(named or ()) != found[document]}
