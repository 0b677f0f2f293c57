"""Folders: from a path to its row, which is made if it is missing."""

from collections.abc import Iterable, Sequence

from sqlalchemy import func
from sqlmodel import col, delete, select

from footnote_ingest.store.scope import at_or_below, visible_documents, visible_folders
from footnote_ingest.store.tables import ROOT, DocumentRow, FolderRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.contracts.memory import MEMORY_MARK, is_memory
from footnote_shared.db.engine import ReadSession, WriteSession, lock_for_transaction
from footnote_shared.kernel.errors import NotFound
from footnote_shared.kernel.ids import is_id, new_id


def ancestors(path: str) -> list[str]:
    """The path itself and every path above it but the root, outermost first."""
    parts = path.strip(ROOT).split(ROOT) if path != ROOT else []
    return [ROOT + ROOT.join(parts[: depth + 1]) for depth in range(len(parts))]


def ensure(session: WriteSession, workspace_id: str, path: str) -> FolderRow | None:
    """The folder of this path, made with all folders above it if it is missing; None for the root.

    The row is locked until the transaction ends, so that nobody deletes the folder meanwhile.
    """
    if path == ROOT:
        return None
    found = _by_path(session, workspace_id, path)
    if found is not None:
        return found
    lock_for_transaction(session, "folders", workspace_id)
    parent: FolderRow | None = None
    for step in ancestors(path):
        row = _by_path(session, workspace_id, step)
        if row is None:
            row = FolderRow(
                id=new_id(), workspace_id=workspace_id, path=step, parent_id=parent.id if parent else None
            )
            session.add(row)
            session.flush()
        parent = row
    return parent


def path_of(session: ReadSession | WriteSession, folder_id: str | None) -> str:
    """The path of a folder; the root if there is no such folder."""
    row = session.get(FolderRow, folder_id) if folder_id is not None else None
    return row.path if row is not None else ROOT


def get(
    session: ReadSession | WriteSession, principal: Principal, folder_id: str, *, lock: bool = False
) -> FolderRow:
    """The folder; raises NotFound for one that is not there or not the caller's, and for what is no id."""
    if not is_id(folder_id):
        raise NotFound
    statement = select(FolderRow).where(col(FolderRow.id) == folder_id, visible_folders(principal))
    row = session.exec(statement.with_for_update() if lock else statement).first()
    if row is None:
        raise NotFound
    return row


def page(
    session: ReadSession, principal: Principal, within: str, limit: int, after: str | None
) -> list[FolderRow]:
    """A folder and those below it, by path."""
    statement = select(FolderRow).where(visible_folders(principal))
    if within != ROOT:
        statement = statement.where(at_or_below(within))
    if after is not None:
        statement = statement.where(col(FolderRow.path) > after)
    return list(session.exec(statement.order_by(col(FolderRow.path)).limit(limit)))


def document_counts(
    session: ReadSession | WriteSession, principal: Principal, folder_ids: Sequence[str]
) -> dict[str, int]:
    """How many documents lie directly in each folder and are visible to the caller."""
    statement = (
        select(DocumentRow.folder_id, func.count())
        .where(col(DocumentRow.folder_id).in_(folder_ids), visible_documents(principal))
        .group_by(col(DocumentRow.folder_id))
    )
    return {str(folder_id): int(count) for folder_id, count in session.exec(statement)}


def below(session: WriteSession, folder: FolderRow) -> list[FolderRow]:
    """The folder and all folders below it, locked until the transaction ends."""
    statement = select(FolderRow).where(
        col(FolderRow.workspace_id) == folder.workspace_id, at_or_below(folder.path)
    )
    return list(session.exec(statement.order_by(col(FolderRow.id)).with_for_update()))


def ids_of_path(session: ReadSession, workspace_id: str, path: str) -> list[str]:
    """Ids of the folder and all its ancestors, outermost first, as points carry them.

    The mark of memory stands behind those of memory.
    """
    paths = ancestors(path)
    if not paths:
        return []
    statement = select(FolderRow.id).where(
        col(FolderRow.workspace_id) == workspace_id, col(FolderRow.path).in_(paths)
    )
    mark = [MEMORY_MARK] if is_memory(path) else []
    return [*session.exec(statement.order_by(col(FolderRow.path))), *mark]


def of_documents(
    session: ReadSession, principal: Principal, document_ids: Iterable[str]
) -> dict[str, list[str]]:
    """The folder of each document that the caller sees, with all above it; none for one in the root."""
    lies_in = (
        select(DocumentRow.id, FolderRow.path)
        .join(FolderRow, col(FolderRow.id) == col(DocumentRow.folder_id))
        .where(col(DocumentRow.id).in_(sorted(set(document_ids))), visible_documents(principal))
    )
    paths = {str(document): str(path) for document, path in session.exec(lies_in)}
    steps = sorted({step for path in paths.values() for step in ancestors(path)})
    named = select(FolderRow.path, FolderRow.id).where(
        col(FolderRow.workspace_id) == principal.workspace_id, col(FolderRow.path).in_(steps)
    )
    ids = {str(path): str(folder_id) for path, folder_id in session.exec(named)} if steps else {}
    return {
        document: [ids[step] for step in ancestors(path) if step in ids] for document, path in paths.items()
    }


def without_documents(session: WriteSession, rows: Sequence[FolderRow]) -> list[FolderRow]:
    """Those of the folders that hold no document, directly or further below, whoever may see it."""
    inside = select(DocumentRow.folder_id).where(
        col(DocumentRow.folder_id).in_([row.id for row in rows]), col(DocumentRow.deleted_at).is_(None)
    )
    held = set(session.exec(inside.distinct()))
    needed = {step for row in rows if row.id in held for step in ancestors(row.path)}
    return [row for row in rows if row.path not in needed]


def drop(session: WriteSession, rows: Sequence[FolderRow]) -> None:
    """Delete folders, the deepest first: a folder refers to the one above it."""
    for row in sorted(rows, key=lambda r: r.path.count(ROOT), reverse=True):
        session.exec(delete(FolderRow).where(col(FolderRow.id) == row.id))


def _by_path(session: WriteSession, workspace_id: str, path: str) -> FolderRow | None:
    statement = select(FolderRow).where(
        col(FolderRow.workspace_id) == workspace_id, col(FolderRow.path) == path
    )
    return session.exec(statement.with_for_update(read=True, key_share=True)).first()
