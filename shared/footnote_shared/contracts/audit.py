"""The audit log of a workspace: who changed what it is set to, who was refused, and when."""

from typing import Any, Literal

from pydantic import Field

from footnote_shared.contracts.base import GivenMoment, Moment, Request, WireModel

AuditAction = Literal[
    "flag.set",
    "flag.cleared",
    "tool.switched",
    "tool_server.set",
    "tool_server.changed",
    "tool_server.deleted",
    "key.made",
    "key.renewed",
    "key.revoked",
    "connector.made",
    "connector.changed",
    "connector.deleted",
    "connector.deletions_confirmed",
    "connector.handshake",
    "connector.acted",
    "folder.deleted",
    "documents.reconciled",
    "documents.rechunked",
    "documents.rechunk_stopped",
    "lane.changed",
    "hold.set",
    "hold.lifted",
    "preset.set",
    "preset.deleted",
    "automation.made",
    "automation.changed",
    "automation.deleted",
    "avatar.deleted",
    "workspace.deleted",
    "workspace.restored",
    "encryption.rotated",
    "encryption.destroyed",
    "access.denied",
]

OPERATOR = "operator"
"""In place of an avatar: whoever works on the database from the command line."""


_PLAIN = r"^[^\x00-\x1f]*$"


class AuditEntry(WireModel):
    """One act. `before` and `after` are what was set, without secrets and contents; absent: nothing.

    `avatar_id` is `operator` for what was done on the command line of the server.
    """

    id: str
    at: Moment
    avatar_id: str
    avatar: str | None = Field(
        None, description="The name of the avatar, such as that of a key's owner; null where none is known."
    )
    action: str
    subject: str
    before: Any = None
    after: Any = None


class AuditQuery(Request):
    """What the log can be restricted to."""

    action: list[AuditAction] | None = Field(None, description="Only this action. Can be repeated.")
    avatar_id: str | None = Field(
        None, max_length=200, pattern=_PLAIN, description="Only acts of this avatar; `operator` is one."
    )
    subject: str | None = Field(
        None, max_length=500, pattern=_PLAIN, description="Only what concerns this id or name."
    )
    at_from: GivenMoment | None = Field(None, alias="from", description="At or after this moment.")
    at_to: GivenMoment | None = Field(None, alias="to", description="At or before this moment.")
