"""What every stage works with."""

from collections.abc import Callable
from dataclasses import dataclass, field

from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.work.policy import WorkPolicy
from footnote_ingest.work.renewer import LeaseRenewer
from footnote_shared.db.engine import Database


@dataclass(frozen=True, slots=True)
class WorkResources:
    """The parts that every stage needs.

    `worker` names the process in the leases that it takes. `stopping` says whether the worker was asked to
    stop, so that long work should be handed back.
    """

    database: Database
    dispatcher: Dispatcher
    policy: WorkPolicy
    worker: str
    stopping: Callable[[], bool] = lambda: False
    renewer: LeaseRenewer = field(init=False)
    """Renews the leases of this process."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "renewer", LeaseRenewer(self.database, self.policy))
