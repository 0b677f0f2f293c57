"""What makes an upload a new version of a document that is already there (spec 9.2, docs/adr/0014)."""

from footnote_ingest.store import documents
from footnote_ingest.store.tables import ROOT, DocumentRow
from footnote_shared.contracts.documents import Visibility
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.kernel.errors import Conflict


def identity(folder: str, filename: str, external_id: str | None, parent_id: str | None = None) -> str:
    """The identity of a document: its `external_id` if it has one, otherwise the place of its file.

    An attachment is identified by its message and its name.
    """
    if parent_id is not None:
        return f"part:{parent_id}:{filename}"
    return f"external:{external_id}" if external_id is not None else f"file:{folder.rstrip('/')}/{filename}"


def item_identity(connector_id: str, item_id: str) -> str:
    """The identity of the document of a connector's item: items of two connectors never meet."""
    return f"connector:{connector_id}:{item_id}"


def session_identity(session_id: str, filename: str, external_id: str | None) -> str:
    """The identity of an anonymous upload: it never meets a document that is of no session, or of another."""
    return f"session:{session_id}:{identity(ROOT, filename, external_id)}"


def identity_of(row: DocumentRow, folder: str, filename: str) -> str:
    """The identity of a document that is there, if it lies in this folder under this name.

    A connector's document keeps that of its item: a sync finds it wherever it was moved and whoever sees it.
    """
    if row.session_id is not None and row.parent_id is None:
        return session_identity(row.session_id, filename, row.external_id)
    if row.connector_id is not None and row.parent_id is None:
        return item_identity(row.connector_id, row.external_id or "")
    return identity(folder, filename, row.external_id, row.parent_id)


def stored_identity(identity: str, visibility: Visibility, avatar_id: str) -> str:
    """The identity under which a document is stored.

    A private document meets neither another avatar's private document nor one that the workspace sees: if
    somebody else uploads to the same place, that is another document. An attachment is stored under the same
    identity either way.
    """
    if visibility == "workspace" or identity.startswith("part:"):
        return identity
    return f"private:{avatar_id}:{identity}"


def stored_forms(principal: Principal, identity: str) -> tuple[str, str]:
    """The identities under which the document may be that the caller's upload of this one is a version of."""
    return stored_identity(identity, "private", principal.avatar_id), identity


def existing(
    session: ReadSession | WriteSession,
    principal: Principal,
    identity: str,
    wanted: Visibility | None,
    *,
    lock: bool = False,
) -> DocumentRow | None:
    """The document that the caller's upload of this identity is a version of.

    There may be two candidates: the caller's own private document, and the one that the workspace sees. The
    wanted visibility decides between them; without one, the private document comes first. If only the other
    candidate is there, it is taken only if the caller owns it, and its visibility is then changed.
    """
    own, _ = stored_forms(principal, identity)
    found = documents.by_identity(session, principal.workspace_id, own, identity, lock=lock)
    mine = found.get(own) if own != identity else None
    if mine is not None and wanted != "workspace":
        return mine
    shared = found.get(identity)
    if wanted == "private":
        return shared if shared is not None and shared.avatar_id == principal.avatar_id else None
    return shared or mine


def give_identity(session: WriteSession, row: DocumentRow, identity: str) -> None:
    """Give the row this identity, in its stored form; raises Conflict if another document has it."""
    if row.identity == identity:
        return
    if documents.by_identity(session, row.workspace_id, identity):
        raise Conflict(f"There is a document named {row.filename} at that place already.")
    row.identity = identity
    session.add(row)
    session.flush()
