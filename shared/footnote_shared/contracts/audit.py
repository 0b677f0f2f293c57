"""The audit log of a workspace: who changed what it is set to, and when."""

from typing import Any, Literal

from footnote_shared.contracts.base import Moment, WireModel

AuditAction = Literal["flag.set", "flag.cleared", "tool.switched"]


class AuditEntry(WireModel):
    """One change. `before` and `after` are the values that the workspace itself had set; absent: none."""

    id: str
    at: Moment
    avatar_id: str
    action: str
    subject: str
    before: Any = None
    after: Any = None
