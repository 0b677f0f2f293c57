"""How many documents, and how many bytes of files, a workspace may hold."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from footnote_ingest.store.documents import bytes_of_workspace, count_of_workspace
from footnote_shared.db.engine import ReadSession, WriteSession
from footnote_shared.kernel.errors import TooMany

_TRUSTED_S = 30.0
"""How long a count is believed, in seconds."""

_RETRY_AFTER_S = 60
"""When a caller who was refused may ask again: somebody may have deleted documents by then."""


@dataclass(slots=True)
class Quota:
    """The limits of one process. It counts the rows seldom and adds up what it accepts in between.

    A workspace may therefore exceed a limit by what other processes accept within half a minute.
    """

    most: int
    most_bytes: int
    clock: Callable[[], float] = time.monotonic
    _documents: dict[str, tuple[float, int]] = field(default_factory=dict)
    _bytes: dict[str, tuple[float, int]] = field(default_factory=dict)

    def take(self, session: WriteSession, workspace_id: str, unwritten: int = 0) -> None:
        """Count one more document; raises TooMany if there is no room for it.

        `unwritten` is how many the transaction has accepted that no statement finds yet.
        """
        counted_at, count = self._documents.get(workspace_id, (0.0, 0))
        if self._is_old(counted_at) or count >= self.most:
            counted_at, count = self.clock(), count_of_workspace(session, workspace_id) + unwritten
        if count >= self.most:
            raise TooMany(
                f"The workspace holds {self.most} documents, which is its limit. Delete some first.",
                retry_after=_RETRY_AFTER_S,
            )
        self._documents[workspace_id] = (counted_at, count + 1)

    def take_bytes(self, session: WriteSession, workspace_id: str, size: int, unwritten: int = 0) -> None:
        """Count a file of `size` bytes; raises TooMany if there is no room for it.

        `unwritten` are the bytes of what the transaction has accepted and no statement finds yet.
        """
        counted_at, held = self._bytes.get(workspace_id, (0.0, 0))
        if self._is_old(counted_at) or held + size > self.most_bytes:
            counted_at, held = self.clock(), bytes_of_workspace(session, workspace_id) + unwritten
        if held + size > self.most_bytes:
            raise TooMany(
                f"The workspace holds {held} bytes of files and may hold {self.most_bytes}. Delete some.",
                retry_after=_RETRY_AFTER_S,
            )
        self._bytes[workspace_id] = (counted_at, held + size)

    def held(self, session: ReadSession, workspace_id: str) -> tuple[int, int]:
        """How many documents and bytes the workspace holds, from a count that may be half a minute old."""
        counted_at, count = self._documents.get(workspace_id, (0.0, 0))
        if self._is_old(counted_at):
            count = count_of_workspace(session, workspace_id)
            self._documents[workspace_id] = (self.clock(), count)
        counted_at, held = self._bytes.get(workspace_id, (0.0, 0))
        if self._is_old(counted_at):
            held = bytes_of_workspace(session, workspace_id)
            self._bytes[workspace_id] = (self.clock(), held)
        return count, held

    def _is_old(self, counted_at: float) -> bool:
        return self.clock() - counted_at > _TRUSTED_S
