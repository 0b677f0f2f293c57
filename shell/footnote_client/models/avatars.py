"""Answers about avatars. Written by `make reference` from the OpenAPI documents."""

from datetime import datetime

from footnote_client.answer_model import AnswerModel
from footnote_client.models.shared import ErasedCounts


class AvatarCard(AnswerModel):
    """A person of the workspace. With `deletion_asked_at` they are being deleted and can no longer sign in.

    `keys` counts the valid API keys. `connectors` counts those that are deleted with the person, with all
    documents that they brought.
    """

    id: str
    name: str
    created_at: datetime
    keys: int
    connectors: int
    deletion_asked_at: datetime | None = None


class AvatarReceipt(AnswerModel):
    """What has been removed of a person who is being deleted or was deleted.

    `gone_at` is when a look found nothing of them any more. `reason` says what the deletion waits for, if
    anything. `kept` counts the documents that stay because the workspace sees them: they have no owner now.
    """

    avatar_id: str
    shared: str
    """One of `keep`, `delete`."""
    asked_at: datetime
    gone_at: datetime | None = None
    reason: str | None = None
    removed: ErasedCounts
    kept: int = 0
    """Documents that stay, without an owner."""


class AvatarCardList(AnswerModel):
    """One page of AvatarCardList."""

    items: list[AvatarCard]
    next_cursor: str | None = None
