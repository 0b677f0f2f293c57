"""What becomes of the work on a row when an exception ends it."""

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Any, ClassVar, Generic, TypeVar

from footnote_ingest.work.resources import WorkResources
from footnote_ingest.work.row_lease import RowLease, WorkLost
from footnote_shared.kernel.errors import TryLater
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)

Held = TypeVar("Held", bound=RowLease[Any])


class RecordedWork(ABC, Generic[Held]):
    """An exception that leaves the block is recorded on the row, which waits for another try or ends.

    Those that are `foreseen` end here, as WorkLost does. Any other one goes on to the caller after that.
    """

    foreseen: ClassVar[tuple[type[Exception], ...]]

    def __init__(self, work: WorkResources, lease: Held) -> None:
        self.work = work
        self.lease = lease

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            # A worker that ends lets go of all it holds, or its lease runs out.
            return False
        try:
            self.record(error)
        except (WorkLost, TryLater):
            # The lease runs out by itself, and the sweeper finds the row.
            _log.warning(f"{self.lease.named}.not_released", **self.lease.subject)
        return isinstance(error, (WorkLost, *self.foreseen))

    @abstractmethod
    def record(self, error: Exception) -> None:
        """Say on the row what went wrong, and let go of it. May raise WorkLost and TryLater."""
