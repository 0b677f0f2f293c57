"""Sending hints of work after the commit. If a hint is lost, the sweep finds the work in SQL."""

import queue
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from celery import Celery
from kombu.exceptions import OperationalError

from footnote_ingest.hints.queues import Task
from footnote_shared.db.engine import WriteSession
from footnote_shared.telemetry import context, metrics
from footnote_shared.telemetry.logs import logger

_MOST_WAITING = 10_000
"""Hints that wait to be sent. More are not needed: the sweep sends what is missing."""

_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class Hint:
    """There is work of this kind on a document. `traceparent` is that of the request it came from."""

    task: Task
    document_id: str
    traceparent: str


class Dispatcher:
    """Sends tasks by name, with the trace of the current request, in the caller's own time."""

    def __init__(self, celery: Celery) -> None:
        self._celery = celery

    def send(self, task: Task, document_id: str) -> bool:
        """Send now. Returns False if the broker does not answer; the sweep will send it then."""
        return self.send_hint(Hint(task, document_id, context.traceparent()))

    def send_hint(self, hint: Hint) -> bool:
        """Like `send`, for a hint of an earlier request."""
        try:
            self._celery.send_task(
                hint.task.value,
                args=[hint.document_id],
                headers={"traceparent": hint.traceparent},
                retry=False,
                ignore_result=True,
            )
        except (OperationalError, ConnectionError, TimeoutError) as error:
            metrics.HINTS_LOST.labels("unreachable").inc()
            _log.warning("task.not_sent", task=hint.task.value, reason=type(error).__name__)
            return False
        return True

    def send_after_commit(self, session: WriteSession, task: Task, ids: Sequence[str]) -> None:
        """Send one hint per id as soon as the transaction is durable."""
        hints = [Hint(task, document_id, context.traceparent()) for document_id in ids]
        session.after_commit(lambda: self.send_all(hints))

    def send_all(self, hints: Sequence[Hint]) -> None:
        """Send until the broker does not answer; the sweep sends the rest."""
        for hint in hints:
            if not self.send_hint(hint):
                break


class BackgroundDispatcher(Dispatcher):
    """Sends in a thread of its own, so that no request waits for a broker that does not answer."""

    def __init__(self, celery: Celery) -> None:
        super().__init__(celery)
        self._waiting: queue.Queue[Hint | None] = queue.Queue(_MOST_WAITING)
        self._thread = threading.Thread(target=self._run, name="hints", daemon=True)
        self._thread.start()

    def send_all(self, hints: Sequence[Hint]) -> None:
        """Leave the hints to the thread. What does not fit is left to the sweep."""
        for at, hint in enumerate(hints):
            try:
                self._waiting.put_nowait(hint)
            except queue.Full:
                metrics.HINTS_LOST.labels("full").inc(len(hints) - at)
                break

    def close(self, within_s: float = 2.0) -> None:
        """Send what waits, for at most `within_s` seconds."""
        try:
            self._waiting.put(None, timeout=within_s)
        except queue.Full:
            return
        self._thread.join(within_s)

    def _run(self) -> None:
        while (hint := self._waiting.get()) is not None:
            try:
                self.send_hint(hint)
            except Exception as error:  # noqa: BLE001
                # Without this thread every document would wait for the sweep, until the process ends.
                metrics.HINTS_LOST.labels("unreachable").inc()
                _log.error("task.not_sent", task=hint.task.value, reason=repr(error))
