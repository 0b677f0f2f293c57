"""The end of a run: what it has not seen is gone at the source, and goes here, unless that is too much."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, and_, func, or_, update
from sqlmodel import col, delete, select

from footnote_ingest.connectors.ending import end_run
from footnote_ingest.connectors.portion import gone_in
from footnote_ingest.connectors.run_lease import RunLease
from footnote_ingest.documents.delete import delete_documents
from footnote_ingest.documents.paths import has_controls
from footnote_ingest.store.connector_tables import ConnectorItemRow, ConnectorRunRow
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work.resources import WorkResources
from footnote_shared.contracts.connectors import RunStatus
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.clock import now

_AT_ONCE = 200


def mark_listed(session: WriteSession, run: ConnectorRunRow, ids: Sequence[str]) -> None:
    """Note that these items are there. An id that cannot be written down is that of no item."""
    written = [item_id for item_id in ids if not has_controls(item_id)]
    session.exec(
        update(ConnectorItemRow)
        .where(
            col(ConnectorItemRow.connector_id) == run.connector_id,
            col(ConnectorItemRow.item_id).in_(written),
            # What the source called removed in this very run is not there, whatever its listing says.
            or_(col(ConnectorItemRow.revision).is_(None), col(ConnectorItemRow.revision) != gone_in(run)),
        )
        .values(seen_in=run.id, touched_at=now())
    )


def remove_vanished(work: WorkResources, lease: RunLease, share: float, *, all_unseen: bool) -> None:
    """Delete the documents of items that are gone, and end the run.

    Without `all_unseen` only those go that the source has called removed. If more than `share` of the
    connector's documents would go and nobody has confirmed that, none goes, and the run is held.
    """
    more = True
    while more:
        with lease.commit_both() as (session, run, connector):
            gone = _gone(run, all_unseen=all_unseen)
            vanished, alive = _count(session, run, gone), _count(session, run)
            allowed = run.may_delete - run.deleted if run.may_delete is not None else int(share * alive)
            held = vanished > allowed
            more = not held and _delete_some(session, work, run, gone)
            if not more:
                if not held:
                    # The run that confirms has to look at all that this one has looked at.
                    connector.cursor = run.next_cursor
                run.would_delete = vanished if held else None
                reason = _held(vanished, alive) if held else None
                status: RunStatus = "held" if held else "succeeded"
                end_run(session, work.dispatcher, connector, run, status, reason)


def _delete_some(
    session: WriteSession, work: WorkResources, run: ConnectorRunRow, gone: ColumnElement[bool]
) -> bool:
    """Delete some of the documents, and forget their items; return whether there are more."""
    rows = list(session.exec(select(ConnectorItemRow).where(gone).limit(_AT_ONCE)))
    run.deleted += _delete(session, work, run, [row.document_id for row in rows if row.document_id])
    session.exec(
        delete(ConnectorItemRow).where(
            col(ConnectorItemRow.connector_id) == run.connector_id,
            col(ConnectorItemRow.item_id).in_([row.item_id for row in rows]),
        )
    )
    return len(rows) == _AT_ONCE


def _gone(run: ConnectorRunRow, *, all_unseen: bool) -> ColumnElement[bool]:
    seen_in, revision = col(ConnectorItemRow.seen_in), col(ConnectorItemRow.revision)
    called = and_(revision == gone_in(run), seen_in.is_(None))
    unseen = or_(seen_in.is_(None), seen_in != run.id)
    return and_(col(ConnectorItemRow.connector_id) == run.connector_id, unseen if all_unseen else called)


def _count(session: WriteSession, run: ConnectorRunRow, which: ColumnElement[bool] | None = None) -> int:
    """How many documents of the connector are alive, or those of some of its items."""
    statement = (
        select(func.count())
        .select_from(ConnectorItemRow)
        .join(DocumentRow, col(DocumentRow.id) == col(ConnectorItemRow.document_id))
        .where(col(ConnectorItemRow.connector_id) == run.connector_id, col(DocumentRow.deleted_at).is_(None))
    )
    return session.exec(statement if which is None else statement.where(which)).one()


def _delete(session: WriteSession, work: WorkResources, run: ConnectorRunRow, ids: list[str]) -> int:
    """Delete the documents that are alive; return how many. Their parts go along and are not counted.

    What is under legal hold stays.
    """
    alive = select(DocumentRow.id).where(
        col(DocumentRow.id).in_(ids),
        col(DocumentRow.deleted_at).is_(None),
        col(DocumentRow.legal_hold).is_(False),
    )
    found = list(session.exec(alive))
    delete_documents(session, work.dispatcher, work.policy, run.workspace_id, found)
    return len(found)


def _held(vanished: int, alive: int) -> str:
    return (
        f"{vanished} of {alive} documents are gone at the source. Nothing was deleted. Look whether the "
        "source is complete, and confirm this run if it is."
    )
