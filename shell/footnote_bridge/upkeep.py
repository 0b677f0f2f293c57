"""When a shard's log is saved, when it is flushed and rebuilt. Pure: the shard asks, with its clock.

The engine writes an update to its log before it answers, so an update survives the death of this process.
Once the log is on the disk, it survives a loss of power. A flush lets the log be cut, and holds up searches
for as long as the disk takes. A rebuild makes the graph over the points that have none yet, and lets go of
what upserts and deletions left dead.
"""

from dataclasses import dataclass

# At most this much is lost with the power.
SAVE_AFTER_S = 5.0
# At most this much has to be read from the log at the next start, where the disk is calm, and ten times as
# much where it never is.
FLUSH_AFTER_S = 60.0
FLUSH_AFTER_POINTS = 10_000
FLUSH_ANYWAY = 10
# Points outside the graph are scanned: 5,000 of them take 1.5 ms of processor time.
REBUILD_AFTER_POINTS = 5_000
REBUILD_AFTER_WRITES = 20_000
# What is written during a rebuild is written twice, so it waits until nobody writes: but not for ever, since
# what is dead takes disk, and memory in which the disk is mapped.
REBUILD_AFTER_IDLE_S = 30.0
REBUILD_ANYWAY = 3


@dataclass(slots=True)
class Upkeep:
    """What was written to a shard since it was saved, flushed and rebuilt. Times are monotonic seconds."""

    first_unsaved: float | None = None
    unflushed: int = 0
    first_unflushed: float = 0.0
    unbuilt: int = 0
    last_write: float = 0.0

    def wrote(self, points: int, now: float) -> None:
        """Note an update of about this many points."""
        if not self.unflushed:
            self.first_unflushed = now
        if self.first_unsaved is None:
            self.first_unsaved = now
        self.unflushed += points
        self.unbuilt += points
        self.last_write = now

    def save_due(self, now: float) -> bool:
        """Whether the oldest update that is not on the disk has waited long enough."""
        return self.first_unsaved is not None and now - self.first_unsaved >= SAVE_AFTER_S

    def saved(self, begun: float) -> None:
        """Note that what was written before `begun` is on the disk."""
        self.first_unsaved = self.last_write if self.last_write >= begun else None

    def flush_due(self, now: float, *, calm: bool) -> bool:
        """Whether the oldest update has waited long enough, or enough of them have piled up."""
        most = 1 if calm else FLUSH_ANYWAY
        waited = now - self.first_unflushed >= most * FLUSH_AFTER_S
        return self.unflushed > 0 and (waited or self.unflushed >= most * FLUSH_AFTER_POINTS)

    def flushed(self) -> None:
        """Note that nothing written so far can be lost."""
        self.unflushed = 0
        self.first_unsaved = None

    def rebuild_due(self, now: float, outside: int) -> bool:
        """Whether a rebuild pays and disturbs nobody, or pays much.

        `outside`: points that the graph does not hold.
        """
        gain = max(outside / REBUILD_AFTER_POINTS, self.unbuilt / REBUILD_AFTER_WRITES)
        idle = now - self.last_write >= REBUILD_AFTER_IDLE_S
        return gain >= (1 if idle else REBUILD_ANYWAY)

    def rebuilt(self) -> None:
        """Note that the next rebuild waits for as many points again."""
        self.unbuilt = 0
