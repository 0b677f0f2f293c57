"""What every stage works with."""

from collections.abc import Callable
from dataclasses import dataclass

from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.work.policy import WorkPolicy
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
