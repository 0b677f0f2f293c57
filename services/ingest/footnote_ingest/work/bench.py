"""What every stage works with."""

from dataclasses import dataclass

from footnote_ingest.work.policy import WorkPolicy
from footnote_shared.db.engine import Database
from footnote_shared.tasks.dispatch import Dispatcher


@dataclass(frozen=True, slots=True)
class Bench:
    """The parts that every stage needs. `worker` names the process in the leases that it takes."""

    database: Database
    dispatcher: Dispatcher
    policy: WorkPolicy
    worker: str
