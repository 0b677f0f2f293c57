"""The thread that sends hints: it outlives a broker that is away, and is begun again where it died."""

from typing import Any

import pytest
from kombu.exceptions import OperationalError

from footnote_ingest.hints.dispatch import BackgroundDispatcher, Hint
from footnote_ingest.hints.queues import Task
from footnote_testing.eventually import eventually


class Broker:
    """Raises these in turn, then takes what it is given."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.taken: list[str] = []
        self.messages: list[list[str]] = []

    def send_task(self, name: str, args: Any = None, kwargs: Any = None, **options: Any) -> None:
        if self.errors:
            raise self.errors.pop()
        self.taken += args
        self.messages.append(args)


def hint(document_id: str, task: Task = Task.INDEX) -> Hint:
    return Hint(task, (document_id,), "")


def test_a_broker_that_is_away_costs_its_hints_alone() -> None:
    broker = Broker(OperationalError("away"))
    hints = BackgroundDispatcher(broker)
    hints.send_all([hint("a")])
    eventually(lambda: not broker.errors, "the first hint is lost")
    hints.send_all([hint("b")])
    hints.close(60)
    assert broker.taken == ["b"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_died_is_begun_again() -> None:
    broker = Broker(KeyError("nobody foresaw it"))
    hints = BackgroundDispatcher(broker)
    hints.send_all([hint("a")])

    def sent() -> bool:
        hints.send_all([hint("b")])
        return bool(broker.taken)

    eventually(sent, "hints go out again")
    hints.close(60)


def test_in_a_stream_documents_wait_for_each_other() -> None:
    broker = Broker()
    hints = BackgroundDispatcher(broker, gathered_s=3600)
    hints.send_all([hint("a")])
    eventually(lambda: broker.messages == [["a"]], "the first of a stream waits for nobody")
    for document_id in ("b", "c", "d"):
        hints.send_all([hint(document_id)])
    hints.close(60)
    assert broker.messages == [["a"], ["b", "c", "d"]]


def test_what_is_full_or_for_one_alone_waits_for_nothing() -> None:
    broker = Broker()
    hints = BackgroundDispatcher(broker, gathered_s=3600)
    hints.send_all([hint("a")])
    eventually(lambda: broker.messages == [["a"]], "the first of a stream is sent")
    full = [str(number) for number in range(Task.INDEX.together)]
    hints.send_all([hint(document_id) for document_id in full])
    eventually(lambda: broker.messages[1:] == [full], "a full hint is sent")
    hints.send_all([hint("b"), hint("gone", Task.REMOVE)])
    eventually(lambda: broker.messages[2:] == [["b"], ["gone"]], "a removal is sent, and what it found")
    hints.close(60)


def test_a_document_in_a_stream_waits_for_a_moment_alone() -> None:
    broker = Broker()
    hints = BackgroundDispatcher(broker)
    hints.send_all([hint("a")])
    eventually(lambda: broker.taken == ["a"], "the first is sent")
    hints.send_all([hint("b")])
    eventually(lambda: broker.taken == ["a", "b"], "the second is sent though nobody joins it", limit_s=30)
    hints.close(60)
