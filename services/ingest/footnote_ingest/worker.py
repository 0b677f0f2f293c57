"""The Celery worker of ingest: `celery_app` for `footnote worker`."""

import gc
import os
import signal
import sys
import threading
from contextlib import suppress
from typing import Any

import psutil
from celery import signals

from footnote_ingest.hints.celery_app import make_celery
from footnote_ingest.store.connector_tables import ConnectorRunRow
from footnote_ingest.store.fact_tables import FactJobRow
from footnote_ingest.store.lane_tables import LaneVersionRow
from footnote_ingest.tasks import hinted, periodic
from footnote_ingest.tasks.resources import WorkerResources, resources
from footnote_ingest.work.row_lease import release_rows_of
from footnote_ingest.work.shared_flag import SharedFlag
from footnote_ingest.work.take import release_leases_of
from footnote_shared.db.engine import Database
from footnote_shared.kernel.errors import TryLater
from footnote_shared.kernel.idle_memory import give_back_when_idle
from footnote_shared.settings.base import load_settings
from footnote_shared.telemetry.logs import logger
from footnote_shared.telemetry.tracing import end_traces, set_up_traces

_log = logger(__name__)
_STOP_WITHIN_S = 7.0
"""How long work in hand may go on after a worker was asked to stop: orchestrators wait for 10 s or more."""

_REFUSED_STATUS = 2

_BESIDE_DOCUMENTS = ConnectorRunRow, LaneVersionRow, FactJobRow
"""The tables whose rows a worker holds one by one."""

settings = load_settings()
celery_app = make_celery(settings)
hinted.register(celery_app)
periodic.register(celery_app)

_stopping, _refused = SharedFlag(), SharedFlag()


class _Node:
    """The worker's name, processes and queues, set in the parent and inherited by its processes."""

    name = "worker"
    processes = 1
    queues: frozenset[str] = frozenset()


@signals.celeryd_after_setup.connect  # type: ignore[untyped-decorator]
def _before_work(sender: str, instance: Any, **_: Any) -> None:
    """Before the fork: release what an earlier life held, and let the processes share what is in memory."""
    _Node.name = sender
    _Node.processes = instance.concurrency
    _Node.queues = frozenset(instance.app.amqp.queues.consume_from)
    _release_leases(try_counts=True)
    gc.collect()
    # The collector leaves alone what is there now: looking at it would copy the pages that are shared.
    gc.freeze()


@signals.worker_process_init.connect  # type: ignore[untyped-decorator]
def _open(**_: Any) -> None:
    opened = WorkerResources(settings, celery_app, _Node.name, _Node.processes, _stopping.is_set)
    resources.open(opened)
    set_up_traces(settings, "worker")
    give_back_when_idle()
    opened.warm(_Node.queues, _refuse)


@signals.worker_process_shutdown.connect  # type: ignore[untyped-decorator]
def _close(**_: Any) -> None:
    resources.close()
    end_traces()


@signals.worker_shutting_down.connect  # type: ignore[untyped-decorator]
def _begin_to_stop(**_: Any) -> None:
    """Asked to stop: work in hand ends or is handed back, and what takes too long is cut off."""
    _stopping.set()
    late = threading.Timer(_STOP_WITHIN_S, _cut_off)
    late.daemon = True
    late.start()


@signals.worker_shutdown.connect  # type: ignore[untyped-decorator]
def _after_work(**_: Any) -> None:
    if _refused.is_set():
        # Celery would end with the status of a worker that was asked to stop.
        os._exit(_REFUSED_STATUS)


def _refuse(problem: str) -> None:
    """Called in a process of the pool: this worker can never do its work, so all of it ends."""
    if not _refused.is_set():
        _refused.set()
        _log.critical("worker.refuses_to_start", reason=problem)
        print(f"footnote: {problem}", file=sys.stderr, flush=True)
        os.kill(os.getppid(), signal.SIGTERM)


def _cut_off() -> None:
    """End the processes of the pool, hand back what they held, and end."""
    pool = psutil.Process().children()
    for process in pool:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(pool, timeout=1)
    _release_leases(try_counts=False)
    os._exit(_REFUSED_STATUS if _refused.is_set() else 0)


def _release_leases(*, try_counts: bool) -> None:
    database = Database.from_settings(settings)
    try:
        released = release_leases_of(database, _Node.name, try_counts=try_counts)
        runs = sum(release_rows_of(database, table, _Node.name) for table in _BESIDE_DOCUMENTS)
        _log.info("worker.leases_released", worker=_Node.name, released=released, runs=runs)
    except TryLater as error:
        # The leases run out by themselves.
        _log.warning("worker.leases_not_released", reason=error.detail)
    finally:
        database.close()
