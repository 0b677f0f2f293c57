"""What a kind has to be able to do that acts in its system (spec 5.5)."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from footnote_shared.contracts.connector_acts import ActName

CLOCKS_DIFFER = timedelta(minutes=5)
"""By so much the other system's clock may be behind ours: what it made since can be older than our try."""


class ActRefused(Exception):
    """The system does not do this, and nothing was done. `reason` is a sentence for whoever asked."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class WantedAct:
    """One act. `item` is the id of the item that is meant. `mark` tells it from all other acts."""

    action: ActName
    text: str
    mark: str
    title: str = ""
    item: str = ""
    channel: str = ""


@dataclass(frozen=True, slots=True)
class DoneAct:
    """What stands in the system: how that calls it, and where a browser shows it."""

    reference: str
    url: str | None


class Actor(Protocol):
    """One connector's system, written to with the connector's credentials.

    Both raise ActRefused, OwnerMustAct and SourceBusy where nothing was done, and SourceDown where nobody can
    tell.
    """

    def find(self, wanted: WantedAct, since: datetime) -> DoneAct | None:
        """What an earlier try has left that was made at this moment or later; None if it has left nothing."""

    def do(self, wanted: WantedAct) -> DoneAct:
        """Do it. Doing it twice leaves two."""

    def close(self) -> None:
        """End what the actor holds open."""
