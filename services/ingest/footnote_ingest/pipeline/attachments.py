"""The attachments of a message become documents of their own, below it."""

from collections.abc import Iterator
from itertools import count

from footnote_ingest.documents.accept import Acceptor
from footnote_ingest.documents.paths import plain_name
from footnote_ingest.documents.upload import Upload, media_type
from footnote_ingest.parsing.elements import Attachment, Extracted
from footnote_ingest.store import folders
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.contracts.identity import Principal
from footnote_shared.db.engine import Database
from footnote_shared.kernel.errors import UnsupportedType

_CARRIED = ("subject", "sender", "date")
"""The facts about a message that its attachments carry too (spec 3.1)."""


def accept_attachments(
    database: Database, acceptor: Acceptor, message: DocumentRow, extracted: Extracted
) -> tuple[list[str], list[str]]:
    """Accept attachments; return the ids of their documents, and a sentence for each that was left out."""
    if not extracted.attachments:
        return [], []
    principal = Principal(workspace_id=message.workspace_id, avatar_id=message.avatar_id, scopes=frozenset())
    with database.read() as session:
        folder = folders.path_of(session, message.folder_id)
    carried = {name: extracted.metadata[name] for name in _CARRIED if name in extracted.metadata}
    kept: list[str] = []
    left_out: list[str] = []
    for name, attachment in _named(extracted.attachments):
        upload = Upload(
            filename=name,
            declared_mime=media_type(attachment.mime),
            folder=folder,
            metadata={**carried, "parent_id": message.id},
            source_type="email_attachment",
            parent_id=message.id,
        )
        try:
            kept.append(acceptor.accept_bytes(principal, upload, attachment.content).id)
        except UnsupportedType:
            left_out.append(f"The attachment {name} was left out: its type is not supported.")
    return kept, left_out


def _named(attachments: tuple[Attachment, ...]) -> Iterator[tuple[str, Attachment]]:
    """The attachments under names that differ: the second `image.png` is called `image.png (2)`."""
    taken: set[str] = set()
    for attachment in attachments:
        name = plain_name(attachment.name) or "attachment"
        free = next(
            candidate for n in count(1) if (candidate := name if n == 1 else f"{name} ({n})") not in taken
        )
        taken.add(free)
        yield free, attachment
