"""The tasks that beat starts at intervals: sweeping and tidying up."""

from datetime import timedelta

from celery import Celery

from footnote_ingest.chunking.cut_digest import cut_digest
from footnote_ingest.hints.queues import Task
from footnote_ingest.lanes.recorded_queries import RecordedQueries
from footnote_ingest.maintenance.census import report
from footnote_ingest.maintenance.erase_avatar import sweep_avatars
from footnote_ingest.maintenance.erase_workspace import sweep_workspaces
from footnote_ingest.maintenance.rechunk import go_on
from footnote_ingest.maintenance.sweep import sweep as sweep_once
from footnote_ingest.maintenance.sweep_connectors import sweep_connectors
from footnote_ingest.maintenance.sweep_destroyed import sweep_destroyed
from footnote_ingest.maintenance.sweep_facts import sweep_facts, tidy_facts
from footnote_ingest.maintenance.sweep_lanes import sweep_lanes
from footnote_ingest.maintenance.tidy import tidy as tidy_once
from footnote_ingest.maintenance.tidy_connectors import tidy_connectors
from footnote_ingest.tasks.base_task import FootnoteTask
from footnote_ingest.tasks.resources import resources


def register(app: Celery) -> None:
    """Make the tasks known to the application."""

    @app.task(name=Task.SWEEP.value, base=FootnoteTask)  # type: ignore[untyped-decorator]
    def sweep() -> None:
        work = resources().work
        sweep_once(work.database, work.dispatcher, work.policy, resources().backlog)
        sweep_destroyed(work.database, work.dispatcher, work.policy)
        sweep_connectors(work.database, work.dispatcher, work.policy, resources().backlog)
        keep = timedelta(hours=resources().settings.lane_rollback_h)
        sweep_lanes(work.database, work.dispatcher, work.policy, resources().backlog, keep)
        settings = resources().settings
        allowed = settings.facts_allowed
        sweep_facts(work.database, work.dispatcher, work.policy, resources().backlog, allowed, settings.lane)
        sweep_workspaces(work.database, work.dispatcher, work.policy)
        sweep_avatars(work.database, work.dispatcher, work.policy)
        go_on(work.database, work.dispatcher, work.policy, cut_digest(resources().settings))
        report(work.database, resources().backlog)

    @app.task(name=Task.TIDY.value, base=FootnoteTask)  # type: ignore[untyped-decorator]
    def tidy() -> None:
        tidy_connectors(resources().work.database)
        tidy_facts(resources().work.database, resources().settings.facts_allowed)
        RecordedQueries.from_settings(resources().settings).forget(resources().work.database)
        tidy_once(resources().work, resources().remove_resources())
