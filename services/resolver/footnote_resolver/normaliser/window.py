"""How far a decision may look, and what it says when that is not far enough."""

from enum import Enum
from typing import Final, NamedTuple


class Wait(Enum):
    """The text that has come does not decide: more of it is needed."""

    HOLD = "hold"
    """What is undecided may yet be rewritten, so it stays here."""
    SEND = "send"
    """What is undecided goes out as it is; only what it means is open."""


HOLD: Final = Wait.HOLD
SEND: Final = Wait.SEND


class Window(NamedTuple):
    """A decision may look up to `stop`, where the text ends for good (`ended`) or the hold is `full`."""

    stop: int
    full: bool
    ended: bool
    cut: bool = False
    """The text does not end, but was cut off."""

    @property
    def more(self) -> bool:
        """Whether waiting helps."""
        return not (self.full or self.ended)
