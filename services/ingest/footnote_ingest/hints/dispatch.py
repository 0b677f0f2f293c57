"""Sending hints of work after the commit. If a hint is lost, the sweep finds the work in SQL."""

import math
import queue
import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from celery import Celery
from celery.exceptions import CeleryError
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from footnote_ingest.hints.queues import Task
from footnote_shared.db.engine import WriteSession
from footnote_shared.telemetry import context, metrics
from footnote_shared.telemetry.logs import logger

_MOST_WAITING = 10_000
"""Hints that wait to be sent. More are not needed: the sweep sends what is missing."""

_GATHERED_S = 0.25
"""Seconds after one hint in which others of its kind wait for each other.

In a stream of uploads a worker would otherwise read each document by itself, at three times the cost.
"""

_log = logger(__name__)

_NOT_SENT = (CeleryError, KombuError, RedisError, OSError)
"""What the broker's libraries raise. All of it means the same: the hint did not go out."""


@dataclass(frozen=True, slots=True)
class Hint:
    """There is work of this kind on these documents. `traceparent` is that of the request it came from."""

    task: Task
    document_ids: tuple[str, ...]
    traceparent: str


def hints_of(task: Task, ids: Sequence[str]) -> list[Hint]:
    """As few hints for these documents as the task allows, with the trace of the current request."""
    return [
        Hint(task, tuple(ids[start : start + task.together]), context.traceparent())
        for start in range(0, len(ids), task.together)
    ]


def joined(hints: Iterable[Hint]) -> list[Hint]:
    """The same documents in fewer hints. A hint that was made of several has the trace of the first."""
    ids: dict[Task, dict[str, None]] = {}
    first: dict[Task, str] = {}
    for hint in hints:
        ids.setdefault(hint.task, {}).update(dict.fromkeys(hint.document_ids))
        first.setdefault(hint.task, hint.traceparent)
    return [
        replace(hint, traceparent=first[task])
        for task, named in ids.items()
        for hint in hints_of(task, list(named))
    ]


class Dispatcher:
    """Sends tasks by name, with the trace of the current request, in the caller's own time."""

    def __init__(self, celery: Celery) -> None:
        self._celery = celery

    def send(self, task: Task, document_id: str) -> bool:
        """Send now. Returns False if the broker does not answer; the sweep will send it then."""
        return self.send_hint(Hint(task, (document_id,), context.traceparent()))

    def send_many(self, task: Task, ids: Sequence[str]) -> None:
        """Like `send`, with as few messages as the task allows."""
        self.send_all(hints_of(task, ids))

    def send_hint(self, hint: Hint) -> bool:
        """Like `send`, for a hint of an earlier request."""
        try:
            self._celery.send_task(
                hint.task.value,
                args=list(hint.document_ids),
                headers={"traceparent": hint.traceparent},
                retry=False,
                ignore_result=True,
            )
        except _NOT_SENT as error:
            metrics.HINTS_LOST.labels("unreachable").inc()
            _log.warning("task.not_sent", task=hint.task.value, reason=type(error).__name__)
            return False
        return True

    def send_after_commit(self, session: WriteSession, task: Task, ids: Sequence[str]) -> None:
        """Send hints for these documents as soon as the transaction is durable."""
        hints = hints_of(task, ids)
        session.after_commit(lambda: self.send_all(hints))

    def send_all(self, hints: Sequence[Hint]) -> None:
        """Send until the broker does not answer; the sweep sends the rest."""
        for hint in hints:
            if not self.send_hint(hint):
                break


class BackgroundDispatcher(Dispatcher):
    """Sends in a thread of its own, so that no request waits for a broker that does not answer.

    The first hint after a pause is sent at once. In a stream of them, those that name documents that go
    together are gathered.
    """

    def __init__(self, celery: Celery, gathered_s: float = _GATHERED_S) -> None:
        super().__init__(celery)
        self._gathered_s = gathered_s
        self._sent_at = -math.inf
        self._waiting: queue.Queue[Hint | None] = queue.Queue(_MOST_WAITING)
        self._begin = threading.Lock()
        self._closed = False
        self._thread = self._begun()

    def send_all(self, hints: Sequence[Hint]) -> None:
        """Leave the hints to the thread. What does not fit is left to the sweep.

        A thread that an unforeseen error has ended is begun again. Its hint is lost, and the sweep sends it.
        """
        with self._begin:
            if not self._closed and not self._thread.is_alive():
                metrics.HINTS_LOST.labels("unreachable").inc()
                self._thread = self._begun()
        for at, hint in enumerate(hints):
            try:
                self._waiting.put_nowait(hint)
            except queue.Full:
                metrics.HINTS_LOST.labels("full").inc(len(hints) - at)
                break

    def close(self, within_s: float = 2.0) -> None:
        """Send what waits, for at most `within_s` seconds."""
        self._closed = True
        try:
            self._waiting.put(None, timeout=within_s)
        except queue.Full:
            return
        self._thread.join(within_s)

    def _begun(self) -> threading.Thread:
        thread = threading.Thread(target=self._run, name="hints", daemon=True)
        thread.start()
        return thread

    def _run(self) -> None:
        while (hint := self._waiting.get()) is not None:
            waiting, ended = self._others([hint])
            for each in joined(waiting):
                self.send_hint(each)
            self._sent_at = time.monotonic()
            if ended:
                return

    def _others(self, waiting: list[Hint]) -> tuple[list[Hint], bool]:
        """These hints and those that come while they are gathered, and whether the thread is to end."""
        while True:
            left = self._sent_at + self._gathered_s - time.monotonic()
            try:
                if left > 0 and _may_wait(waiting):
                    hint = self._waiting.get(timeout=left)
                else:
                    hint = self._waiting.get_nowait()
            except queue.Empty:
                return waiting, False
            if hint is None:
                return waiting, True
            waiting.append(hint)


def _may_wait(hints: Sequence[Hint]) -> bool:
    """Whether more documents may go together with these: no hint is for one alone, and none is full."""
    named: Counter[Task] = Counter()
    for hint in hints:
        named[hint.task] += len(hint.document_ids)
    return all(count < task.together for task, count in named.items())
