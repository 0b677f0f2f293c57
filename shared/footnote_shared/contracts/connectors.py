"""Connectors and their runs, as ingest shows them (spec 3.7, 9.2)."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Literal, get_args

from pydantic import Field, field_validator

from footnote_shared.contracts.base import Moment, Request, WireModel

ConnectorKind = Literal["folder", "push", "rss", "web", "github", "slack", "notion"]
ConnectorStatus = Literal["active", "paused", "failing", "held"]
RunStatus = Literal["queued", "running", "succeeded", "held", "failed", "cancelled"]
RunTrigger = Literal["call", "schedule", "hook", "creation"]

SCHEDULE = r"^[1-9][0-9]{0,3}[mhd]$"
"""A time between two syncs: a number of minutes, hours or days."""

_ADDRESS = r"^https?://[^\s]+$"
_DAY = r"^[12][0-9]{3}-[0-9]{2}-[0-9]{2}$"
_SECRET = r"^[!-~]+$"  # noqa: S105
_SCHEDULE = "Time between two syncs, such as `15m`, `6h` or `1d`."
_CONFIG = "What the kind needs to know; its fields are on the page of connectors."
_CREDENTIALS = "What the kind needs to be let in. Stored encrypted, and never shown again."


class NewConnector(Request):
    """Body of `POST /v1/connectors`."""

    kind: ConnectorKind
    name: str = Field(min_length=1, max_length=200)
    config: dict[str, Any] = Field(default_factory=dict, description=_CONFIG)
    credentials: dict[str, str] | None = Field(None, description=_CREDENTIALS)
    schedule: str | None = Field(
        None, pattern=SCHEDULE, description=f"{_SCHEDULE} Absent: only when asked for."
    )
    folder: str | None = Field(
        None, max_length=1000, description="Where its documents are filed. Absent: a folder of its name."
    )


class PreviewedItem(WireModel):
    """An item that a sync would begin with. `left_out` says why it would not be taken."""

    id: str
    title: str | None = None
    url: str | None = None
    folder: str = ""
    author: str | None = None
    updated_at: Moment | None = None
    left_out: str | None = None


class ConnectorPreview(WireModel):
    """Answer to `POST /v1/connectors:preview`: the first items. `problem` says what its owner has to do."""

    items: list[PreviewedItem]
    more: bool = False
    problem: str | None = None


class ConnectorChanges(Request):
    """Body of `PATCH /v1/connectors/{id}`. A field that is absent changes nothing."""

    name: str | None = Field(None, min_length=1, max_length=200)
    config: dict[str, Any] | None = Field(None, description=_CONFIG)
    credentials: dict[str, str] | None = Field(
        None,
        description=f"{_CREDENTIALS} They have to be given again where the new configuration would send them "
        "elsewhere.",
    )
    schedule: str | None = Field(None, pattern=rf"^$|{SCHEDULE}", description=f"{_SCHEDULE} Empty: none.")
    paused: bool | None = Field(
        None, description="A paused connector does not sync, and keeps what web hooks say until it goes on."
    )
    new_webhook_secret: bool = Field(
        False, description="Make another secret; the one before stays good for a while beside it."
    )


class Connector(WireModel):
    """A connector as the API shows it. `problem` says what its owner has to do."""

    id: str
    workspace_id: str
    avatar_id: str = Field(description="The avatar that made it and owns its documents.")
    kind: ConnectorKind
    name: str
    folder: str
    config: dict[str, Any]
    has_credentials: bool
    schedule: str | None = None
    status: ConnectorStatus
    problem: str | None = None
    webhook_url: str
    webhook_secret: str | None = Field(None, description="Only where it was made by this request.")
    documents: dict[str, int] = Field(description="How many documents it has, by status.")
    next_sync_at: Moment | None = None
    created_at: Moment
    updated_at: Moment


class SyncRequest(Request):
    """Body of `POST /v1/connectors/{id}:sync`."""

    confirm_deletions_of: str | None = Field(
        None,
        max_length=100,
        description="A run that was held: the new one may delete as many documents as that one would have.",
    )


class StartedRun(WireModel):
    """Answer to `POST /v1/connectors/{id}:sync`: the run that does it, which may have been under way."""

    run_id: str


class ItemNote(WireModel):
    """An item that was skipped or failed, and why."""

    item: str
    outcome: Literal["skipped", "failed"]
    reason: str


class ConnectorRun(WireModel):
    """The report of one sync. `seen` is the sum of new, changed, unchanged, skipped and failed.

    `held` means that everything was done but the deletions, which somebody has to confirm.
    """

    id: str
    connector_id: str
    status: RunStatus
    trigger: RunTrigger
    created_at: Moment
    started_at: Moment | None = None
    ended_at: Moment | None = None
    seen: int
    new: int
    changed: int
    unchanged: int
    skipped: int
    failed: int
    deleted: int
    would_delete: int | None = Field(None, description="Deletions that the guard has stopped.")
    bytes: int = Field(description="Bytes that were fetched.")
    reason: str | None = Field(None, description="Why it failed, waits or was held, and who has to act.")
    errors: list[ItemNote] = Field(description="The first items that were skipped or failed.")


class FolderConfig(Request):
    """What a connector of the kind `folder` needs to know."""

    path: str = Field(max_length=1000, description="A path below the folder that the operator allows.")


class FeedConfig(Request):
    """What a connector of the kind `rss` needs to know."""

    url: str = Field(max_length=2000, pattern=_ADDRESS, description="The address of the feed.")


class SiteConfig(Request):
    """What a connector of the kind `web` needs to know."""

    url: str = Field(
        max_length=1000,
        pattern=_ADDRESS,
        description="The address of the site. Only pages below it are taken.",
    )
    max_pages: int = Field(
        500, ge=1, le=20_000, description="Most pages. A site that has more of them fails the sync."
    )
    follow_links: bool = Field(
        False, description="Follow the links of the pages although the site has a sitemap."
    )


GithubPart = Literal["files", "issues", "pulls"]


class GithubConfig(Request):
    """What a connector of the kind `github` needs to know."""

    repository: str = Field(
        max_length=200, pattern=r"^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$", description="`owner/name`."
    )
    parts: list[GithubPart] = Field(
        default_factory=lambda: list(get_args(GithubPart)), min_length=1, description="What is taken of it."
    )
    branch: str | None = Field(
        None, max_length=250, description="Absent: the branch that GitHub shows first."
    )
    path: str = Field("", max_length=1000, description="Only files below this folder of the repository.")
    api_url: str = Field(
        "https://api.github.com",
        max_length=500,
        pattern=_ADDRESS,
        description="Another one for a GitHub of your own.",
    )


class GithubCredentials(Request):
    """By what a connector of the kind `github` is let in. A public repository needs nothing."""

    token: str | None = Field(
        None,
        min_length=1,
        max_length=500,
        pattern=_SECRET,
        description="A token that may read the repository.",
    )


class SlackConfig(Request):
    """What a connector of the kind `slack` needs to know."""

    channels: list[str] = Field(
        default_factory=list,
        max_length=500,
        description="Names or ids of channels. Absent: all that the app is in.",
    )
    private: bool = Field(
        False, description="Take private channels too; only the group `slack:<id of the channel>` reads them."
    )
    since: str | None = Field(
        None, pattern=_DAY, description="Leave out what was said before this day, such as 2025-01-31."
    )
    api_url: str = Field(
        "https://slack.com/api",
        max_length=500,
        pattern=_ADDRESS,
        description="Another one for a proxy of your own.",
    )

    @field_validator("since")
    @classmethod
    def _is_a_day(cls, since: str | None) -> str | None:
        if since is not None:
            date.fromisoformat(since)
        return since


class SlackCredentials(Request):
    """By what a connector of the kind `slack` is let in, and by what it knows Slack's web hooks."""

    token: str = Field(
        min_length=1, max_length=500, pattern=_SECRET, description="The token of the app, `xoxb-…`."
    )
    signing_secret: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        pattern=_SECRET,
        description="The signing secret of the app, for its events.",
    )


