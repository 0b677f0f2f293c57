"""Facts in SQL: who waits to be read, what a caller sees, and what goes with its document.

A fact is shown while its passage is live with the text that was read, in a document that the caller sees. So
a document that changes, is hidden or goes takes its facts along at the same moment.
"""

from collections.abc import Collection, Sequence

from sqlalchemy import and_
from sqlmodel import col, delete, select

from footnote_ingest.store import summaries
from footnote_ingest.store.fact_tables import FactJobRow, FactRow
from footnote_ingest.store.scope import visible_documents
from footnote_ingest.store.tables import ChunkRow, DocumentRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.kernel.clock import now

_CLASSIFICATION = "classification"
_LONGEST_CLASSIFICATION = 100

LIVE = and_(
    col(DocumentRow.id) == col(FactRow.document_id),
    col(DocumentRow.deleted_at).is_(None),
    col(ChunkRow.document_id) == col(FactRow.document_id),
    col(ChunkRow.chunk_id) == col(FactRow.chunk_id),
    col(ChunkRow.embed_hash) == col(FactRow.chunk_hash),
    col(ChunkRow.version) == col(DocumentRow.live_version),
    col(ChunkRow.retired_at).is_(None),
)


def classification_of(row: DocumentRow) -> str | None:
    """What a document's metadata says under `classification`; None for what is no short text.

    What was uploaded for one session has none: nobody reads it but whoever is in the session.
    """
    said = row.attributes.get(_CLASSIFICATION) if row.session_id is None else None
    if not isinstance(said, str) or not 0 < len(said) <= _LONGEST_CLASSIFICATION or "\0" in said:
        return None
    return said


def note_live(session: WriteSession, rows: Sequence[DocumentRow]) -> bool:
    """Queue what is to be read of these documents: their live version or their classification is another one.

    The rows are locked. Whoever reads facts of the version before loses the lease. With its classification a
    document loses its facts; returns whether that happened, so that their points go too.
    """
    if not rows:
        return False
    found = select(FactJobRow).where(col(FactJobRow.document_id).in_([row.id for row in rows]))
    jobs = {job.document_id: job for job in session.exec(found.with_for_update())}
    dropped = False
    for row in rows:
        said, job = classification_of(row) or "", jobs.get(row.id)
        if row.live_version is None or (job is None and not said):
            continue
        if job is None:
            job = FactJobRow(
                document_id=row.id, workspace_id=row.workspace_id, classification=said, version=0
            )
        if job.classification != said:
            session.exec(delete(FactRow).where(col(FactRow.document_id) == row.id))
            summaries.drop(session, [row.id])
            job.passages, dropped = None, True
        if (job.classification, job.version) != (said, row.live_version):
            job.classification, job.version = said, row.live_version
            queue_again(job)
            session.add(job)
    return dropped


def queue_again(job: FactJobRow) -> None:
    """Have it read anew, with a full number of tries, by whoever takes it next."""
    job.status, job.reason = "queued", None
    job.attempts = 0
    job.available_at = now()
    job.dispatched_at = job.lease_token = job.lease_until = None


def of_document(session: ReadSession | WriteSession, document_id: str) -> list[FactRow]:
    """All facts of a document, whether they are shown or not, in their order."""
    statement = select(FactRow).where(col(FactRow.document_id) == document_id)
    return list(session.exec(statement.order_by(col(FactRow.ordinal), col(FactRow.id))))


def ids_of_document(session: ReadSession | WriteSession, document_id: str) -> set[str]:
    """The ids of all facts of a document."""
    return set(session.exec(select(FactRow.id).where(col(FactRow.document_id) == document_id)))


def live_of_document(session: ReadSession, principal: Principal, document_id: str) -> list[FactRow]:
    """The facts of a document that the caller is shown, in their order."""
    statement = (
        select(FactRow)
        .join(DocumentRow, col(DocumentRow.id) == col(FactRow.document_id))
        .join(ChunkRow, LIVE)
        .where(col(FactRow.document_id) == document_id, visible_documents(principal))
    )
    return list(session.exec(statement.order_by(col(FactRow.ordinal), col(FactRow.id))))


def live_by_id(
    session: ReadSession, principal: Principal, ids: Sequence[str], allowed: Collection[str]
) -> list[FactRow]:
    """Those of the facts that the caller is shown, of documents with one of the allowed classifications."""
    job = col(FactJobRow.document_id) == col(FactRow.document_id)
    statement = (
        select(FactRow)
        .join(DocumentRow, col(DocumentRow.id) == col(FactRow.document_id))
        .join(ChunkRow, LIVE)
        .join(FactJobRow, and_(job, col(FactJobRow.classification).in_(sorted(allowed))))
        .where(col(FactRow.id).in_(ids), visible_documents(principal))
    )
    return list(session.exec(statement))


def live_of_groups(
    session: ReadSession, principal: Principal, group_ids: Sequence[str], limit: int
) -> list[tuple[str, str, str, str]]:
    """Group, document, chunk and title of all facts of these groups that the caller is shown."""
    statement = (
        select(FactRow.group_id, FactRow.document_id, FactRow.chunk_id, DocumentRow.title)
        .join(DocumentRow, col(DocumentRow.id) == col(FactRow.document_id))
        .join(ChunkRow, LIVE)
        .where(
            col(FactRow.workspace_id) == principal.workspace_id,
            col(FactRow.group_id).in_(group_ids),
            visible_documents(principal),
        )
        .order_by(col(FactRow.id))
        .limit(limit)
    )
    return list(session.exec(statement).all())


def live_among(
    session: ReadSession | WriteSession, workspace_id: str, ids: Sequence[str]
) -> list[tuple[str, str, DocumentRow]]:
    """Id, group and document of those of the facts that are live, whoever sees them. For decisions only."""
    statement = (
        select(FactRow.id, FactRow.group_id, DocumentRow)
        .join(DocumentRow, col(DocumentRow.id) == col(FactRow.document_id))
        .join(ChunkRow, LIVE)
        .where(col(FactRow.workspace_id) == workspace_id, col(FactRow.id).in_(ids))
    )
    return list(session.exec(statement).all())


def drop_document(session: WriteSession, document_id: str) -> int:
    """Delete the facts of a document, its summary and the work on them; return how many facts there were."""
    summaries.drop(session, [document_id])
    session.exec(delete(FactJobRow).where(col(FactJobRow.document_id) == document_id))
    return session.exec(delete(FactRow).where(col(FactRow.document_id) == document_id)).rowcount


def drop(session: WriteSession, ids: Collection[str]) -> None:
    """Delete these facts."""
    chosen = delete(FactRow).where(col(FactRow.id).in_(sorted(ids)))
    session.exec(chosen.execution_options(synchronize_session=False))


def drop_dead(session: WriteSession, document_id: str) -> None:
    """Delete those facts of a document whose passage is no longer live with the text that was read."""
    live = (
        select(FactRow.id)
        .join(DocumentRow, col(DocumentRow.id) == col(FactRow.document_id))
        .join(ChunkRow, LIVE)
        .where(col(FactRow.document_id) == document_id)
    )
    dead = col(FactRow.document_id) == document_id, col(FactRow.id).not_in(live)
    session.exec(delete(FactRow).where(*dead).execution_options(synchronize_session=False))


def has_work(session: ReadSession, document_id: str) -> bool:
    """Whether facts of the document were ever to be read, so that it may have points of facts."""
    return session.get(FactJobRow, document_id) is not None
