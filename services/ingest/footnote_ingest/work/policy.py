"""How work is shared out, tried again and given up."""

import random
from dataclasses import dataclass
from datetime import timedelta
from typing import Self

from footnote_shared.settings.base import Settings

_LONGEST_BACK_OFF_S = 60.0
_JITTER = 0.25
"""The share by which a back-off may be shorter or longer, so that many documents do not come back together.
"""

_BEATS_PER_LEASE = 3
"""A lease survives two lost heartbeats."""


@dataclass(frozen=True, slots=True)
class WorkPolicy:
    """The values of the settings of the same names. Times are in seconds."""

    max_attempts: int
    lease_s: float
    heartbeat_s: float
    sweep_s: float
    in_flight: int
    embed_documents: int

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """The policy that the operator has set, with a heartbeat that is short enough for the lease."""
        return cls(
            max_attempts=settings.max_attempts,
            lease_s=settings.lease_s,
            heartbeat_s=min(settings.heartbeat_s, settings.lease_s / _BEATS_PER_LEASE),
            sweep_s=settings.sweep_s,
            in_flight=settings.in_flight_per_workspace,
            embed_documents=settings.embed_documents,
        )

    @property
    def lease(self) -> timedelta:
        """How long a document is ours after the last heartbeat."""
        return timedelta(seconds=self.lease_s)

    def back_off(self, failures: int) -> timedelta:
        """Exponential with jitter: about 1, 2, 4 ... seconds, and about a minute at most."""
        longest = min(_LONGEST_BACK_OFF_S, 2.0 ** max(0, failures - 1))
        return timedelta(seconds=longest * random.uniform(1 - _JITTER, 1 + _JITTER))  # noqa: S311
