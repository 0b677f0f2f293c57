"""When a shard is flushed and when it is vacuumed. Pure: the shard asks, with its clock.

The engine writes an update to its log before it answers, so an update survives the death of this process. A
flush makes it survive a loss of power, and lets the log be cut. A vacuum removes what upserts and deletions
left dead.
"""

from dataclasses import dataclass

# At most this much has to be read from the log at the next start, or is lost with the power.
FLUSH_AFTER_S = 5.0
FLUSH_AFTER_POINTS = 10_000
# A vacuum stops every request while it runs. It waits until it pays and nobody writes.
VACUUM_AFTER_POINTS = 20_000
VACUUM_AFTER_IDLE_S = 30.0


@dataclass(slots=True)
class Upkeep:
    """What was written to a shard since its last flush and vacuum. Times are seconds of a monotonic clock."""

    unflushed: int = 0
    first_unflushed: float = 0.0
    unvacuumed: int = 0
    last_write: float = 0.0

    def wrote(self, points: int, now: float) -> None:
        """Note an update of about so many points."""
        if not self.unflushed:
            self.first_unflushed = now
        self.unflushed += points
        self.unvacuumed += points
        self.last_write = now

    def flush_due(self, now: float) -> bool:
        """Whether the oldest update has waited long enough, or enough of them have piled up."""
        waited = now - self.first_unflushed >= FLUSH_AFTER_S
        return self.unflushed > 0 and (waited or self.unflushed >= FLUSH_AFTER_POINTS)

    def flushed(self) -> None:
        """Note that nothing written so far can be lost."""
        self.unflushed = 0

    def vacuum_due(self, now: float) -> bool:
        """Whether a vacuum pays and disturbs nobody."""
        return self.unvacuumed >= VACUUM_AFTER_POINTS and now - self.last_write >= VACUUM_AFTER_IDLE_S

    def vacuumed(self) -> None:
        """Note that the next vacuum waits for as many points again."""
        self.unvacuumed = 0
