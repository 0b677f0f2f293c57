"""`footnote worker` and `footnote beat`: the Celery processes of ingest."""

import socket
from pathlib import Path
from typing import Annotated

import typer
from billiard import common as billiard_common
from billiard import pool as billiard_pool
from celery.apps import worker as celery_worker
from celery.concurrency import prefork as celery_pool
from prometheus_client import CollectorRegistry
from prometheus_client.multiprocess import MultiProcessCollector

from footnote_cli.listening import listen
from footnote_cli.metrics_folder import metrics_folder
from footnote_cli.services import load_celery, load_clock
from footnote_cli.where_it_stands import tell_threads, tell_threads_on_signal
from footnote_cli.worker_health import ClockHealth, WorkerHealth, answer_probes
from footnote_shared.settings.base import Settings, load_settings
from footnote_shared.telemetry.logs import set_up_logs


def worker(
    queues: Annotated[
        str, typer.Option(help="Queues to work on, separated by commas.")
    ] = "parse,media,embed,index,connectors,facts,maintenance",
    concurrency: Annotated[int, typer.Option(help="Processes that work at once.")] = 2,
    name: Annotated[
        str, typer.Option(help="Name of this worker; two on one machine need two names.")
    ] = "worker",
) -> None:
    """Run a Celery worker that does the work of ingest on some queues.

    Example: `footnote worker --queues embed --concurrency 1 --name embedder`

    With FOOTNOTE_WORKER_METRICS_PORT it answers /metrics and /healthz; /healthz is 503 when messages wait and
    the idle worker takes none.

    A worker waits for a Redis that does not answer for as long as it takes. It ends within 10 s of SIGTERM.

    Exit status: 0 after SIGTERM, when the work in hand is done or handed back; 1 when it cannot start, or
    ends without being asked to; 2 on wrong use, or with a model that does not fit the lane.
    """
    settings = load_settings()
    set_up_logs(settings, f"worker:{queues}")
    folder = metrics_folder(settings.data, name)
    if settings.worker_metrics_port:
        _answer_probes(settings, folder, WorkerHealth(settings.redis_url, queues.split(",")))
    celery = load_celery()
    _tell_threads_instead()
    running = celery.Worker(
        hostname=f"{name}@{socket.gethostname()}",
        queues=queues,
        pool_cls="prefork",
        concurrency=concurrency,
        loglevel=settings.log_level,
        without_gossip=True,
        without_mingle=True,
    )
    running.start()
    raise typer.Exit(exit_status(running.exitcode))


def _tell_threads_instead() -> None:
    """Put our answer to SIGUSR1 in the place of the libraries' own.

    Celery's holds the values of all variables, passwords and people's text too. That of a process of its pool
    raises an error in its task, or ends it before the first one.
    """
    celery_worker.install_cry_handler = tell_threads_on_signal
    # While a process of the pool begins it would end at it. It keeps the answer that its parent has.
    for reset in (
        celery_pool.WORKER_SIGRESET,
        billiard_common.TERMSIGS_DEFAULT,
        billiard_common.TERMSIGS_FULL,
    ):
        reset.discard("SIGUSR1")
    # The pool takes this for its own, and sets it as a handler when it has begun.
    billiard_pool.soft_timeout_sighandler = lambda *_: tell_threads()


def exit_status(reported: int | None) -> int:
    """The exit status for what Celery's worker reports at its end: 0 only when a signal asked it to stop.

    It reports None when it ended and does not know why. Celery's own command ends with 0 in every case.
    """
    return 0 if reported == 0 else 1


def beat() -> None:
    """Run the clock that wakes the sweeper, which finds work whose worker was lost. One is enough.

    Example: `footnote beat`

    Exit status: 0 after SIGTERM, 1 when it cannot start, 2 on wrong use.
    """
    settings = load_settings()
    set_up_logs(settings, "beat")
    folder = metrics_folder(settings.data, "beat")
    if settings.worker_metrics_port:
        _answer_probes(settings, folder, ClockHealth(settings.sweep_s))
    celery = load_clock(settings)
    schedule = settings.data / "run" / "beat-schedule"
    schedule.parent.mkdir(parents=True, exist_ok=True)
    celery.start(argv=["beat", f"--loglevel={settings.log_level}", f"--schedule={schedule}", "--pidfile="])


def _answer_probes(settings: Settings, folder: Path, health: WorkerHealth | ClockHealth) -> None:
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(folder))  # type: ignore[no-untyped-call]
    answer_probes(listen(settings.host, settings.worker_metrics_port), registry, health.problem)
