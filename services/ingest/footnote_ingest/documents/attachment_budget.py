"""How much may come out of one file that was handed in, through all the messages within messages."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Self

from sqlalchemy import func
from sqlmodel import col, select

from footnote_ingest.documents.quota import Quota
from footnote_ingest.store.tables import DocumentRow
from footnote_shared.db.engine import ReadSession, WriteSession, lock_for_transaction
from footnote_shared.kernel.errors import TooLarge
from footnote_shared.settings.base import Settings


@dataclass(frozen=True, slots=True)
class AttachmentBudget:
    """The limits of everything below one file: levels, documents, and their bytes together."""

    levels: int
    documents: int
    size: int

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(
            levels=settings.attachment_levels,
            documents=settings.attachment_documents,
            size=settings.attachment_bytes,
        )


@dataclass(frozen=True, slots=True)
class AttachmentQuota:
    """The quota of the workspace and the budget of one file, asked for each new attachment.

    `root_id` is the file that was handed in. `but` are documents that are about to go, with what is below
    them: attachments that the new version of a message lacks.
    """

    quota: Quota
    budget: AttachmentBudget
    root_id: str
    but: frozenset[str]

    def take(self, session: WriteSession, workspace_id: str, unwritten: int = 0) -> None:
        """Count one more document; raises TooLarge when the budget is used up, TooMany for the workspace."""
        # Two messages of one file may be taken apart at the same time.
        lock_for_transaction(session, "attachments", self.root_id)
        documents, size = _below(session, self.root_id, self.but)
        if documents >= self.budget.documents:
            raise TooLarge(f"a file may contain {self.budget.documents} attachments, on all levels together")
        if size >= self.budget.size:
            raise TooLarge(f"the attachments of a file may have {self.budget.size:,} bytes together")
        self.quota.take(session, workspace_id, unwritten)

    def take_bytes(self, session: WriteSession, workspace_id: str, size: int, unwritten: int = 0) -> None:
        """Count a file of `size` bytes; raises TooMany for the workspace."""
        self.quota.take_bytes(session, workspace_id, size, unwritten)


def root_of(session: ReadSession, message: DocumentRow) -> tuple[str, int]:
    """The file that was handed in and contains the message, and how many levels the message is below it."""
    level = 0
    while message.parent_id is not None:
        parent = session.get(DocumentRow, message.parent_id)
        if parent is None:
            break
        message, level = parent, level + 1
    return message.id, level


def _below(session: WriteSession, root_id: str, but: Collection[str]) -> tuple[int, int]:
    """The number of live documents below one, and their bytes together."""
    counts = col(DocumentRow.deleted_at).is_(None), col(DocumentRow.id).not_in(but)
    top = select(DocumentRow.id, DocumentRow.size).where(col(DocumentRow.parent_id) == root_id, *counts)
    below = top.cte("below", recursive=True)
    deeper = select(DocumentRow.id, DocumentRow.size).join(below, col(DocumentRow.parent_id) == below.c.id)
    below = below.union_all(deeper.where(*counts))
    documents, size = session.execute(
        select(func.count(), func.coalesce(func.sum(below.c.size), 0)).select_from(below)
    ).one()
    return int(documents), int(size)
