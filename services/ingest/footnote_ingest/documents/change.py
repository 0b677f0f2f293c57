"""Changing a document's title, place, visibility or metadata."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from sqlmodel import col, select

from footnote_ingest.documents.access import bring_points_up_to_date, set_visibility
from footnote_ingest.documents.identity import give_identity, identity_of, stored_identity
from footnote_ingest.documents.legal_hold import set_hold
from footnote_ingest.documents.parts import family
from footnote_ingest.documents.versions import queue_again
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.store import documents, facts, folders
from footnote_ingest.store.documents import DocumentInFolder
from footnote_ingest.store.generations import raise_generation
from footnote_ingest.store.tables import ROOT, DocumentRow, VersionRow
from footnote_ingest.work import stages
from footnote_ingest.work.fair import dispatch_next
from footnote_ingest.work.policy import WorkPolicy
from footnote_ingest.work.settling import settle_soon
from footnote_shared.contracts.documents import Visibility
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import WriteSession, lock_for_transaction
from footnote_shared.kernel.errors import Conflict, FieldError, InvalidRequest


@dataclass(frozen=True, slots=True)
class Changes:
    """The new values; a field that is None stays as it is. `folder` and `filename` are normalised.

    If `if_sha256` is given, nothing changes unless the document's last version holds these bytes.
    """

    title: str | None = None
    filename: str | None = None
    folder: str | None = None
    visibility: Visibility | None = None
    metadata: Mapping[str, Any] | None = None
    legal_hold: bool | None = None
    if_sha256: str | None = None


def change_document(
    session: WriteSession,
    dispatcher: Dispatcher,
    policy: WorkPolicy,
    principal: Principal,
    document_id: str,
    changes: Changes,
) -> DocumentInFolder:
    """Make all of the changes or none. To make them twice is the same as to make them once.

    Raises NotFound for a document that the caller does not see, Forbidden for a visibility that is not the
    caller's to change, and InvalidRequest for a file name with another ending. Raises Conflict if a document
    of this name already lies at the new place, if an attachment is to be renamed, and if the bytes are not
    those of `if_sha256`.
    """
    # One change at a time in a workspace: nobody else changes folders or names meanwhile, so the locks below
    # are taken in one order. Uploads take them in the same order: names, folders, rows.
    lock_for_transaction(session, "changes", principal.workspace_id)
    before = documents.get(session, principal, document_id)
    _check_session(before.row, changes)
    filename = changes.filename or before.row.filename
    old = identity_of(before.row, before.folder, before.row.filename)
    new = identity_of(before.row, before.folder if changes.folder is None else changes.folder, filename)
    for name in sorted({old, new}):
        lock_for_transaction(session, "document", principal.workspace_id, name)
    folder = before.folder
    folder_id = before.row.folder_id
    if changes.folder is not None and changes.folder != before.folder:
        target = folders.ensure(session, principal.workspace_id, changes.folder)
        folder, folder_id = changes.folder, target.id if target is not None else None
    session.expire(before.row)
    row = documents.get(session, principal, document_id, lock=True).row
    if changes.if_sha256 not in (None, row.sha256):
        raise Conflict("The document holds other bytes by now, so nothing was changed.")
    opens = changes.visibility == "workspace" != row.visibility
    if changes.visibility is not None:
        set_visibility(session, dispatcher, principal, row, old, changes.visibility)
    if changes.legal_hold is not None:
        set_hold(session, principal, row, held=changes.legal_hold)
    title = changes.title
    if row.filename != filename:
        title = title or (filename if _is_named_after_file(row) else None)
        said = _moved(_path(before.folder, row.filename), _path(folder, filename), opens=opens)
        _rename_file(session, row, filename)
        _move(session, dispatcher, row, new, folder_id, said)
    elif row.folder_id != folder_id:
        _move(session, dispatcher, row, new, folder_id, _moved(before.folder, folder, opens=opens))
    if changes.metadata is not None:
        row.attributes = dict(changes.metadata)
        if facts.note_live(session, [row]):
            # No result that is kept shows them any more.
            raise_generation(session, row.workspace_id)
            settle_soon(session, dispatcher, row)
    if title is not None and title != row.title:
        row.title_given = changes.title is not None
        _show_title(session, dispatcher, policy, row, title)
    session.add(row)
    session.flush()
    return DocumentInFolder(row, folder)


def _check_session(row: DocumentRow, changes: Changes) -> None:
    """Raises Conflict where an upload of a session would leave it."""
    leaves = changes.folder not in (None, ROOT) or changes.visibility not in (None, "private")
    if row.session_id is not None and leaves:
        raise Conflict("An upload of a session lies in no folder, and nobody else sees it. Upload it anew.")


def _path(folder: str, filename: str) -> str:
    return str(PurePosixPath(folder) / filename)


def _moved(old: str, new: str, *, opens: bool) -> str:
    # Those whom the same change lets see the document are not told where it was before.
    return f"Moved to {new}." if opens else f"Moved from {old} to {new}."


def _is_named_after_file(row: DocumentRow) -> bool:
    return not row.title_given and row.title == row.filename


def _rename_file(session: WriteSession, row: DocumentRow, filename: str) -> None:
    """Give the document's file another name of the same ending, by which its kind was told."""
    if row.parent_id is not None:
        raise Conflict("An attachment keeps the name that its message gives it.")
    ending = PurePosixPath(row.filename).suffix
    if PurePosixPath(filename).suffix.lower() != ending.lower():
        message = f"must end in {ending} as before" if ending else "must stay without an ending"
        detail = f"The filename {message}. Upload the file to have it read as another kind."
        raise InvalidRequest(detail, errors=[FieldError("filename", message)])
    row.filename = filename
    for version in _shown_versions(session, row):
        version.filename = filename
        session.add(version)


def _shown_versions(session: WriteSession, row: DocumentRow) -> Sequence[VersionRow]:
    """The live version and the one that was accepted last."""
    shown = {version for version in (row.live_version, row.version) if version is not None}
    versions = select(VersionRow).where(
        col(VersionRow.document_id) == row.id, col(VersionRow.version).in_(shown)
    )
    return session.exec(versions).all()


def _move(
    session: WriteSession,
    dispatcher: Dispatcher,
    row: DocumentRow,
    new_identity: str,
    folder_id: str | None,
    said: str,
) -> None:
    """Move the document and its parts. An upload to the new place is then a version of it."""
    give_identity(session, row, stored_identity(new_identity, row.visibility, row.avatar_id))
    for member in family(session, row):
        member.folder_id = folder_id
        stages.note(session, member, member.status, said)
        bring_points_up_to_date(session, dispatcher, member)
    raise_generation(session, row.workspace_id)


def _show_title(
    session: WriteSession, dispatcher: Dispatcher, policy: WorkPolicy, row: DocumentRow, title: str
) -> None:
    """Show the new title at once, and index the document anew behind it.

    Its vectors depend on the title. A document that has failed is not indexed anew.
    """
    row.title = title
    for version in _shown_versions(session, row):
        version.title = title
        session.add(version)
    raise_generation(session, row.workspace_id)
    if row.status != "failed":
        queue_again(session, row, f"Renamed to {title}.", title=title, as_it_was_read=True)
        dispatch_next(session, dispatcher, policy, row.workspace_id)
