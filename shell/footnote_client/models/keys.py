"""Answers about keys. Written by `make reference` from the OpenAPI documents."""

from datetime import datetime

from footnote_client.answer_model import AnswerModel


class ApiKey(AnswerModel):
    """A key as it is known afterwards: `hint` is its beginning. `current` is the one that asks."""

    id: str
    name: str
    hint: str
    avatar_id: str
    avatar: str
    """The name of its avatar."""
    scopes: list[str]
    """One of `read`, `write`, `admin`."""
    created_at: datetime
    revoked_at: datetime | None = None
    current: bool = False


class KeyHolder(AnswerModel):
    """Whom a key or a token stands for, and what it may do."""

    workspace_id: str
    avatar_id: str
    scopes: list[str]
    """One of `read`, `write`, `admin`."""
    key_id: str | None = None
    """The id of the key. A token has none."""


class MadeApiKey(AnswerModel):
    """Answer to `POST /v1/keys`. `key` is in this answer and in no other."""

    id: str
    name: str
    hint: str
    avatar_id: str
    avatar: str
    """The name of its avatar."""
    scopes: list[str]
    """One of `read`, `write`, `admin`."""
    created_at: datetime
    revoked_at: datetime | None = None
    current: bool = False
    key: str


class ApiKeyList(AnswerModel):
    """One page of ApiKeyList."""

    items: list[ApiKey]
    next_cursor: str | None = None
