"""How many documents a workspace may hold."""

import time
from dataclasses import dataclass, field

from footnote_ingest.store.documents import count_of_workspace
from footnote_shared.db.engine import WriteSession
from footnote_shared.kernel.errors import TooMany

_TRUSTED_S = 30.0


@dataclass(slots=True)
class Quota:
    """Counts seldom and adds up in between: a workspace may go over by what other processes accept within half a minute."""

    most: int
    _counts: dict[str, tuple[float, int]] = field(default_factory=dict)

    def take(self, session: WriteSession, workspace_id: str) -> None:
        """Count one more document; TooMany where there is no room."""
        counted_at, count = self._counts.get(workspace_id, (0.0, 0))
        if time.monotonic() - counted_at > _TRUSTED_S or count >= self.most:
            counted_at, count = time.monotonic(), count_of_workspace(session, workspace_id)
        if count >= self.most:
            raise TooMany(
                f"The workspace holds {self.most} documents, which is its limit. Delete some first.",
                retry_after=60,
            )
        self._counts[workspace_id] = (counted_at, count + 1)
