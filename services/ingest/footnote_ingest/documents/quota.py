"""How many documents a workspace may hold."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from footnote_ingest.store.documents import count_of_workspace
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.errors import TooMany

_TRUSTED_S = 30.0
"""How long a count is believed, in seconds."""

_RETRY_AFTER_S = 60
"""When a caller who was refused may ask again: somebody may have deleted documents by then."""


@dataclass(slots=True)
class Quota:
    """The limit of one process. It counts the rows seldom and adds up what it accepts in between.

    A workspace may therefore exceed the limit by what other processes accept within half a minute.
    """

    most: int
    clock: Callable[[], float] = time.monotonic
    _counts: dict[str, tuple[float, int]] = field(default_factory=dict)

    def take(self, session: WriteSession, workspace_id: str) -> None:
        """Count one more document; raises TooMany if there is no room for it."""
        counted_at, count = self._counts.get(workspace_id, (0.0, 0))
        if self.clock() - counted_at > _TRUSTED_S or count >= self.most:
            counted_at, count = self.clock(), count_of_workspace(session, workspace_id)
        if count >= self.most:
            raise TooMany(
                f"The workspace holds {self.most} documents, which is its limit. Delete some first.",
                retry_after=_RETRY_AFTER_S,
            )
        self._counts[workspace_id] = (counted_at, count + 1)
