"""What the system where a document comes from says of it: its address, its folder, and who may read it."""

from collections.abc import Collection

from sqlmodel import col, delete

from footnote_ingest.documents.access import READERS_CHANGED, bring_points_up_to_date, hide_earlier
from footnote_ingest.documents.parts import family
from footnote_ingest.documents.upload import Upload
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.store import folders
from footnote_ingest.store.generations import raise_generation
from footnote_ingest.store.tables import DocumentGroupRow, DocumentRow
from footnote_ingest.work import stages
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.clock import now


def follow_source(session: WriteSession, dispatcher: Dispatcher, row: DocumentRow, upload: Upload) -> None:
    """Bring a connector's document to the address, the folder and the readers that its item has now.

    SQL decides from this commit on; the points follow.
    """
    folder = folders.ensure(session, row.workspace_id, upload.folder)
    folder_id = folder.id if folder is not None else None
    groups = None if upload.reader_groups is None else sorted(set(upload.reader_groups))
    if (row.url, row.folder_id, row.reader_groups) == (upload.url, folder_id, groups):
        return
    said = None if row.reader_groups == groups else READERS_CHANGED
    for member in family(session, row):
        if member.reader_groups != groups:
            set_readers(session, member, groups)
        member.url, member.folder_id = upload.url, folder_id
        if said is not None:
            stages.note(session, member, member.status, said)
        bring_points_up_to_date(session, dispatcher, member)
    raise_generation(session, row.workspace_id)


def set_readers(session: WriteSession, row: DocumentRow, groups: Collection[str] | None) -> None:
    """Let only these groups and the owner read the document; None lets everybody who reads the workspace."""
    if row.reader_groups is not None and (groups is None or set(groups) - set(row.reader_groups)):
        hide_earlier(row)
    if row.version > 0:
        row.withheld_at = None if groups is None and row.visibility == "workspace" else now()
    row.reader_groups = None if groups is None else sorted(groups)
    session.add(row)
    session.flush()
    session.exec(delete(DocumentGroupRow).where(col(DocumentGroupRow.document_id) == row.id))
    session.add_all(DocumentGroupRow(document_id=row.id, name=name) for name in row.reader_groups or ())
