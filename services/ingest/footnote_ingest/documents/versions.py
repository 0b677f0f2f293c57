"""A new version of a document: of the bytes of an upload, or of the bytes that are already there."""

from footnote_ingest.documents.upload import Original, Upload
from footnote_ingest.parsing.formats import FAMILY_OF
from footnote_ingest.store.tables import DocumentRow, VersionRow
from footnote_ingest.work import stages
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Conflict


def add_version(session: WriteSession, row: DocumentRow, upload: Upload, original: Original) -> None:
    """Queue the upload as the next version of the document."""
    again = row.version > 0
    if again and row.version != row.live_version:
        # Nobody ever saw the version that this one supersedes, so what is left of it can go soon.
        row.settle_at = now()
    version = next_version(row, upload, original)
    stages.begin(session, row, f"Version {row.version} was accepted." if again else "Accepted.")
    session.add(version)


def next_version(row: DocumentRow, upload: Upload, original: Original) -> VersionRow:
    """Make the upload the version in work of the document; return the row of that, which is not written."""
    again = row.version > 0
    row.version += 1
    # A title that a person gave, or an earlier upload, is not taken back by an upload that gives none.
    row.title_given = upload.title is not None or (again and row.title_given)
    row.title = upload.title or (row.title if again else upload.filename)
    row.filename = upload.filename
    row.mime, row.size, row.sha256 = original.mime, original.size, original.sha256
    row.attributes = dict(upload.metadata)
    return VersionRow(
        document_id=row.id,
        version=row.version,
        workspace_id=row.workspace_id,
        title=row.title,
        filename=row.filename,
        mime=row.mime,
        declared_mime=upload.declared_mime,
        size=row.size,
        sha256=row.sha256,
    )


_BY_MODEL = frozenset(("audio", "image"))
"""Families of files that a model hears or sees, which takes long and can cost money."""


def queue_again(
    session: WriteSession,
    row: DocumentRow,
    detail: str,
    *,
    title: str | None = None,
    as_it_was_read: bool = False,
) -> None:
    """Queue the same bytes as a new version, under another title if one is given.

    The document is read, cut and indexed anew. With `as_it_was_read` no model hears or sees them again: the
    text of the live version is taken. Equal text keeps its ids and its vectors. Raises Conflict if the bytes
    are no longer there.
    """
    last = session.get(VersionRow, (row.id, row.version))
    if last is None or not last.needs_bytes:
        raise Conflict("The bytes of this document are no longer there; upload it again.")
    row.settle_at = now()
    row.version += 1
    session.add(
        VersionRow(
            document_id=row.id,
            version=row.version,
            workspace_id=row.workspace_id,
            title=title or last.title,
            filename=last.filename,
            mime=last.mime,
            declared_mime=last.declared_mime,
            size=last.size,
            sha256=last.sha256,
            read_as=_read_before(session, row, last) if as_it_was_read else None,
        )
    )
    stages.begin(session, row, detail)


def _read_before(session: WriteSession, row: DocumentRow, last: VersionRow) -> int | None:
    """The live version, if a model may have read these bytes for it."""
    if row.live_version is None or FAMILY_OF.get(last.mime) not in _BY_MODEL:
        return None
    live = session.get(VersionRow, (row.id, row.live_version))
    return row.live_version if live is not None and live.sha256 == last.sha256 else None
