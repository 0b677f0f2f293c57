"""One open shard of the engine: guarded writes, flushes and vacuums, and the engine's errors as refusals."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import qdrant_edge as qe

from footnote_bridge.body import Refused

_FLUSH_AFTER_S = 5.0
_FLUSH_AFTER_POINTS = 10_000
_OPTIMIZE_AFTER_POINTS = 20_000
_IDLE_S = 30.0

# Search is exact: no graph is built, and a segment is rewritten only to get rid of the dead when they are half of it.
# The engine never lets go of the interpreter, so either would stop this process, health checks included: for half a
# minute at 100,000 points. Scanning them takes some 10 ms.
EXACT = qe.HnswIndexConfig(m=0, payload_m=0, ef_construct=100, full_scan_threshold=10_000)
VACUUM_ONLY = qe.EdgeOptimizersConfig(
    deleted_threshold=0.5, vacuum_min_vector_number=10_000, indexing_threshold=1_000_000_000
)


@contextmanager
def engine_errors() -> Iterator[None]:
    """Turn what the engine raises into refusals with Qdrant's status codes."""
    try:
        yield
    except (ValueError, TypeError, OverflowError) as error:
        raise Refused(f"Wrong input: {error}") from error
    except Exception as error:
        # The engine has no exception types of its own: all that it raises is a bare Exception with a text.
        if type(error) is not Exception:
            raise
        message = str(error)
        if message.startswith("No point with id"):
            raise Refused(f"Not found: {message}", status=404) from error
        if message.startswith("Service"):
            raise Refused(f"Service internal error: {message}", status=500) from error
        raise Refused(f"Wrong input: {message}") from error


class Shard:
    """A shard on disk, open in this process alone. Reads need no lock; writes, flushes and closing take turns.

    The engine writes an update to its log before `update` returns: it survives the death of this process. `flush` makes
    it survive a loss of power, and lets the log be cut.
    """

    def __init__(self, engine: qe.EdgeShard) -> None:
        self.engine = engine
        self.operations = 0
        self._lock = threading.Lock()
        self._unflushed = 0
        self._unoptimized = 0
        self._first_unflushed = 0.0
        self._last_write = time.monotonic()
        self._closed = False

    @classmethod
    def create(cls, folder: Path, config: qe.EdgeConfig) -> "Shard":
        folder.mkdir(parents=True)
        with engine_errors():
            return cls(qe.EdgeShard.create(str(folder), config))

    @classmethod
    def load(cls, folder: Path) -> "Shard":
        with engine_errors():
            return cls(qe.EdgeShard.load(str(folder)))

    def apply(self, updates: Sequence[qe.UpdateOperation], touched: int) -> int:
        """Apply updates in order and return the number of the last one. `touched` is about how many points they change."""
        with self._lock, engine_errors():
            self._open()
            points = self.engine.info().points_count if touched == 0 else 0
            for update in updates:
                self.engine.update(update)
                self.operations += 1
            changed = touched or abs(self.engine.info().points_count - points) or 1
            now = time.monotonic()
            self._first_unflushed = self._first_unflushed if self._unflushed else now
            self._unflushed += changed
            self._unoptimized += changed
            self._last_write = now
            return self.operations

    def maintain(self) -> float:
        """Flush and vacuum where it is due; the seconds that a vacuum took, 0 without one."""
        with self._lock, engine_errors():
            now = time.monotonic()
            if self._closed:
                return 0.0
            if self._unflushed and (
                now - self._first_unflushed >= _FLUSH_AFTER_S or self._unflushed >= _FLUSH_AFTER_POINTS
            ):
                self._flush()
            if self._unoptimized >= _OPTIMIZE_AFTER_POINTS and now - self._last_write >= _IDLE_S:
                self._unoptimized = 0
                if self.engine.optimize():
                    return time.monotonic() - now
            return 0.0

    def close(self) -> None:
        with self._lock, engine_errors():
            if not self._closed:
                self._closed = True
                self._flush()
                self.engine.close()

    def _flush(self) -> None:
        self.engine.flush()
        self._unflushed = 0

    def _open(self) -> None:
        if self._closed:
            raise Refused("Not found: the collection has just been deleted", status=404)
