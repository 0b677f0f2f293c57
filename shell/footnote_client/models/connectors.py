"""Answers about connectors. Written by `make reference` from the OpenAPI documents."""

from datetime import datetime
from typing import Any

from pydantic import Field

from footnote_client.answer_model import AnswerModel


class Connector(AnswerModel):
    """A connector as the API shows it. `problem` says what its owner has to do."""

    id: str
    workspace_id: str
    avatar_id: str
    """The avatar that made it and owns its documents."""
    kind: str
    """One of `folder`, `push`, `rss`, `web`, `github`, `slack`, `notion`, `confluence`, `jira`, `imap`,
    `objects`, `google_drive`.
    """
    name: str
    folder: str
    config: dict[str, Any]
    has_credentials: bool
    schedule: str | None = None
    status: str
    """One of `active`, `paused`, `failing`, `held`."""
    problem: str | None = None
    webhook_url: str
    webhook_secret: str | None = None
    """Only where it was made by this request."""
    documents: dict[str, int]
    """How many documents it has, by status."""
    next_sync_at: datetime | None = None
    created_at: datetime
    updated_at: datetime


class ConnectorActed(AnswerModel):
    """Answer to `POST /v1/connectors/{id}:act`: what stands there now, and where it is shown."""

    connector_id: str
    action: str
    """One of `comment`, `create_issue`, `post_message`."""
    reference: str
    """How the system calls it, such as `#12`."""
    url: str | None = None
    acted_at: datetime


class PreviewedItem(AnswerModel):
    """An item that a sync would begin with. `left_out` says why it would not be taken."""

    id: str
    title: str | None = None
    url: str | None = None
    folder: str = ""
    author: str | None = None
    updated_at: datetime | None = None
    left_out: str | None = None


class ItemNote(AnswerModel):
    """An item that was skipped or failed, and why."""

    item: str
    outcome: str
    """One of `skipped`, `failed`."""
    reason: str


class HookToken(AnswerModel):
    """Answer to `POST /v1/connectors/{id}:handshake`: what the other system signs its hooks with from now on.

    It is asked for in the settings of that system, and shown by no other answer.
    """

    verification_token: str
    offered_at: datetime


class KindField(AnswerModel):
    """A field of a kind's configuration or of its credentials.

    With `choices`, a text is one of them, and a list holds some of them.
    """

    name: str
    type: str
    """One of `text`, `number`, `boolean`, `list`."""
    description: str
    required: bool = False
    choices: list[str] = Field(default_factory=list)
    default: Any = None
    """What holds where it is left out; absent: nothing does."""


class StartedRun(AnswerModel):
    """Answer to `POST /v1/connectors/{id}:sync`: the run that does it, which may have been under way."""

    run_id: str


class ConnectorList(AnswerModel):
    """One page of ConnectorList."""

    items: list[Connector]
    next_cursor: str | None = None


class ConnectorPreview(AnswerModel):
    """Answer to `POST /v1/connectors:preview`: the first items. `problem` says what its owner has to do."""

    items: list[PreviewedItem]
    more: bool = False
    problem: str | None = None


class ConnectorRun(AnswerModel):
    """The report of one sync. `seen` is the sum of new, changed, unchanged, skipped and failed.

    `held` means that everything was done but the deletions, which somebody has to confirm.
    """

    id: str
    connector_id: str
    status: str
    """One of `queued`, `running`, `succeeded`, `held`, `failed`, `cancelled`."""
    trigger: str
    """One of `call`, `schedule`, `hook`, `creation`."""
    created_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None
    seen: int
    new: int
    changed: int
    unchanged: int
    skipped: int
    failed: int
    deleted: int
    would_delete: int | None = None
    """Deletions that the guard has stopped."""
    bytes: int
    """Bytes that were fetched."""
    reason: str | None = None
    """Why it failed, waits or was held, and who has to act."""
    errors: list[ItemNote]
    """The first items that were skipped or failed."""


class KindCard(AnswerModel):
    """A kind of connector, and what it needs to know. Without `syncs` it takes what a web hook brings."""

    kind: str
    """One of `folder`, `push`, `rss`, `web`, `github`, `slack`, `notion`, `confluence`, `jira`, `imap`,
    `objects`, `google_drive`.
    """
    config: list[KindField]
    credentials: list[KindField]
    syncs: bool


class ConnectorRunList(AnswerModel):
    """One page of ConnectorRunList."""

    items: list[ConnectorRun]
    next_cursor: str | None = None


class KindList(AnswerModel):
    """Answer to `GET /v1/connectors:kinds`."""

    items: list[KindCard]
