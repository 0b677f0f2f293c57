"""Avatars as the admins of their workspace see them, and what the deletion of one has removed (spec 3.6)."""

from typing import Literal

from pydantic import Field

from footnote_ingest.contracts.workspaces import ErasedCounts
from footnote_shared.contracts.base import Moment, WireModel

SharedDocuments = Literal["keep", "delete"]


class AvatarCard(WireModel):
    """A person of the workspace. With `deletion_asked_at` they are being deleted: nobody comes in as them.

    `keys` counts the API keys that are good, and `connectors` those that go with them, documents and all.
    """

    id: str
    name: str
    created_at: Moment
    keys: int
    connectors: int
    deletion_asked_at: Moment | None = None


class AvatarReceipt(WireModel):
    """What has gone of a person who is being deleted, or was.

    `gone_at` is when a look found nothing more of them anywhere. `reason` says what it waits for, if
    anything. `kept` counts the documents that stay because the workspace sees them: they have no owner now.
    """

    avatar_id: str
    shared: SharedDocuments
    asked_at: Moment
    gone_at: Moment | None = None
    reason: str | None = None
    removed: ErasedCounts
    kept: int = Field(0, description="Documents that stay, without an owner.")
