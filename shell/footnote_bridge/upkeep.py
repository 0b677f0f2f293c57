"""When a shard is flushed and when it is rebuilt. Pure: the shard asks, with its clock.

The engine writes an update to its log before it answers, so an update survives the death of this process. A
flush makes it survive a loss of power, and lets the log be cut. A rebuild makes the graph over the points
that have none yet, and lets go of what upserts and deletions left dead.
"""

from dataclasses import dataclass

# At most this much has to be read from the log at the next start, or is lost with the power.
FLUSH_AFTER_S = 5.0
FLUSH_AFTER_POINTS = 10_000
# Points outside the graph are scanned: 5,000 of them take 1.5 ms of processor time.
REBUILD_AFTER_POINTS = 5_000
REBUILD_AFTER_WRITES = 20_000
# What is written during a rebuild is written twice, so it waits until nobody writes.
REBUILD_AFTER_IDLE_S = 30.0


@dataclass(slots=True)
class Upkeep:
    """What was written to a shard since its last flush and rebuild. Times are monotonic seconds."""

    unflushed: int = 0
    first_unflushed: float = 0.0
    unbuilt: int = 0
    last_write: float = 0.0

    def wrote(self, points: int, now: float) -> None:
        """Note an update of about so many points."""
        if not self.unflushed:
            self.first_unflushed = now
        self.unflushed += points
        self.unbuilt += points
        self.last_write = now

    def flush_due(self, now: float) -> bool:
        """Whether the oldest update has waited long enough, or enough of them have piled up."""
        waited = now - self.first_unflushed >= FLUSH_AFTER_S
        return self.unflushed > 0 and (waited or self.unflushed >= FLUSH_AFTER_POINTS)

    def flushed(self) -> None:
        """Note that nothing written so far can be lost."""
        self.unflushed = 0

    def rebuild_due(self, now: float, outside: int) -> bool:
        """Whether a rebuild pays and disturbs nobody. `outside`: points that the graph does not hold."""
        pays = outside >= REBUILD_AFTER_POINTS or self.unbuilt >= REBUILD_AFTER_WRITES
        return pays and now - self.last_write >= REBUILD_AFTER_IDLE_S

    def rebuilt(self) -> None:
        """Note that the next rebuild waits for as many points again."""
        self.unbuilt = 0
