"""The connection to the broker while Redis goes away: errors that Celery expects, and no long pauses."""

import logging
from typing import Any

import pytest

from footnote_ingest.hints.celery_app import make_celery
from footnote_ingest.hints.dispatch import Dispatcher
from footnote_ingest.hints.queues import Queue, Task
from footnote_shared.settings.base import Settings
from footnote_testing.eventually import LIMIT_S
from footnote_testing.redis_process import RedisProcess


def test_a_hint_can_be_acknowledged_after_its_connection_was_closed(
    redis_server: RedisProcess, caplog: pytest.LogCaptureFixture
) -> None:
    celery = make_celery(Settings(redis_url=redis_server.url))
    assert Dispatcher(celery).send(Task.INDEX, "0123")
    connection: Any = celery.connection_for_read()
    message: Any = connection.SimpleQueue(Queue.INDEX.value).get(timeout=LIMIT_S)
    expected = connection.connection_errors
    connection.collect()
    message.ack_log_error(logging.getLogger("test"), expected)
    assert "Couldn't ack" in caplog.text


class Enough(Exception):
    """The test has seen enough tries."""


def test_there_is_no_last_try_and_no_long_pause() -> None:
    celery = make_celery(Settings(redis_url="redis://127.0.0.1:1/0"))
    pauses: list[float] = []

    def note(error: Exception, pause: float) -> None:
        pauses.append(pause)
        if len(pauses) == 4:
            raise Enough

    with pytest.raises(Enough):
        celery.connection_for_read().ensure_connection(note, celery.conf.broker_connection_max_retries)
    # kombu's own second pause is 4 s.
    assert max(pauses) <= 2
    assert celery.conf.broker_connection_max_retries is None
