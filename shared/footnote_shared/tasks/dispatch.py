"""Sending hints of work after the commit. If a hint is lost, the sweep finds the work in SQL."""

from collections.abc import Sequence

from celery import Celery
from kombu.exceptions import OperationalError

from footnote_shared.db.engine import WriteSession
from footnote_shared.tasks.queues import Task
from footnote_shared.telemetry import context
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)


class Dispatcher:
    """Sends tasks by name, with the trace of the current request."""

    def __init__(self, celery: Celery) -> None:
        self._celery = celery

    def send(self, task: Task, *ids: str) -> bool:
        """Send now. Returns False if the broker does not answer; the sweep will send it then."""
        try:
            self._celery.send_task(
                task.value,
                args=list(ids),
                headers={"traceparent": context.traceparent()},
                retry=False,
                ignore_result=True,
            )
        except (OperationalError, ConnectionError, TimeoutError) as error:
            _log.warning("task.not_sent", task=task.value, reason=type(error).__name__)
            return False
        return True

    def send_after_commit(self, session: WriteSession, task: Task, ids: Sequence[str]) -> None:
        """Send one hint per id as soon as the transaction is durable."""
        wanted = list(ids)

        def send_all() -> None:
            for document_id in wanted:
                if not self.send(task, document_id):
                    break

        session.after_commit(send_all)
