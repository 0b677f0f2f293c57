"""One open shard of the engine: updates in turn, its upkeep, and the engine's errors as refusals."""

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import qdrant_edge as qe

from footnote_bridge.following import Follow, Following
from footnote_bridge.held_points import HeldPoints
from footnote_bridge.on_disk import is_calm, write_back
from footnote_bridge.refused import Refused, wrong_input
from footnote_bridge.upkeep import Upkeep

_LOG = "wal"
"""Where in the folder of a shard the engine keeps its log."""


@contextmanager
def engine_errors() -> Iterator[None]:
    """Turn what the engine raises into refusals with Qdrant's status codes."""
    try:
        yield
    except (ValueError, TypeError, OverflowError) as error:
        raise wrong_input(str(error)) from error
    except Exception as error:
        # The engine has no exception types of its own: all that it raises is a bare Exception with a text.
        if type(error) is not Exception:
            raise
        message = str(error)
        if message.startswith("Service"):
            raise Refused(f"Service internal error: {message}", status=500) from error
        raise wrong_input(message) from error


class Shard:
    """A shard on disk, open in this process alone. Updates, upkeep and closing take turns; reads need not.

    `dimension` is that of the vectors that a hybrid search reads; without it no points are held in memory.
    """

    def __init__(self, engine: qe.EdgeShard, folder: Path, dimension: int | None = None) -> None:
        self.engine = engine
        self._folder = folder
        self._following = Following(dimension)
        self._updates = 0
        self._lock = threading.Lock()
        self._upkeep = Upkeep()
        self._closed = False
        self._since_copy: list[qe.UpdateOperation] | None = None

    @classmethod
    def create(cls, folder: Path, config: qe.EdgeConfig, dimension: int | None = None) -> "Shard":
        """A new shard in a folder that is not there yet."""
        folder.mkdir(parents=True)
        with engine_errors():
            made = cls(qe.EdgeShard.create(str(folder), config), folder, dimension)
        made.hold()
        return made

    @classmethod
    def load(cls, folder: Path, dimension: int | None = None) -> "Shard":
        """The shard of a folder, with every update that was answered. Raises Refused if unreadable."""
        with engine_errors():
            return cls(qe.EdgeShard.load(str(folder)), folder, dimension)

    @property
    def held(self) -> HeldPoints | None:
        """All points in memory, with every update that was answered; None while they are not all there."""
        return self._following.complete

    def hold(self) -> None:
        """Read the points into memory where that is due. Updates get their turn between two pages."""
        while True:
            with self._lock, engine_errors():
                if self._closed or not self._following.read_page(self.engine):
                    return

    def apply(
        self, update: qe.UpdateOperation, touched: int | None = None, follow: Follow | None = None
    ) -> int:
        """Apply an update and return its number.

        `touched` is how many points the update names; None where a filter chooses them. `follow` makes the
        same change to the points in memory; without it they are read anew.
        """
        with self._lock, engine_errors():
            self._refuse_if_closed()
            before = self.engine.info().points_count if touched is None else 0
            with self._following.change(self.engine, follow):
                self.engine.update(update)
            if self._since_copy is not None:
                self._since_copy.append(update)
            self._updates += 1
            if touched is None:
                touched = abs(self.engine.info().points_count - before)
            self._upkeep.wrote(max(1, touched), time.monotonic())
            return self._updates

    def maintain(self) -> None:
        """Save the log and flush where that is due: a flush when the disk is calm, if it ever is."""
        self._save_log()
        if not self._is_due(calm=True):
            return
        write_back(self._folder)
        calm = is_calm(self._folder.parents[1])
        with self._lock, engine_errors():
            if not self._closed and self._upkeep.flush_due(time.monotonic(), calm=calm):
                self.engine.flush()
                self._upkeep.flushed()

    def _save_log(self) -> None:
        begun = time.monotonic()
        with self._lock:
            if self._closed or not self._upkeep.save_due(begun):
                return
        write_back(self._folder / _LOG)
        with self._lock:
            self._upkeep.saved(begun)

    def _is_due(self, *, calm: bool) -> bool:
        with self._lock:
            return not self._closed and self._upkeep.flush_due(time.monotonic(), calm=calm)

    def rebuild_due(self, in_graph: int) -> bool:
        """Whether a rebuild pays now, with this many points in the graph."""
        with self._lock, engine_errors():
            if self._closed:
                return False
            # A search of points in memory asks no graph. What is dead still calls for a rebuild.
            outside = 0 if self.held is not None else self.engine.info().points_count - in_graph
            return self._upkeep.rebuild_due(time.monotonic(), outside)

    def copy(self, source: Path, target: Path) -> int:
        """Copy the shard's folder and from now on remember every update; the number of points in the copy."""
        with self._lock, engine_errors():
            self._refuse_if_closed()
            self.engine.flush()
            self._upkeep.flushed()
            shutil.copytree(source, target)
            self._since_copy = []
            self._upkeep.rebuilt()
            return self.engine.info().points_count

    def adopt(self, folder: Path, commit: Callable[[], None]) -> None:
        """Go on with the rebuilt copy once it has the updates since; `commit` names it for the next start.

        Searches that are at work end on what they began with.
        """
        with self._lock, engine_errors():
            self._refuse_if_closed()
            rebuilt = qe.EdgeShard.load(str(folder))
            for update in self._since_copy or []:
                rebuilt.update(update)
            rebuilt.flush()
            commit()
            self.engine = rebuilt
            self._folder = folder
            self._since_copy = None

    def forget_copy(self) -> None:
        """Remember no more updates: there is no copy to bring up to date."""
        with self._lock:
            self._since_copy = None

    def close(self) -> None:
        """Flush and let go of the folder; later updates are refused."""
        with self._lock, engine_errors():
            if not self._closed:
                self._closed = True
                self.engine.flush()
                self.engine.close()

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise Refused("Service internal error: the server is stopping", status=503)