class NotionConfig(Request):
    """What a connector of the kind `notion` needs to know."""

    api_url: str = Field(
        "https://api.notion.com",
        max_length=500,
        pattern=_ADDRESS,
        description="Another one for a proxy of your own.",
    )


class NotionCredentials(Request):
    """By what a connector of the kind `notion` is let in."""

    token: str = Field(
        min_length=1, max_length=500, pattern=_SECRET, description="The secret of the integration, `ntn_…`."
    )


class Nothing(Request):
    """The configuration of a kind that needs none."""


CREDENTIALS_ARE_FOR: Mapping[ConnectorKind, tuple[str, ...]] = {
    "github": ("api_url", "repository"),
    "slack": ("api_url",),
    "notion": ("api_url",),
}
"""The fields of a configuration that say to whom credentials are sent, and for what."""

KIND_FIELDS: Mapping[ConnectorKind, tuple[type[Request], type[Request]]] = {
    "folder": (FolderConfig, Nothing),
    "rss": (FeedConfig, Nothing),
    "web": (SiteConfig, Nothing),
    "github": (GithubConfig, GithubCredentials),
    "slack": (SlackConfig, SlackCredentials),
    "notion": (NotionConfig, NotionCredentials),
    "push": (Nothing, Nothing),
}
"""What the configuration and the credentials of each kind hold."""
