"""Answers about workspaces. Written by `make reference` from the OpenAPI documents."""

from datetime import datetime

from footnote_client.answer_model import AnswerModel
from footnote_client.models.shared import ErasedCounts


class WorkspaceCard(AnswerModel):
    """A workspace of the deployment. With `deletion_asked_at` it is being deleted, and nobody comes in."""

    id: str
    name: str
    created_at: datetime
    deletion_asked_at: datetime | None = None


class WorkspaceReceipt(AnswerModel):
    """What has gone of a workspace that is being deleted, or was.

    `gone_at` is when a look found nothing more of it anywhere. `reason` says what it waits for, if anything.
    """

    workspace_id: str
    name: str
    asked_at: datetime
    gone_at: datetime | None = None
    reason: str | None = None
    removed: ErasedCounts


class WorkspaceCardList(AnswerModel):
    """One page of WorkspaceCardList."""

    items: list[WorkspaceCard]
    next_cursor: str | None = None
