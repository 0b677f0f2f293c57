"""How many of something each workspace has open in one process: streams, sessions at other systems."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


class OpenCounts:
    """Counts by workspace. Only one event loop uses it. A workspace that has nothing open takes no memory."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    def __getitem__(self, workspace_id: str) -> int:
        return self._open[workspace_id]

    def __len__(self) -> int:
        """Workspaces that have something open."""
        return len(self._open)

    @contextmanager
    def one_more(self, workspace_id: str) -> Iterator[None]:
        """Counts one until the block ends, however it ends."""
        self._open[workspace_id] += 1
        try:
            yield
        finally:
            self._open[workspace_id] -= 1
            if not self._open[workspace_id]:
                del self._open[workspace_id]
