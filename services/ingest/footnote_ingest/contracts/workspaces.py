"""Workspaces as their operator sees them, and what the deletion of one has removed (spec 3.6)."""

from pydantic import Field

from footnote_shared.contracts.base import Moment, WireModel


class WorkspaceCard(WireModel):
    """A workspace of the deployment. With `deletion_asked_at` it is being deleted, and nobody comes in."""

    id: str
    name: str
    created_at: Moment
    deletion_asked_at: Moment | None = None


class ErasedCounts(WireModel):
    """What a deletion has counted gone, store by store.

    `rows` counts by table of SQL. `vectors` are the points of all versions of lanes, `originals` files as
    they came in, and `blobs` what was made from them. `cached` are keys of Redis: streams of turns, results
    of searches. `keys` are keys of encryption that were destroyed.
    """

    rows: dict[str, int] = Field(default_factory=dict)
    vectors: int = 0
    blobs: int = 0
    originals: int = 0
    cached: int = 0
    keys: int = 0


class WorkspaceReceipt(WireModel):
    """What has gone of a workspace that is being deleted, or was.

    `gone_at` is when a look found nothing more of it anywhere. `reason` says what it waits for, if anything.
    """

    workspace_id: str
    name: str
    asked_at: Moment
    gone_at: Moment | None = None
    reason: str | None = None
    removed: ErasedCounts
