"""Who sees a document: the whole workspace, or its owner alone (docs/adr/0014)."""

from footnote_ingest.documents.identity import give_identity, stored_identity
from footnote_ingest.documents.parts import family
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.store.generations import raise_generation
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work import stages
from footnote_ingest.work.settling import settle_soon
from footnote_shared.contracts.documents import Visibility
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.clock import now
from footnote_shared.kernel.errors import Conflict, Forbidden

_SAID: dict[Visibility, str] = {
    "private": "Made private: its owner alone sees it.",
    "workspace": "Made visible to the workspace.",
}

READERS_CHANGED = "Its readers at the source have changed."
OPENED = (_SAID["workspace"], READERS_CHANGED)
"""What a timeline says where others may have come to see the document."""


def set_visibility(
    session: WriteSession,
    dispatcher: Dispatcher,
    principal: Principal,
    row: DocumentRow,
    identity: str,
    wanted: Visibility,
) -> None:
    """Change who sees a document and its parts. SQL decides from this commit on; the points follow.

    `identity` is the document's own, not the stored form, and the row is locked. Raises Forbidden for anyone
    but the owner. Raises Conflict for a part of another document, and if a document of this identity is
    already there.
    """
    if row.visibility == wanted:
        return
    if row.avatar_id != principal.avatar_id:
        raise Forbidden("Only the avatar that owns a document may change who sees it.")
    if row.parent_id is not None:
        raise Conflict("An attachment is seen by whoever sees the message that it came with.")
    give_identity(session, row, stored_identity(identity, wanted, row.avatar_id))
    for member in family(session, row):
        if wanted == "workspace":
            hide_earlier(member)
        member.visibility = wanted
        for_all = wanted == "workspace" and member.reader_groups is None
        member.withheld_at = None if for_all else now()
        stages.note(session, member, member.status, _SAID[wanted])
        bring_points_up_to_date(session, dispatcher, member)
    raise_generation(session, row.workspace_id)


def hide_earlier(row: DocumentRow) -> None:
    """Let nobody but the owner see what was replaced before now. Called where others come to see the rest."""
    row.open_from = row.live_version or row.version


def first_shown(row: DocumentRow, principal: Principal) -> int:
    """The first version that the principal may see of a document that is visible to them."""
    return 0 if row.avatar_id == principal.avatar_id else row.open_from


def bring_points_up_to_date(session: WriteSession, dispatcher: Dispatcher, row: DocumentRow) -> None:
    """Have the folder and the visibility that the document's points carry written again.

    No lost hint prevents it.
    """
    row.points_lag = True
    row.updated_at = now()
    settle_soon(session, dispatcher, row)


def repeated_by_points(row: DocumentRow) -> tuple[object, ...]:
    """What the points of a document repeat from its row and are told anew when it changes."""
    said = row.folder_id, row.visibility, row.reader_groups, row.is_public, row.filename, row.url
    return *said, row.avatar_id
