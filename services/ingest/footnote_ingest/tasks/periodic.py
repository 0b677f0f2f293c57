"""The tasks that beat starts at intervals: sweeping and tidying up."""

from celery import Celery

from footnote_ingest.maintenance.census import report
from footnote_ingest.maintenance.sweep import sweep as sweep_once
from footnote_ingest.maintenance.tidy import tidy as tidy_once
from footnote_ingest.tasks.runtime import runtime
from footnote_shared.tasks.base import FootnoteTask
from footnote_shared.tasks.queues import Task


def register(app: Celery) -> None:
    """Make the tasks known to the application."""

    @app.task(name=Task.SWEEP.value, base=FootnoteTask)  # type: ignore[untyped-decorator]
    def sweep() -> None:
        bench = runtime().bench
        sweep_once(bench.database, bench.dispatcher, bench.policy, runtime().backlog)
        report(bench.database, runtime().backlog)

    @app.task(name=Task.TIDY.value, base=FootnoteTask)  # type: ignore[untyped-decorator]
    def tidy() -> None:
        tidy_once(runtime().bench, runtime().remove_tools())
