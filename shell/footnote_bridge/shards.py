"""One open shard of the engine: updates in turn, its upkeep, and the engine's errors as refusals."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import qdrant_edge as qe

from footnote_bridge.refused import Refused, wrong_input
from footnote_bridge.upkeep import Upkeep


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
    """A shard on disk, open in this process alone. Updates, upkeep and closing take turns; reads need not."""

    def __init__(self, engine: qe.EdgeShard) -> None:
        self.engine = engine
        self._updates = 0
        self._lock = threading.Lock()
        self._upkeep = Upkeep()
        self._closed = False

    @classmethod
    def create(cls, folder: Path, config: qe.EdgeConfig) -> "Shard":
        """A new shard in a folder that is not there yet."""
        folder.mkdir(parents=True)
        with engine_errors():
            return cls(qe.EdgeShard.create(str(folder), config))

    @classmethod
    def load(cls, folder: Path) -> "Shard":
        """The shard of a folder, with every update that was answered. Raises Refused if unreadable."""
        with engine_errors():
            return cls(qe.EdgeShard.load(str(folder)))

    def apply(self, update: qe.UpdateOperation, touched: int | None = None) -> int:
        """Apply an update and return its number.

        `touched` is how many points the update names; None where a filter chooses them.
        """
        with self._lock, engine_errors():
            if self._closed:
                raise Refused("Service internal error: the server is stopping", status=503)
            before = self.engine.info().points_count if touched is None else 0
            self.engine.update(update)
            self._updates += 1
            if touched is None:
                touched = abs(self.engine.info().points_count - before)
            self._upkeep.wrote(max(1, touched), time.monotonic())
            return self._updates

    def maintain(self) -> float:
        """Flush and vacuum where it is due; the seconds that a vacuum took, 0 without one."""
        with self._lock, engine_errors():
            now = time.monotonic()
            if self._closed:
                return 0.0
            if self._upkeep.flush_due(now):
                self.engine.flush()
                self._upkeep.flushed()
            if self._upkeep.vacuum_due(now):
                self._upkeep.vacuumed()
                if self.engine.optimize():
                    return time.monotonic() - now
            return 0.0

    def close(self) -> None:
        """Flush and let go of the folder; later updates are refused."""
        with self._lock, engine_errors():
            if not self._closed:
                self._closed = True
                self.engine.flush()
                self.engine.close()
