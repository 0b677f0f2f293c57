"""Avatars as the admins of their workspace see them, and what the deletion of one has removed (spec 3.6)."""

from typing import Literal

from pydantic import Field

from footnote_ingest.contracts.workspaces import ErasedCounts
from footnote_shared.contracts.base import Moment, WireModel

SharedDocuments = Literal["keep", "delete"]


class AvatarCard(WireModel):
    """A person of the workspace. With `deletion_asked_at` they are being deleted and can no longer sign in.

    `keys` counts the valid API keys. `connectors` counts those that are deleted with the person, with all
    documents that they brought.
    """

    id: str
    name: str
    created_at: Moment
    keys: int
    connectors: int
    deletion_asked_at: Moment | None = None


class AvatarReceipt(WireModel):
    """What has been removed of a person who is being deleted or was deleted.

    `gone_at` is when a look found nothing of them any more. `reason` says what the deletion waits for, if
    anything. `kept` counts the documents that stay because the workspace sees them: they have no owner now.
    """

    avatar_id: str
    shared: SharedDocuments
    asked_at: Moment
    gone_at: Moment | None = None
    reason: str | None = None
    removed: ErasedCounts
    kept: int = Field(0, description="Documents that stay, without an owner.")
