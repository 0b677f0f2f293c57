"""Places for documents that may take long to parse: fewer than there are processes, and shared by workspaces.

One process of a worker is always left for short work.
"""

import fcntl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from footnote_ingest.parsing.formats import FAMILY_OF, Family

_KIB = 1024
_SHORT: Mapping[Family, int] = {
    "plain": 128 * _KIB,
    "markdown": 64 * _KIB,
    "code": 256 * _KIB,
    "man": 64 * _KIB,
    "csv": 128 * _KIB,
    "web": 32 * _KIB,
    "xml": 32 * _KIB,
    "eml": 32 * _KIB,
}
"""The most bytes of a file that is read and cut into chunks within a few seconds even if it was made to take
long, by family. A heading in each line is the worst that Markdown can hold. Other families have no bound.
"""


def may_take_long(mime: str, size: int) -> bool:
    """Whether a file of this type and size in bytes may take more than a few seconds to read and cut."""
    family = FAMILY_OF.get(mime)
    return family is None or size > _SHORT.get(family, -1)


class LongParses:
    """The slots of one worker.

    A slot is a lock on a file, so the system frees the slot of a process that was killed.
    """

    def __init__(self, folder: Path, processes: int) -> None:
        """`folder` is the worker's own. `processes` is the number of its processes."""
        self._folder = folder
        self._slots = max(1, processes - 1)
        self._per_workspace = max(1, self._slots - 1)

    @contextmanager
    def slot(self, workspace_id: str) -> Iterator[bool]:
        """Hold a slot during the block. False if all slots, or those of the workspace, are taken."""
        slot = self._take(workspace_id)
        try:
            yield slot is not None
        finally:
            if slot is not None:
                slot.close()

    def _take(self, workspace_id: str) -> IO[str] | None:
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / "door").open("a") as door:
            # One process at a time counts and takes.
            fcntl.flock(door, fcntl.LOCK_EX)
            free, of_workspace = self._look(workspace_id)
            if free is None or of_workspace >= self._per_workspace:
                if free is not None:
                    free.close()
                return None
            free.truncate(0)
            free.write(workspace_id)
            free.flush()
            return free

    def _look(self, workspace_id: str) -> tuple[IO[str] | None, int]:
        """A free slot, locked, if there is one; and the number of slots that the workspace has."""
        free, of_workspace = None, 0
        for number in range(self._slots):
            slot = (self._folder / str(number)).open("a+")
            try:
                fcntl.flock(slot, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                slot.seek(0)
                of_workspace += slot.read() == workspace_id
                slot.close()
                continue
            if free is None:
                free = slot
            else:
                slot.close()
        return free, of_workspace
