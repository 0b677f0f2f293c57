"""How work is shared out, tried again and given up: values from the settings."""

import random
from dataclasses import dataclass
from datetime import timedelta
from typing import Self

from footnote_shared.settings.base import Settings

_LONGEST_BACK_OFF_S = 60.0


@dataclass(frozen=True, slots=True)
class WorkPolicy:
    """Times in seconds; see the settings of the same names."""

    max_attempts: int = 5
    lease_s: float = 300.0
    heartbeat_s: float = 10.0
    sweep_s: float = 5.0
    in_flight: int = 64
    embed_documents: int = 32

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(
            max_attempts=settings.max_attempts,
            lease_s=settings.lease_s,
            heartbeat_s=min(settings.heartbeat_s, settings.lease_s / 3),
            sweep_s=settings.sweep_s,
            in_flight=settings.in_flight_per_workspace,
            embed_documents=settings.embed_documents,
        )

    @property
    def lease(self) -> timedelta:
        return timedelta(seconds=self.lease_s)

    def back_off(self, failures: int) -> timedelta:
        """Exponential with jitter: about 1, 2, 4 ... seconds, a minute at most."""
        longest = min(_LONGEST_BACK_OFF_S, 2.0 ** max(0, failures - 1))
        return timedelta(seconds=longest * random.uniform(0.75, 1.25))  # noqa: S311
