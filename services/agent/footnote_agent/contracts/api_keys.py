"""API keys as an admin of their workspace sees them (spec 7.2)."""

from pydantic import Field

from footnote_shared.contracts.base import Moment, Request, WireModel
from footnote_shared.contracts.identity import Scope

_LINE = r"^[^\x00-\x1f\x7f]+$"
_READ_AND_WRITE: tuple[Scope, ...] = ("read", "write")


class KeyHolder(WireModel):
    """Whom a key or a token stands for, and what it may do."""

    workspace_id: str
    avatar_id: str
    scopes: list[Scope]
    key_id: str | None = Field(None, description="The id of the key. A token has none.")


class NewApiKey(Request):
    """Body of `POST /v1/keys`."""

    name: str = Field(
        min_length=1, max_length=200, pattern=_LINE, description="What the key is for; a note for people."
    )
    scopes: list[Scope] = Field(
        default_factory=lambda: list(_READ_AND_WRITE),
        min_length=1,
        max_length=3,
        description="What it may do.",
    )
    new_avatar: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        pattern=_LINE,
        description="Make an avatar of this name for it. Absent: it is for your own avatar.",
    )


class ApiKey(WireModel):
    """A key as it is known afterwards: `hint` is its beginning. `current` is the one that asks."""

    id: str
    name: str
    hint: str
    avatar_id: str
    avatar: str = Field(description="The name of its avatar.")
    scopes: list[Scope]
    created_at: Moment
    revoked_at: Moment | None = None
    current: bool = False


class MadeApiKey(ApiKey):
    """Answer to `POST /v1/keys`. `key` is in this answer and in no other."""

    key: str
