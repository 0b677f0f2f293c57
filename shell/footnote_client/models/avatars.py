"""Answers about avatars. Written by `make reference` from the OpenAPI documents."""

from datetime import datetime

from footnote_client.answer_model import AnswerModel
from footnote_client.models.shared import ErasedCounts


class AvatarCard(AnswerModel):
    """A person of the workspace. With `deletion_asked_at` they are being deleted: nobody comes in as them.

    `keys` counts the API keys that are good, and `connectors` those that go with them, documents and all.
    """

    id: str
    name: str
    created_at: datetime
    keys: int
    connectors: int
    deletion_asked_at: datetime | None = None


class AvatarReceipt(AnswerModel):
    """What has gone of a person who is being deleted, or was.

    `gone_at` is when a look found nothing more of them anywhere. `reason` says what it waits for, if
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
