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

    def send_task(self, name: str, args: Any = None, kwargs: Any = None, **options: Any) -> None:
        if self.errors:
            raise self.errors.pop()
        self.taken += args


def hint(document_id: str) -> Hint:
    return Hint(Task.INDEX, (document_id,), "")


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
