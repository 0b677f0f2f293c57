"""What a workspace has asked: figures for those who run it or pay for it."""

from pydantic import Field

from footnote_shared.contracts.base import WireModel

MOST_DAYS = 90


class Spent(WireModel):
    """Turns that have ended, those of them that failed, the tokens of their models, and what they cost.

    The cost is that of turns of which it is known, in the operator's currency. `cost_unknown` counts the
    others that have asked a model: with any of them, the cost is too low. `partial` counts turns whose tokens
    are not all told: with any of them, the tokens are too few.
    """

    turns: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    cost_unknown: int = 0
    partial: int = 0


class DayUsage(Spent):
    """What was asked on a day, `YYYY-MM-DD` in UTC."""

    day: str


class AvatarUsage(Spent):
    """What an avatar has asked in these days, by all of its keys. `name` is that of the avatar."""

    avatar_id: str
    name: str


class TurnUsage(WireModel):
    """The turns of the last days. A day without a turn is left out; avatars are those with the most turns."""

    since: str = Field(description="The first of these days.")
    total: Spent
    days: list[DayUsage]
    avatars: list[AvatarUsage]
