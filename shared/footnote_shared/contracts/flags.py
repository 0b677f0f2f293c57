"""Flags: settings of the operator that a workspace may set for itself (spec 7.1)."""

from collections.abc import Mapping
from typing import Annotated, Literal, get_args

from pydantic import BeforeValidator, Field

from footnote_shared.contracts.base import Request, WireModel

FlagName = Literal[
    "hybrid",
    "fusion",
    "alpha",
    "rrf_k",
    "reranker",
    "facts",
    "correct",
    "injection",
    "verification",
    "chat_tools",
    "record_queries",
]
FlagValue = bool | int | float | str
FlagSource = Literal["request", "preset", "workspace", "environment", ".env", "default"]
"""Who decided a value, the nearest first. `request`: what was sent with the search or the question. The last
three are the operator's setting: from the environment, from the file `.env`, or left as it was.
"""

FLAGS: tuple[FlagName, ...] = get_args(FlagName)


class EffectiveFlag(WireModel):
    """The value that a flag has, and who decided it."""

    value: FlagValue
    source: FlagSource


def _known(given: object) -> object:
    """Without flags that only a newer release has, whose answers and records are read, too."""
    if not isinstance(given, Mapping):
        return given
    return {name: flag for name, flag in given.items() if name in FLAGS}


Flags = Annotated[dict[FlagName, EffectiveFlag], BeforeValidator(_known)]
"""Flags by name, as an answer or a record holds them."""


class FlagCard(EffectiveFlag):
    """A flag of a workspace. `fallback` is the operator's value, which holds without an override."""

    name: FlagName
    description: str
    accepts: str = Field(description="The values that it takes, in words.")
    choices: list[str] = Field(default_factory=list, description="All of its values, where they are words.")
    fallback: EffectiveFlag


class FlagList(WireModel):
    """All flags of a workspace. `version` grows by one with each change of an override; 0: never changed."""

    version: int
    items: list[FlagCard]


class FlagChange(Request):
    """Body of `PUT /v1/flags/{name}`."""

    value: FlagValue
    version: int | None = Field(
        None,
        ge=0,
        le=2**31 - 1,
        description="The version on which the change builds: 409 where somebody else was first.",
    )
