"""What the probe of the images says of an address."""

from deploy.healthcheck import problem
from prometheus_client import CollectorRegistry

from footnote_cli.listening import listen
from footnote_cli.worker_health import answer_probes


def served(wrong: str | None) -> str:
    door = listen("127.0.0.1", 0)
    answer_probes(door, CollectorRegistry(), lambda: wrong)
    return f"http://127.0.0.1:{door.getsockname()[1]}/healthz"


def test_what_answers_with_200_has_no_problem() -> None:
    assert problem(served(None)) is None


def test_a_process_that_is_not_well_is_told_with_its_own_words() -> None:
    told = problem(served("It takes nothing."))
    assert told is not None
    assert "503" in told
    assert "It takes nothing." in told


def test_an_address_at_which_nobody_listens_does_not_answer() -> None:
    with listen("127.0.0.1", 0) as closed:
        address = f"http://127.0.0.1:{closed.getsockname()[1]}/healthz"
    told = problem(address)
    assert told is not None
    assert "does not answer" in told
