"""Answers about audit. Written by `make reference` from the OpenAPI documents."""

from datetime import datetime
from typing import Any

from footnote_client.answer_model import AnswerModel


class AuditEntry(AnswerModel):
    """One act. `before` and `after` are what was set, without secrets and contents; absent: nothing.

    `avatar_id` is `operator` for what was done on the command line of the server.
    """

    id: str
    at: datetime
    avatar_id: str
    avatar: str | None = None
    """The name of the avatar, such as that of a key's owner; null where none is known."""
    action: str
    subject: str
    before: Any = None
    after: Any = None


class AuditEntryList(AnswerModel):
    """One page of AuditEntryList."""

    items: list[AuditEntry]
    next_cursor: str | None = None
