"""Reading documents as a caller sees them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, func, not_, or_, text
from sqlalchemy import select as sql_select
from sqlalchemy.orm import Mapped, class_mapper
from sqlmodel import col, select
from sqlmodel.sql.expression import SelectOfScalar

from footnote_ingest.store.letter_case import has_name
from footnote_ingest.store.on_the_spot import AT_ONCE, named_at_once, padded
from footnote_ingest.store.scope import CallerToCome, at_or_below, shared_with, visible_documents
from footnote_ingest.store.tables import ROOT, UNENDED, DocumentRow, FolderRow, TimelineRow, VersionRow
from footnote_shared.contracts.documents import SourceType, Status
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database, ReadSession, WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import NotFound
from footnote_shared.kernel.ids import is_id


@dataclass(frozen=True, slots=True)
class DocumentInFolder:
    """A document and the path of its folder."""

    row: DocumentRow
    folder: str


@dataclass(frozen=True, slots=True)
class Listing:
    """What a listing is restricted to.

    `folder` includes everything below it, unless `directly`. A document matches if its source type or its
    media type is among those given. Its id begins or ends with `part_of_id`, and `owner` is the avatar that
    owns it.
    """

    folder: str = ROOT
    directly: bool = False
    source_types: frozenset[SourceType] = frozenset()
    mimes: frozenset[str] = frozenset()
    statuses: frozenset[Status] = frozenset()
    created_from: datetime | None = None
    created_to: datetime | None = None
    text: str | None = None
    part_of_id: str | None = None
    owner: str | None = None


def get(
    session: ReadSession | WriteSession, principal: Principal, document_id: str, *, lock: bool = False
) -> DocumentInFolder:
    """The document.

    Raises NotFound if it is not there, deleted or not visible to the caller, and for what is no id.
    """
    if not is_id(document_id):
        raise NotFound
    statement = (
        select(DocumentRow, FolderRow.path)
        .outerjoin(FolderRow, col(FolderRow.id) == col(DocumentRow.folder_id))
        .where(col(DocumentRow.id) == document_id, visible_documents(principal))
    )
    if lock:
        statement = statement.with_for_update(of=DocumentRow)
    found = session.exec(statement).first()
    if found is None:
        raise NotFound
    return DocumentInFolder(found[0], found[1] or ROOT)


def statuses(session: ReadSession, principal: Principal, ids: Sequence[str]) -> dict[str, str]:
    """The status of each of the documents that is visible. Cheap: nothing else is read."""
    statement = select(DocumentRow.id, DocumentRow.status).where(
        col(DocumentRow.id).in_(ids), visible_documents(principal)
    )
    return dict(session.exec(statement).all())


def page(
    session: ReadSession, principal: Principal, listing: Listing, limit: int, after: str | None
) -> list[DocumentInFolder]:
    """A page of documents, newest first: ids sort by the time at which they were made.

    `after` is the last id of the page before.
    """
    statement = (
        select(DocumentRow, FolderRow.path)
        .outerjoin(FolderRow, col(FolderRow.id) == col(DocumentRow.folder_id))
        .where(visible_documents(principal))
    )
    if after is not None:
        statement = statement.where(col(DocumentRow.id) < after)
    if listing.directly:
        inside = col(FolderRow.path) == listing.folder
        statement = statement.where(col(FolderRow.id).is_(None) if listing.folder == ROOT else inside)
    elif listing.folder != ROOT:
        statement = statement.where(at_or_below(listing.folder))
    if listing.source_types or listing.mimes:
        by_origin = col(DocumentRow.source_type).in_(listing.source_types)
        statement = statement.where(or_(by_origin, col(DocumentRow.mime).in_(listing.mimes)))
    if listing.statuses:
        statement = statement.where(col(DocumentRow.status).in_(listing.statuses))
    if listing.created_from is not None:
        statement = statement.where(col(DocumentRow.created_at) >= listing.created_from)
    if listing.created_to is not None:
        statement = statement.where(col(DocumentRow.created_at) <= listing.created_to)
    if listing.part_of_id is not None:
        part = listing.part_of_id
        statement = statement.where(
            or_(col(DocumentRow.id).startswith(part), col(DocumentRow.id).endswith(part))
        )
    if listing.owner is not None:
        statement = statement.where(col(DocumentRow.avatar_id) == listing.owner)
    if listing.text:
        fields = col(DocumentRow.title), col(DocumentRow.filename)
        statement = statement.where(has_name(fields, listing.text))
    rows = session.exec(statement.order_by(col(DocumentRow.id).desc()).limit(limit))
    return [DocumentInFolder(row, path or ROOT) for row, path in rows]


def by_identity(
    session: ReadSession | WriteSession, workspace_id: str, *identities: str, lock: bool = False
) -> dict[str, DocumentRow]:
    """The documents with these identities, by identity. They are given in their stored form."""
    given = {"workspace_id": workspace_id, "identities": identities}
    rows = session.exec(_of_identities(lock=lock), params=given)
    return {row.identity: row for row in rows}


def taken_among(session: WriteSession, workspace_id: str, identities: Collection[str]) -> set[str]:
    """Those of the identities, in their stored form, that a document has."""
    given = {"workspace_id": workspace_id, "identities": identities}
    return set(session.connection().execute(_taken(), given).scalars())


@cache
def _taken() -> Select[Any]:
    """To build it takes as long as to run it."""
    table = class_mapper(DocumentRow).local_table.c
    return sql_select(table.identity).where(
        table.workspace_id == bindparam("workspace_id"),
        table.identity.in_(bindparam("identities", expanding=True)),
        table.deleted_at.is_(None),
    )


@cache
def _of_identities(*, lock: bool) -> SelectOfScalar[DocumentRow]:
    """To build it takes as long as to run it."""
    statement = select(DocumentRow).where(
        col(DocumentRow.workspace_id) == bindparam("workspace_id"),
        col(DocumentRow.identity).in_(bindparam("identities", expanding=True)),
        col(DocumentRow.deleted_at).is_(None),
    )
    # Whoever locks several locks them in the order of their ids.
    return statement.order_by(col(DocumentRow.id)).with_for_update() if lock else statement


def withdrawn_from(
    session: ReadSession, principal: Principal, document_ids: Collection[str]
) -> dict[str, datetime]:
    """Since when which of the documents, deleted ones too, are kept from the principal.

    For decisions only: it must never reach the answer to an API key.
    """
    in_groups, in_session = bool(principal.groups), principal.session_id is not None
    given = {**CallerToCome.named(principal), "documents": [one for one in document_ids if is_id(one)]}
    found = session.connection().execute(_withheld(in_groups=in_groups, in_session=in_session), given)
    return {row.id: row.withheld_at for row in found}


def withdrawn_at_once(
    database: Database, principal: Principal, document_ids: Collection[str]
) -> dict[str, datetime] | None:
    """The same without a session, for few documents on SQLite; None where `withdrawn_from` has to look."""
    named, ids = named_at_once(principal), {one for one in document_ids if is_id(one)}
    if named is None or not 0 < len(ids) <= AT_ONCE:
        return None
    statement = _withheld(in_groups=bool(principal.groups), in_session=False)
    rows = database.rows_at_once(statement, {**named, "documents": padded(ids)})
    return None if rows is None else {row[0]: row[1] for row in rows}


@cache
def _withheld(*, in_groups: bool, in_session: bool) -> Select[Any]:
    """To build it takes longer than to run it."""
    caller = CallerToCome.make(in_groups=in_groups, in_session=in_session)
    told: list[Mapped[Any]] = [col(DocumentRow.id), col(DocumentRow.withheld_at)]
    return sql_select(*told).where(
        col(DocumentRow.workspace_id) == caller.workspace_id,
        col(DocumentRow.id).in_(bindparam("documents", expanding=True)),
        col(DocumentRow.withheld_at).is_not(None),
        not_(shared_with(caller)),
    )


def still_seen(session: ReadSession, principal: Principal, document_id: str) -> DocumentRow | None:
    """A document, also one that is being deleted; None if the caller may not see it."""
    statement = select(DocumentRow).where(col(DocumentRow.id) == document_id, shared_with(principal))
    return session.exec(statement).first()


def live_version(session: ReadSession, row: DocumentRow) -> VersionRow | None:
    """The live version, whose bytes are shown; before there is one, the version that was accepted last."""
    return session.get(VersionRow, (row.id, row.live_version or row.version))


def versions(session: ReadSession, document_id: str, limit: int, since: int) -> list[VersionRow]:
    """The latest versions from `since` on, the newest first."""
    statement = select(VersionRow).where(*_versions_since(document_id, since))
    return list(session.exec(statement.order_by(col(VersionRow.version).desc()).limit(limit)))


def _versions_since(document_id: str, since: int) -> list[ColumnElement[bool]]:
    """All versions where `since` is 0. Else the document was private once, and one that was never live may be
    from then, with a name that others never saw.
    """
    found = [col(VersionRow.document_id) == document_id]
    if since:
        found += [col(VersionRow.version) >= since, col(VersionRow.live_at).is_not(None)]
    return found


def seen_before(session: ReadSession, document_id: str, version: int) -> int | None:
    """The last version before this one that readers have seen."""
    statement = select(func.max(VersionRow.version)).where(
        col(VersionRow.document_id) == document_id,
        col(VersionRow.version) < version,
        col(VersionRow.live_at).is_not(None),
    )
    return session.exec(statement).one()


def first_versions_with(
    session: ReadSession, document_id: str, hashes: set[str], since: int
) -> dict[str, int]:
    """The first version of the document, from `since` on, that had these bytes, by their hash."""
    statement = (
        select(VersionRow.sha256, func.min(VersionRow.version))
        .where(col(VersionRow.sha256).in_(hashes), *_versions_since(document_id, since))
        .group_by(col(VersionRow.sha256))
    )
    return {sha256: int(version) for sha256, version in session.exec(statement)}


def timeline(session: ReadSession, document_id: str, after: int = 0) -> list[TimelineRow]:
    """The rows of a timeline after the given number, in order."""
    statement = select(TimelineRow).where(
        col(TimelineRow.document_id) == document_id, col(TimelineRow.seq) > after
    )
    return list(session.exec(statement.order_by(col(TimelineRow.seq))))


def last_saying(session: ReadSession, document_id: str, details: Sequence[str]) -> int | None:
    """The number of the last row of a timeline that says one of these."""
    statement = select(func.max(TimelineRow.seq)).where(
        col(TimelineRow.document_id) == document_id, col(TimelineRow.detail).in_(details)
    )
    return session.exec(statement).one()


def count_by_status(session: ReadSession, principal: Principal) -> dict[str, int]:
    """How many documents the caller sees, by status."""
    statement = (
        select(DocumentRow.status, func.count())
        .where(visible_documents(principal))
        .group_by(col(DocumentRow.status))
    )
    return {str(status): int(count) for status, count in session.exec(statement)}


def count_chunks(session: ReadSession, principal: Principal) -> int:
    """How many chunks the live versions have that the caller sees."""
    return int(
        session.exec(
            select(func.coalesce(func.sum(DocumentRow.chunk_count), 0)).where(visible_documents(principal))
        ).one()
    )


def chunks_of_workspace(session: ReadSession, workspace_id: str) -> int:
    """How many chunks the live versions of the workspace have."""
    statement = select(func.coalesce(func.sum(DocumentRow.chunk_count), 0)).where(
        col(DocumentRow.workspace_id) == workspace_id, col(DocumentRow.deleted_at).is_(None)
    )
    return int(session.exec(statement).one())


def oldest_waiting_s(session: ReadSession, principal: Principal | None = None) -> float | None:
    """The age in seconds of the oldest accepted version that has not ended; None if all have ended.

    Without a caller, all workspaces count.
    """
    statement = select(func.min(DocumentRow.accepted_at)).where(text(UNENDED))
    if principal is not None:
        statement = statement.where(visible_documents(principal))
    first = session.exec(statement).one()
    return None if first is None else max(0.0, (now() - first).total_seconds())


def bytes_of_workspace(session: ReadSession | WriteSession, workspace_id: str) -> int:
    """The bytes of all files that the object store keeps for the workspace, each counted once."""
    each = (
        select(func.max(VersionRow.size).label("size"))
        .where(col(VersionRow.workspace_id) == workspace_id, col(VersionRow.needs_bytes))
        .group_by(col(VersionRow.sha256))
        .subquery()
    )
    return int(session.exec(select(func.coalesce(func.sum(each.c.size), 0))).one())


def count_of_workspace(session: ReadSession | WriteSession, workspace_id: str) -> int:
    """How many documents the workspace holds."""
    statement = select(func.count()).where(
        col(DocumentRow.workspace_id) == workspace_id, col(DocumentRow.deleted_at).is_(None)
    )
    return int(session.exec(statement).one())
