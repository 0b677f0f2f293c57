"""Documents as clients see them: what is shown of each, read as plain columns.

Clients that wait for their documents ask for hundreds of them again and again, and rows that pass through the
ORM take three times as long.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Select, bindparam
from sqlalchemy import select as select_columns
from sqlalchemy.orm import class_mapper
from sqlmodel import col

from footnote_ingest.store.scope import CallerToCome, visible_documents
from footnote_ingest.store.tables import ROOT, DocumentRow, FolderRow
from footnote_shared.contracts.documents import SourceType, Status, Visibility
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession


class ShownColumns(NamedTuple):
    """The columns of `DocumentRow` of the same names."""

    id: str
    workspace_id: str
    avatar_id: str
    visibility: Visibility
    title: str
    filename: str
    mime: str
    language: str | None
    size: int
    sha256: str
    source_type: SourceType
    folder_id: str | None
    external_id: str | None
    status: Status
    error_stage: Status | None
    error_code: str | None
    error_reason: str | None
    error_retryable: bool | None
    version: int
    live_version: int | None
    open_from: int
    chunk_count: int
    url: str | None
    connector_id: str | None
    reader_groups: list[str] | None
    legal_hold: bool
    session_id: str | None
    expires_at: datetime | None
    attributes: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    indexed_at: datetime | None


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """What is shown of a document, and the path of its folder."""

    row: ShownColumns
    folder: str


def get_many(session: ReadSession, principal: Principal, ids: Sequence[str]) -> list[ShownDocument]:
    """Those of the documents that are visible, in the order of `ids`."""
    if not ids:
        return []
    statement = _of_ids(in_groups=bool(principal.groups), in_session=principal.session_id is not None)
    found: dict[str, ShownDocument] = {}
    given = {**CallerToCome.named(principal), "documents": ids}
    for *values, path in session.connection().execute(statement, given):
        row = ShownColumns(*values)
        found[row.id] = ShownDocument(row, path or ROOT)
    return [found[document_id] for document_id in ids if document_id in found]


@cache
def _of_ids(*, in_groups: bool, in_session: bool) -> Select[Any]:
    """To build it takes longer than to read a few documents."""
    caller = CallerToCome.make(in_groups=in_groups, in_session=in_session)
    attributes = class_mapper(DocumentRow).columns
    return (
        select_columns(*(attributes[name] for name in ShownColumns._fields), col(FolderRow.path))
        .outerjoin(FolderRow, col(FolderRow.id) == col(DocumentRow.folder_id))
        .where(
            col(DocumentRow.id).in_(bindparam("documents", expanding=True)),
            visible_documents(caller),
        )
    )
