"""The attachments of a message, and the files of an archive, become documents of their own, below it."""

from collections.abc import Iterator
from itertools import count

from sqlmodel import col, select

from footnote_ingest.documents.accept import Acceptor
from footnote_ingest.documents.attachment_budget import AttachmentBudget, AttachmentQuota, root_of
from footnote_ingest.documents.paths import plain_name
from footnote_ingest.documents.quota import Quota
from footnote_ingest.documents.upload import Upload, media_type
from footnote_ingest.parsing.elements import Attachment, Extracted, one_line
from footnote_ingest.store import folders
from footnote_ingest.store.tables import DocumentRow
from footnote_ingest.work.resources import WorkResources
from footnote_shared.blobs.protocol import BlobStore
from footnote_shared.contracts.identity import Principal
from footnote_shared.kernel.errors import TooLarge, UnsupportedType
from footnote_shared.kernel.neutralise import without_unseen

_CARRIED = ("subject", "sender", "date")
"""The facts about a message that its attachments carry too (spec 3.1)."""

CONTAINED_IN = "contained_in"
"""The name of the archive or mailbox that a document lay in, which no fact of a message tells."""

_LONGEST_FACT = 120


def accept_attachments(
    work: WorkResources,
    blobs: BlobStore,
    quota: Quota,
    budget: AttachmentBudget,
    message: DocumentRow,
    extracted: Extracted,
) -> tuple[list[str], list[str]]:
    """Accept attachments; return the ids of their documents, and a sentence for each that was left out.

    What is beyond the budget of the file that was handed in has one sentence together.
    """
    if not extracted.attachments:
        return [], []
    named = list(_named(extracted.attachments))
    with work.database.read() as session:
        root_id, level = root_of(session, message)
        folder = folders.path_of(session, message.folder_id)
        leaving = select(DocumentRow.id).where(
            col(DocumentRow.parent_id) == message.id,
            col(DocumentRow.filename).not_in([name for name, _ in named]),
        )
        but = frozenset(session.exec(leaving))
    if level >= budget.levels:
        return [], [_beyond(len(named), f"files may contain each other on {budget.levels} levels")]
    room = AttachmentQuota(quota, budget, root_id, but)
    acceptor = Acceptor(work.database, blobs, work.dispatcher, work.policy, room)
    principal = Principal(workspace_id=message.workspace_id, avatar_id=message.avatar_id, scopes=frozenset())
    carried = _carried(message, extracted)
    kept: list[str] = []
    left_out: list[str] = []
    beyond: list[str] = []
    for name, attachment in named:
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
        except TooLarge as refused:
            beyond.append(refused.detail)
    if beyond:
        left_out.append(_beyond(len(beyond), beyond[0]))
    return kept, left_out


def _carried(parent: DocumentRow, extracted: Extracted) -> dict[str, str]:
    """What documents that were found in this one carry: the facts about the message, or those of the message
    that an archive came with, and the archive's name.
    """
    told = {name: extracted.metadata[name] for name in _CARRIED if name in extracted.metadata}
    if told:
        return told
    above = parent.attributes if parent.parent_id is not None else {}
    inherited = {name: str(above[name]) for name in _CARRIED if name in above}
    return {**inherited, CONTAINED_IN: parent.filename}


def message_above(row: DocumentRow) -> list[str]:
    """The heading above all passages of what was found in another document: subject, sender and date of its
    message, and the name of the archive that it lay in.

    A citation shows it, so that its reader knows what the file came with. Empty for any other document.
    """
    if row.parent_id is None:
        return []
    carried = (*_CARRIED, CONTAINED_IN)
    known = [one_line(without_unseen(str(row.attributes.get(name, "")))) for name in carried]
    heading = " · ".join(fact[:_LONGEST_FACT] for fact in known if fact)
    return [heading] if heading else []


def _beyond(count: int, limit: str) -> str:
    return f"{count} {'attachment was' if count == 1 else 'attachments were'} left out: {limit}."


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
