"""The Celery worker of ingest: `celery_app` for `footnote worker` and `footnote beat`."""

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

from celery import signals

from footnote_ingest.pipeline.lane_check import lane_problem
from footnote_ingest.tasks import hinted, periodic
from footnote_ingest.tasks.runtime import Runtime, runtime
from footnote_ingest.work.take import release_leases_of
from footnote_shared.db.engine import Database
from footnote_shared.kernel.errors import TryLater
from footnote_shared.settings.base import load_settings
from footnote_shared.tasks.celery_app import make_celery
from footnote_shared.tasks.queues import Queue, Task
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)
_TIDY_EVERY_S = 3600.0

settings = load_settings()
celery_app = make_celery(settings)
hinted.register(celery_app)
periodic.register(celery_app)
# A run expires when the next one is due, so that runs do not pile up while no worker listens.
celery_app.conf.beat_schedule = {
    "sweep": {
        "task": Task.SWEEP.value,
        "schedule": settings.sweep_s,
        "options": {"expires": settings.sweep_s},
    },
    "tidy": {"task": Task.TIDY.value, "schedule": _TIDY_EVERY_S, "options": {"expires": _TIDY_EVERY_S}},
}


class _Node:
    """The worker's name, processes and queues, set in the parent and inherited by its processes."""

    name = "worker"
    processes = 1
    queues: frozenset[str] = frozenset()


@signals.celeryd_after_setup.connect  # type: ignore[untyped-decorator]
def _before_work(sender: str, instance: Any, **_: Any) -> None:
    """Before the fork: refuse a lane that does not fit the model, and release what an earlier life held."""
    _Node.name = sender
    _Node.processes = instance.concurrency
    _Node.queues = frozenset(instance.app.amqp.queues.consume_from)
    if Queue.EMBED.value in _Node.queues:
        problem = _lane_problem()
        if problem is not None:
            _log.critical("worker.refuses_to_start", reason=problem)
            print(f"footnote: {problem}", file=sys.stderr, flush=True)
            # Celery would turn a SystemExit into an exit status of 0. Nothing is open yet that would have to
            # be closed.
            os._exit(2)
    database = Database.from_settings(settings)
    try:
        released = release_leases_of(database, sender)
        _log.info("worker.starts", worker=sender, released=released)
    except TryLater as error:
        # The leases run out by themselves.
        _log.warning("worker.leases_not_released", reason=error.detail)
    finally:
        database.close()


@signals.worker_process_init.connect  # type: ignore[untyped-decorator]
def _open(**_: Any) -> None:
    opened = Runtime(settings, celery_app, _Node.name, _Node.processes)
    runtime.open(opened)
    opened.warm(_Node.queues)


@signals.worker_process_shutdown.connect  # type: ignore[untyped-decorator]
def _close(**_: Any) -> None:
    runtime.close()


def _lane_problem() -> str | None:
    """Ask in a process that is never forked, because the model's threads do not survive a fork."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(lane_problem, settings).result()
