"""The versions of a document for its readers: which there were and why, and what changed."""

from footnote_ingest.contracts.versions import (
    MOST_CHANGES,
    ChangedPassage,
    DocumentVersion,
    DocumentVersions,
    VersionCause,
    VersionChanges,
)
from footnote_ingest.documents.compare_versions import ChangedText, KeptText, compare, texts_of
from footnote_ingest.store import chunks, documents
from footnote_ingest.store.kept_texts import first_compared
from footnote_ingest.store.tables import ChunkRow, DocumentRow, VersionRow
from footnote_shared.contracts.place import place_fields
from footnote_shared.db.engine import ReadSession
from footnote_shared.kernel.errors import Conflict, NotFound

MOST_VERSIONS = 100
MOST_TEXTS = 100_000
"""Texts of which one request holds the hashes in memory."""


def versions_of(session: ReadSession, row: DocumentRow, since: int) -> DocumentVersions:
    """The latest versions of the document from `since` on, the newest first."""
    rows = documents.versions(session, row.id, MOST_VERSIONS + 1, since)
    firsts = documents.first_versions_with(session, row.id, {one.sha256 for one in rows}, since)
    kept = first_compared(session, row.id)
    befores: list[VersionRow | None] = [*rows[1:], None]
    items = [
        _shown(new, _cause(new, old, firsts[new.sha256]), row, kept, since)
        for new, old in zip(rows, befores, strict=True)
    ]
    return DocumentVersions(items=items[:MOST_VERSIONS])


def changes_between(
    session: ReadSession, row: DocumentRow, before: int | None, after: int | None, since: int
) -> VersionChanges:
    """What `after` changed of `before`: the live version of the one before it, unless others are named.

    Raises NotFound where one of them is older than `since`, was never live, or is no longer kept.
    """
    after = after or row.live_version
    before = before or (documents.seen_before(session, row.id, after) if after is not None else None)
    if before is None or after is None or min(before, after) < max(since, first_compared(session, row.id)):
        raise NotFound
    rows = [KeptText(*kept) for kept in chunks.kept_texts(session, row.id, MOST_TEXTS + 1)]
    if len(rows) > MOST_TEXTS:
        raise Conflict("The document has too many passages for its versions to be compared.")
    old, new = (_texts(session, row, number, rows) for number in (before, after))
    compared = compare(old, new)
    chosen = compared.differences[:MOST_CHANGES]
    wanted = {(side.chunk_id, side.version) for one in chosen for side in (one.before, one.after) if side}
    found = chunks.texts(session, row.id, wanted)
    items = [shown for one in chosen if (shown := _passage(one, found)) is not None]
    return VersionChanges(
        before=before,
        after=after,
        unchanged=compared.unchanged + len(chosen) - len(items),
        items=items,
        more=len(compared.differences) - len(chosen),
    )


def _cause(new: VersionRow, old: VersionRow | None, first_with_these_bytes: int) -> VersionCause:
    if old is None or old.sha256 != new.sha256:
        return "uploaded" if first_with_these_bytes == new.version else "restored"
    return "read_again" if old.cut_by == new.cut_by else "cut_again"


def _shown(one: VersionRow, cause: VersionCause, row: DocumentRow, kept: int, since: int) -> DocumentVersion:
    """The version that was live when the document was shared is named as today: it may have had other names,
    which went with the sharing.
    """
    names = set(DocumentVersion.model_fields) - {"cause", "live", "comparable"}
    fields = {name: getattr(one, name) for name in names}
    if one.version == since:
        fields |= {"title": row.title, "filename": row.filename}
    comparable = one.live_at is not None and one.version >= kept
    return DocumentVersion(**fields, cause=cause, live=one.version == row.live_version, comparable=comparable)


def _texts(session: ReadSession, row: DocumentRow, number: int, rows: list[KeptText]) -> dict[str, KeptText]:
    version = session.get(VersionRow, (row.id, number))
    if version is None or version.live_at is None:
        raise NotFound
    return texts_of(rows, number, version.live_at)


def _passage(difference: ChangedText, found: dict[tuple[str, int], ChunkRow]) -> ChangedPassage | None:
    """None where both texts are the same after all: an encrypted text has another hash than a plain one."""
    before, after = (
        found.get((side.chunk_id, side.version)) if side else None
        for side in (difference.before, difference.after)
    )
    shown = after or before
    if shown is None or (before is not None and after is not None and before.text == after.text):
        return None
    return ChangedPassage(
        chunk_id=shown.chunk_id,
        before=before.text if before is not None else None,
        after=after.text if after is not None else None,
        **place_fields(shown),
    )
