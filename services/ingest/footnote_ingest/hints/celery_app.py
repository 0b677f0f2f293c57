"""The Celery application: late acknowledgement, one task at a time per process, no result store."""

from celery import Celery

from footnote_ingest.hints.broker import HintQueues
from footnote_ingest.hints.queues import Task
from footnote_shared.settings.base import Settings

VISIBILITY_S = 120


def make_celery(settings: Settings) -> Celery:
    """A Celery application on the Redis of the settings.

    Celery redelivers the task of a killed worker only after the visibility time. Nothing depends on that:
    leases in SQL say who works on a document, and the sweep sends it again when its lease has run out.
    """
    app = Celery("footnote", broker=settings.redis_url, amqp=HintQueues)
    app.conf.update(
        task_ignore_result=True,
        task_acks_late=True,
        task_reject_on_worker_lost=False,
        task_serializer="json",
        accept_content=["json"],
        task_routes={task.value: {"queue": task.queue.value} for task in Task},
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        worker_send_task_events=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options={
            "visibility_timeout": VISIBILITY_S,
            "unacked_restore_interval": 10,
            "socket_connect_timeout": 2,
            "socket_timeout": 5,
            "health_check_interval": 10,
        },
        timezone="UTC",
        enable_utc=True,
    )
    return app
