"""Who follows timelines in this process, and how often all readers of one workspace look together."""

from contextlib import AbstractContextManager

from footnote_shared.kernel.errors import TooMany
from footnote_shared.kernel.open_counts import OpenCounts
from footnote_shared.telemetry import metrics

_POLL_S = 0.25
_LOOKS_PER_S = 50
"""Looks of all readers of one workspace at the database. From 13 readers on, each looks more rarely."""

_MOST = 500
"""Readers of one workspace. With these, each still looks before its heartbeat is due."""

_RETRY_AFTER_S = 5.0


class TimelineReaders:
    """The open streams of one process. Only the event loop uses it.

    Who opens many streams slows down those of their own workspace and no one else's.
    """

    def __init__(self) -> None:
        self._open = OpenCounts()

    def check_room(self, workspace_id: str) -> None:
        """Raises TooMany if the workspace may not open another stream."""
        if self._open[workspace_id] >= _MOST:
            metrics.REFUSED.labels("streams").inc()
            raise TooMany("Too many timelines of this workspace are followed.", retry_after=_RETRY_AFTER_S)

    def reading(self, workspace_id: str) -> AbstractContextManager[None]:
        """Counts one reader while it reads."""
        return self._open.one_more(workspace_id)

    def pause_s(self, workspace_id: str) -> float:
        """Seconds from one look of a reader to its next."""
        return max(_POLL_S, self._open[workspace_id] / _LOOKS_PER_S)
