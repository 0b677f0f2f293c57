"""Texts that a later version replaced or removed: how many are kept, and which go first.

A text lies in the row of the last version that had it, retired. Whoever compares two versions needs the texts
of all versions from the earlier one on, so those of the oldest version go first, and with them the comparison
with it and with each version before it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from sqlalchemy import ColumnElement, LargeBinary, and_, cast, exists, func, or_, update
from sqlalchemy.orm import aliased
from sqlmodel import col, delete, select

from footnote_ingest.store import folders
from footnote_ingest.store.tables import ChunkRow, DocumentRow, VersionRow
from footnote_shared.contracts.memory import is_memory
from footnote_shared.db.engine import Database, ReadSession, WriteSession, lock_for_transaction
from footnote_shared.kernel.clock import now
from footnote_shared.settings.base import Settings

_MIB = 1024 * 1024
_VERSIONS_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class KeptLimits:
    """How many earlier versions of a document keep texts, and how many bytes these may have."""

    versions: int
    bytes_of_document: int
    bytes_of_workspace: int

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """What the operator has set."""
        return cls(
            settings.versions_kept,
            settings.versions_document_mb * _MIB,
            settings.versions_workspace_mb * _MIB,
        )


def retire(session: WriteSession, document: DocumentRow, limits: KeptLimits) -> bool:
    """Clear away the chunks of earlier versions; return whether texts were kept.

    What readers were shown and the live version lacks, or has with another text, is kept as retired. The rest
    is deleted. So each text is there once, in the last version that had it (`documents/compare_versions.py`).
    A document of a session and what was remembered keep nothing, and one under legal hold keeps everything.
    """
    mine = col(ChunkRow.document_id) == document.id
    earlier = col(ChunkRow.version).not_in(
        [v for v in (document.live_version, document.version) if v is not None]
    )
    live = aliased(ChunkRow)
    same = (
        exists()
        .correlate(ChunkRow)
        .where(
            col(live.document_id) == document.id,
            col(live.version) == document.live_version,
            col(live.chunk_id) == col(ChunkRow.chunk_id),
            col(live.text_hash) == col(ChunkRow.text_hash),
            col(ChunkRow.retired_at).is_(None),
        )
    )
    shown = select(VersionRow.version).where(
        col(VersionRow.document_id) == document.id, col(VersionRow.live_at).is_not(None)
    )
    again = or_(same, col(ChunkRow.version).not_in(shown))
    session.exec(delete(ChunkRow).where(mine, earlier, again).execution_options(synchronize_session=False))
    moment = now()
    rest = mine, earlier, col(ChunkRow.retired_at).is_(None)
    session.exec(
        update(ChunkRow).where(*rest).values(retired_at=moment).execution_options(synchronize_session=False)
    )
    _count(session, document.id, moment)
    if document.legal_hold:
        return True
    return _keep_within(session, document, limits)


def first_compared(session: ReadSession | WriteSession, document_id: str) -> int:
    """The first version of which all texts are there, and of each after it."""
    statement = select(func.max(VersionRow.version)).where(
        col(VersionRow.document_id) == document_id, col(VersionRow.texts_gone).is_(True)
    )
    return (session.exec(statement).one() or 0) + 1


def keep_workspace_within(database: Database, workspace_id: str, limits: KeptLimits) -> None:
    """Drop the texts of the versions of the workspace that were live first, until the rest may stay.

    Those of documents under legal hold count and stay.
    """
    kept = and_(col(VersionRow.workspace_id) == workspace_id, col(VersionRow.kept_bytes) > 0)
    free = (
        select(VersionRow.document_id, VersionRow.version, VersionRow.kept_bytes)
        .join(DocumentRow, col(DocumentRow.id) == col(VersionRow.document_id))
        .where(kept, col(DocumentRow.legal_hold).is_(False))
        .order_by(col(VersionRow.live_at), col(VersionRow.document_id), col(VersionRow.version))
        .limit(_VERSIONS_AT_ONCE)
    )
    while True:
        with database.write() as session:
            lock_for_transaction(session, "kept texts", workspace_id)
            total = session.exec(select(func.coalesce(func.sum(VersionRow.kept_bytes), 0)).where(kept)).one()
            over = int(total) - limits.bytes_of_workspace
            oldest = list(session.exec(free)) if over > 0 else []
            for document_id, version, size in oldest:
                if over <= 0:
                    return
                _drop(session, document_id, version)
                over -= size
        if over <= 0 or len(oldest) < _VERSIONS_AT_ONCE:
            return


def differently_counted(session: ReadSession | WriteSession, ids: Sequence[str]) -> set[str]:
    """Documents that keep texts of a version which counts none, or count what is not kept."""
    kept = (
        select(ChunkRow.document_id)
        .where(
            col(ChunkRow.document_id) == col(VersionRow.document_id),
            col(ChunkRow.version) == col(VersionRow.version),
            col(ChunkRow.retired_at).is_not(None),
        )
        .exists()
    )
    differs = or_(and_(kept, col(VersionRow.kept_bytes) == 0), and_(~kept, col(VersionRow.kept_bytes) > 0))
    statement = select(VersionRow.document_id).where(col(VersionRow.document_id).in_(ids), differs)
    return set(session.exec(statement.distinct()))


def count_again(session: WriteSession, document_id: str) -> bool:
    """Count what a document keeps, by its rows; return whether that was another number. It is locked."""
    each = (
        select(ChunkRow.version, func.sum(_bytes(session)))
        .where(col(ChunkRow.document_id) == document_id, col(ChunkRow.retired_at).is_not(None))
        .group_by(col(ChunkRow.version))
    )
    sizes = dict(session.exec(each).all())
    changed = False
    for row in session.exec(select(VersionRow).where(col(VersionRow.document_id) == document_id)):
        size = int(sizes.get(row.version, 0))
        if row.kept_bytes != size:
            # Where texts went unnoticed, neither this version nor one before it can be compared.
            row.texts_gone = row.texts_gone or size == 0
            row.kept_bytes, changed = size, True
            session.add(row)
    return changed


def _count(session: WriteSession, document_id: str, moment: datetime) -> None:
    """Note how many bytes the texts have that were retired at this moment."""
    each = (
        select(ChunkRow.version, func.sum(_bytes(session)))
        .where(col(ChunkRow.document_id) == document_id, col(ChunkRow.retired_at) == moment)
        .group_by(col(ChunkRow.version))
    )
    for version, size in session.exec(each).all():
        row = session.get_one(VersionRow, (document_id, version))
        row.kept_bytes += int(size)
        session.add(row)
    session.flush()


def _bytes(session: WriteSession) -> ColumnElement[int]:
    """Of one row. SQLite counts the characters of a text, unless it is a blob."""
    text, sealed = col(ChunkRow.text), func.coalesce(func.length(col(ChunkRow.sealed)), 0)
    if session.get_bind().dialect.name == "sqlite":
        return func.length(cast(text, LargeBinary)) + sealed
    return func.octet_length(text) + sealed


def _keep_within(session: WriteSession, document: DocumentRow, limits: KeptLimits) -> bool:
    """Drop what the document keeps beyond the limits; return whether something stays."""
    keeps = document.session_id is None and not is_memory(folders.path_of(session, document.folder_id))
    statement = select(VersionRow.version, VersionRow.kept_bytes).where(
        col(VersionRow.document_id) == document.id, col(VersionRow.kept_bytes) > 0
    )
    held = 0
    for count, (version, size) in enumerate(session.exec(statement.order_by(col(VersionRow.version).desc()))):
        held += size
        if not keeps or count >= limits.versions or held > limits.bytes_of_document:
            _drop(session, document.id, version)
            return count > 0
    return held > 0


def _drop(session: WriteSession, document_id: str, last: int) -> None:
    """Drop the texts of this version and of each before it."""
    session.exec(
        delete(ChunkRow)
        .where(
            col(ChunkRow.document_id) == document_id,
            col(ChunkRow.version) <= last,
            col(ChunkRow.retired_at).is_not(None),
        )
        .execution_options(synchronize_session=False)
    )
    session.exec(
        update(VersionRow)
        .where(
            col(VersionRow.document_id) == document_id,
            col(VersionRow.version) <= last,
            col(VersionRow.kept_bytes) > 0,
        )
        .values(kept_bytes=0, texts_gone=True)
        .execution_options(synchronize_session=False)
    )
