"""What all tasks have in common: the trace of their sender, metrics, a sign that their worker consumes."""

import time
from functools import cache
from typing import Any

import redis
from celery import Task

from footnote_shared.redis.connection import connect
from footnote_shared.redis.keys import worker_beat
from footnote_shared.telemetry import context, metrics, tracing
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)
_BEAT_KEPT_S = 24 * 3600


class FootnoteTask(Task):  # type: ignore[misc]
    """Base class of all tasks. A task takes ids and makes one domain call.

    That call records in SQL what goes wrong with a document. So an exception that reaches Celery is a fault
    of ours: Celery logs it and never retries.
    """

    abstract = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the task under the trace of its sender, and measure it."""
        header = self.request.get("traceparent")
        trace = context.trace_id.set(context.trace_of(header))
        parent = context.span_id.set(context.parent_of(header))
        workspace = context.workspace_id.set("")
        subject = context.subject.set("")
        begun = time.perf_counter()
        outcome = "error"
        try:
            with tracing.span(self.name, "consumer", messaging__system="celery", footnote__ids=len(args)):
                result = super().__call__(*args, **kwargs)
            outcome = "ok"
        finally:
            metrics.TASKS.labels(self.name, outcome).inc()
            metrics.TASK_SECONDS.labels(self.name).observe(time.perf_counter() - begun)
            self._beat()
            context.subject.reset(subject)
            context.workspace_id.reset(workspace)
            context.span_id.reset(parent)
            context.trace_id.reset(trace)
        return result

    def _beat(self) -> None:
        """Note that this worker has consumed something.

        After an outage of Redis a worker can answer pings and yet take no work. Only this note shows that.
        """
        try:
            _redis(self.app.conf.broker_url).set(
                worker_beat(self.request.hostname or "?"), f"{time.time():.3f}", ex=_BEAT_KEPT_S
            )
        except redis.RedisError as error:
            _log.warning("worker.beat_not_sent", reason=type(error).__name__)


@cache
def _redis(url: str) -> redis.Redis:
    """One client per process. Its connections notice a fork by themselves."""
    return connect(url)
