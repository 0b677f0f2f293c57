"""What other systems say by web hooks (spec 9.2)."""

from typing import Any, Literal

from pydantic import Field

from footnote_shared.contracts.base import GivenMoment, WireModel


class PushedItem(WireModel):
    """An item of a `push` connector. Other fields are ignored, because senders have some of their own."""

    id: str = Field(min_length=1, max_length=500)
    title: str | None = Field(None, max_length=500)
    text: str | None = None
    url: str | None = Field(
        None, max_length=2000, pattern=r"^https?://[^\s]+$", description="Where it stands, for citations."
    )
    mime: str | None = Field(None, max_length=200)
    folder: str | None = Field(None, max_length=1000, description="A path below the folder of the connector.")
    author: str | None = Field(None, max_length=500)
    updated_at: GivenMoment | None = Field(
        None,
        description="Of two events on an item the later one counts. Absent, or in the future: when the hook "
        "was signed.",
    )
    groups: list[str] | None = Field(
        None, max_length=100, description="Groups that may read it; absent: everybody of the workspace."
    )
    metadata: dict[str, Any] = Field(default_factory=dict)


class PushedEvent(WireModel):
    """Body of a `push` connector's web hook."""

    type: Literal["item.upserted", "item.deleted"]
    data: PushedItem


class HookChallenge(WireModel):
    """Answer to a web hook that only asks whether the address is ours: what it wants to have back."""

    challenge: str


class HookTaken(WireModel):
    """Answer to a web hook: what it said is in SQL. `duplicate` is true if the same event had come before."""

    accepted: bool = True
    duplicate: bool = False
