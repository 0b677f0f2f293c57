"""Titles and folders by the names that a person writes."""

from sqlalchemy import or_
from sqlmodel import col, select

from footnote_ingest.store.letter_case import composed, folded, has_name
from footnote_ingest.store.scope import visible_documents, visible_folders
from footnote_ingest.store.tables import ROOT, DocumentRow, FolderRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession


def documents_titled(session: ReadSession, principal: Principal, names: list[str], limit: int) -> list[str]:
    """Ids of documents with one of the names in their title or file name, newest first, up to `limit`."""
    fields = col(DocumentRow.title), col(DocumentRow.filename)
    named = or_(*(has_name(fields, name) for name in names))
    statement = select(DocumentRow.id).where(visible_documents(principal), named)
    return list(session.exec(statement.order_by(col(DocumentRow.id).desc()).limit(limit)))


def folders_named(session: ReadSession, principal: Principal, names: list[str], limit: int) -> list[str]:
    """Ids of folders by path: `/reports/2026` is that one, `2026` is each one of that name."""
    wanted = []
    for name in names:
        path, text = folded(col(FolderRow.path), composed(name))
        parts = [part.strip() for part in text.split(ROOT) if part.strip()]
        whole = ROOT + ROOT.join(parts)
        wanted.append(path == whole)
        if not name.startswith(ROOT):
            wanted.append(path.endswith(whole, autoescape=True))
    statement = select(FolderRow.id).where(visible_folders(principal), or_(*wanted))
    return list(session.exec(statement.order_by(col(FolderRow.path)).limit(limit)))
