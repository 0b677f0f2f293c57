from datetime import timedelta

import pytest

from footnote_ingest.parsing.errors import ParseFailed
from footnote_ingest.work.failures import failure_of
from footnote_ingest.work.policy import WorkPolicy
from footnote_ingest.work.stages import IN_WORK, TRANSITIONS
from footnote_shared.blobs.protocol import BlobMissing
from footnote_shared.contracts.documents import ENDED
from footnote_shared.kernel.errors import Misconfigured, Unavailable
from footnote_shared.settings.base import Settings
from tests.unit.ingest.defaults import work_policy


@pytest.mark.parametrize(
    ("failures", "seconds"), [(0, 1), (1, 1), (2, 2), (3, 4), (4, 8), (6, 32), (7, 60), (20, 60)]
)
def test_back_off_doubles_up_to_a_minute_and_is_spread_by_a_quarter(failures: int, seconds: float) -> None:
    policy = work_policy()
    waits = [policy.back_off(failures) / timedelta(seconds=seconds) for _ in range(500)]
    assert 0.75 <= min(waits) < 0.77
    assert 1.23 < max(waits) <= 1.25


def test_a_heartbeat_is_at_most_a_third_of_the_lease() -> None:
    policy = WorkPolicy.from_settings(Settings(lease_s=3.0, heartbeat_s=10.0))
    assert policy.heartbeat_s == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("error", "code", "retryable", "counts"),
    [
        (ParseFailed("Locked.", "encrypted"), "encrypted", False, True),
        (ParseFailed("Out of memory.", "memory", retryable=True), "memory", True, True),
        (BlobMissing("originals/x"), "blob_missing", False, True),
        (Unavailable("qdrant", "Down."), "qdrant_unavailable", True, False),
        (Misconfigured("No such lane."), "misconfigured", True, False),
        (ZeroDivisionError(), "internal", True, True),
    ],
)
def test_every_error_is_a_failure_that_says_whether_trying_again_can_help(
    error: Exception, code: str, retryable: bool, counts: bool
) -> None:
    failure = failure_of(error)
    assert (failure.code, failure.retryable, failure.counts) == (code, retryable, counts)
    assert "Error" not in failure.reason


def test_from_every_state_a_document_can_be_deleted_and_from_deleted_it_goes_nowhere() -> None:
    for status, following in TRANSITIONS.items():
        if status not in ("deleting", "deleted"):
            assert "deleting" in following
    assert TRANSITIONS["deleted"] == ()


def test_every_state_in_work_leads_to_an_end() -> None:
    for status in IN_WORK:
        reached, level = set[str](), {status}
        while level - reached:
            reached |= level
            level = {following for state in level for following in TRANSITIONS[state]}
        assert {"indexed", "failed", "deleted"} <= reached
        assert reached & ENDED
