"""What `footnote beat` sends, and when.

The clock only names tasks. It imports none of them, so it starts at once and stays small.
"""

from celery import Celery

from footnote_ingest.hints.celery_app import make_celery
from footnote_ingest.hints.queues import Task
from footnote_shared.settings.base import Settings

_TIDY_EVERY_S = 3600.0


def make_clock(settings: Settings) -> Celery:
    """A Celery application with the schedule, for a process that runs no task."""
    app = make_celery(settings)
    # A run expires when the next one is due, so that runs do not pile up while no worker listens.
    app.conf.beat_schedule = {
        "sweep": {
            "task": Task.SWEEP.value,
            "schedule": settings.sweep_s,
            "options": {"expires": settings.sweep_s},
        },
        "tidy": {"task": Task.TIDY.value, "schedule": _TIDY_EVERY_S, "options": {"expires": _TIDY_EVERY_S}},
    }
    return app
