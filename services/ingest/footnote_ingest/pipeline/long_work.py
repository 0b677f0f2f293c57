"""Slots for documents that may take long to parse or to index: fewer than there are processes.

One process of a worker is always left for short work, and the workspaces share the slots.
"""

import fcntl
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from footnote_ingest.hints.queues import Task
from footnote_ingest.parsing.formats import FAMILY_OF, Family
from footnote_ingest.work.resources import WorkResources
from footnote_ingest.work.take import WaitingDocument, waiting_longest
from footnote_shared.contracts.documents import Status

PARSED_IN: tuple[Status, ...] = ("queued", "extracting", "chunking")
"""The stages that the queue `parse` works on."""

SHORT_CHUNKS = 2_000
"""The most chunks of a document whose points are written within a few seconds."""

_LOOKED_AT = 500
"""Documents that are considered for a slot, the longest waiting ones."""

_KIB = 1024
_SHORT: Mapping[Family, int] = {
    "plain": 128 * _KIB,
    "markdown": 64 * _KIB,
    "rst": 64 * _KIB,
    "org": 64 * _KIB,
    "asciidoc": 64 * _KIB,
    "latex": 64 * _KIB,
    "texinfo": 64 * _KIB,
    "pod": 64 * _KIB,
    "code": 256 * _KIB,
    "data": 256 * _KIB,
    "man": 64 * _KIB,
    "notebook": 64 * _KIB,
    "subtitles": 128 * _KIB,
    "content_lines": 64 * _KIB,
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


class LongWorkSlots:
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


@contextmanager
def long_work_slot(work: WorkResources, slots: LongWorkSlots, workspace_id: str) -> Iterator[bool]:
    """Hold a slot during the block. False if there is none: the document goes on waiting.

    Whoever gives a slot back calls for the next document, even if the slot was held for nothing: another one
    may have been refused it meanwhile.
    """
    found = False
    try:
        with slots.slot(workspace_id) as found:
            yield found
    finally:
        if found:
            _call_next(work, workspace_id)


def _call_next(work: WorkResources, served: str) -> None:
    """Send the hint of a document that waits for a slot, of another workspace than `served` if there is one.

    Which workspace is next is left to chance, so that none has to wait for the backlog of two others.
    """
    with work.database.read() as session:
        longest = waiting_longest(session, work.policy, (*PARSED_IN, "indexing"), _LOOKED_AT)
    waiting = {each.workspace_id: each for each in reversed(longest) if _needs_a_slot(each)}
    others = sorted(waiting.keys() - {served}) or list(waiting)
    if others:
        called = waiting[random.choice(others)]  # noqa: S311
        work.dispatcher.send(Task.INDEX if called.status == "indexing" else Task.PARSE, called.id)


def _needs_a_slot(waiting: WaitingDocument) -> bool:
    if waiting.status == "indexing":
        return waiting.chunks > SHORT_CHUNKS
    # A recording waits for its model, and not for one of these slots: the call would be lost on it.
    return may_take_long(waiting.mime, waiting.size) and FAMILY_OF.get(waiting.mime) != "audio"
