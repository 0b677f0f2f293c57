"""What every task has in common: the trace of its sender, counts and durations, and a sign that its worker consumes."""

import time
from functools import cache
from typing import Any

import redis
from celery import Task

from footnote_shared.redis.connection import connect
from footnote_shared.redis.keys import worker_beat
from footnote_shared.telemetry import context, metrics
from footnote_shared.telemetry.logs import logger

_log = logger(__name__)
_BEAT_KEPT_S = 24 * 3600


class FootnoteTask(Task):  # type: ignore[misc]
    """Base class of all tasks. A task takes ids and makes one domain call; what goes wrong with a document is recorded in
    SQL by that call, so an exception that reaches Celery is a fault of ours and is logged, never retried by Celery."""

    abstract = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run under the sender's trace, measured."""
        trace = context.trace_id.set(context.trace_of(self.request.get("traceparent")))
        workspace = context.workspace_id.set("")
        subject = context.subject.set("")
        begun = time.perf_counter()
        outcome = "error"
        try:
            result = super().__call__(*args, **kwargs)
            outcome = "ok"
        finally:
            metrics.TASKS.labels(self.name, outcome).inc()
            metrics.TASK_SECONDS.labels(self.name).observe(time.perf_counter() - begun)
            self._beat()
            context.subject.reset(subject)
            context.workspace_id.reset(workspace)
            context.trace_id.reset(trace)
        return result

    def _beat(self) -> None:
        """Say that this worker has consumed something. A worker can answer pings and take no work after Redis was away:
        only this tells the two apart."""
        try:
            _redis(self.app.conf.broker_url).set(
                worker_beat(self.request.hostname or "?"), f"{time.time():.3f}", ex=_BEAT_KEPT_S
            )
        except redis.RedisError as error:
            _log.warning("worker.beat_not_sent", reason=type(error).__name__)


@cache
def _redis(url: str) -> redis.Redis:
    """One client per process; its connections notice a fork by themselves."""
    return connect(url)
