"""Connectors and their runs, as ingest shows them (spec 3.7, 9.2)."""

from typing import Any, Literal

from pydantic import Field

from footnote_shared.contracts.base import Moment, Request, WireModel

ConnectorKind = Literal[
    "folder",
    "push",
    "rss",
    "web",
    "github",
    "slack",
    "notion",
    "confluence",
    "jira",
    "imap",
    "objects",
    "google_drive",
]
ConnectorStatus = Literal["active", "paused", "failing", "held"]
RunStatus = Literal["queued", "running", "succeeded", "held", "failed", "cancelled"]
RunTrigger = Literal["call", "schedule", "hook", "creation"]

SCHEDULE = r"^[1-9][0-9]{0,3}[mhd]$"
"""A time between two syncs: a number of minutes, hours or days."""

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


FieldType = Literal["text", "number", "boolean", "list"]


class KindField(WireModel):
    """A field of a kind's configuration or of its credentials.

    With `choices`, a text is one of them, and a list holds some of them.
    """

    name: str
    type: FieldType
    description: str
    required: bool = False
    choices: list[str] = Field(default_factory=list)
    default: Any = Field(None, description="What holds where it is left out; absent: nothing does.")


class KindCard(WireModel):
    """A kind of connector, and what it needs to know. Without `syncs` it takes what a web hook brings."""

    kind: ConnectorKind
    config: list[KindField]
    credentials: list[KindField]
    syncs: bool


class KindList(WireModel):
    """Answer to `GET /v1/connectors:kinds`."""

    items: list[KindCard]


class StartedRun(WireModel):
    """Answer to `POST /v1/connectors/{id}:sync`: the run that does it, which may have been under way."""

    run_id: str


class HookToken(WireModel):
    """Answer to `POST /v1/connectors/{id}:handshake`: what the other system signs its hooks with from now on.

    It is asked for in the settings of that system, and shown by no other answer.
    """

    verification_token: str
    offered_at: Moment


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
