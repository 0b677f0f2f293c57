"""Points that tell an earlier folder or other readers of their document than SQL does.

SQL decides what is shown, so nobody is shown too much by them. But a search by a folder or by a group passes
them over. They differ where SQL was brought back to an earlier moment than the vectors.
"""

from collections.abc import Collection, Sequence

from sqlmodel import col, select

from footnote_ingest.documents.access import bring_points_up_to_date
from footnote_ingest.store import folders
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work.resources import WorkResources
from footnote_shared.db.engine import Database
from footnote_shared.vectors.protocol import PointRef
from footnote_shared.vectors.visibility import groups_of, is_for_all


def outdated(database: Database, page: Sequence[PointRef]) -> set[str]:
    """The documents of these points that are to be told anew. Where that is under way already is left out."""
    told: dict[str, set[tuple[frozenset[str], frozenset[str], bool]]] = {}
    for ref in page:
        said = frozenset(ref.folder_ids), frozenset(ref.groups), ref.is_public
        told.setdefault(ref.document_id, set()).add(said)
    found: set[str] = set()
    paths: dict[str | None, list[str]] = {}
    with database.read() as session:
        settled = select(DocumentRow).where(
            col(DocumentRow.id).in_(list(told)),
            col(DocumentRow.points_lag).is_(False),
            col(DocumentRow.deleted_at).is_(None),
        )
        for row in session.exec(settled):
            if row.folder_id not in paths:
                path = folders.path_of(session, row.folder_id)
                paths[row.folder_id] = folders.ids_of_path(session, row.workspace_id, path)
            groups = frozenset(groups_of(row.visibility, row.avatar_id, row.reader_groups))
            is_public = is_for_all(row.visibility, row.is_public)
            if told[row.id] != {(frozenset(paths[row.folder_id]), groups, is_public)}:
                found.add(row.id)
    return found


def tell_anew(work: WorkResources, documents: Collection[str]) -> int:
    """Have the points of these documents told what SQL says; return of how many."""
    count = 0
    for document_id in sorted(documents):
        with work.database.write() as session:
            row = session.get(DocumentRow, document_id, with_for_update=True)
            if row is not None and row.deleted_at is None and not row.points_lag:
                bring_points_up_to_date(session, work.dispatcher, row)
                count += 1
    return count
