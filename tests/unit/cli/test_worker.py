"""The exit status of `footnote worker`, by which whoever runs it knows whether to start it again."""

import pytest

from footnote_cli.commands.worker import exit_status


@pytest.mark.parametrize(
    ("reported", "status"),
    [
        pytest.param(0, 0, id="asked to stop"),
        pytest.param(1, 1, id="ended by an error"),
        pytest.param(None, 1, id="ended without a reason"),
    ],
)
def test_only_a_worker_that_was_asked_to_stop_ends_well(reported: int | None, status: int) -> None:
    assert exit_status(reported) == status
