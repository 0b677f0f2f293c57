"""When the next version of a lane takes over by itself, and when it waits for a person."""

import pytest

from footnote_ingest.contracts.lanes import LaneChecks
from footnote_ingest.lanes.checks import verdict
from footnote_ingest.store.lane_tables import LaneVersionRow


def version(min_overlap: float = 0.0) -> LaneVersionRow:
    return LaneVersionRow(lane="document", number=2, status="checking", model="m", min_overlap=min_overlap)


@pytest.mark.parametrize(
    ("min_overlap", "checks"),
    [
        (0.0, LaneChecks()),
        (0.0, LaneChecks(overlap=0.0)),
        (0.5, LaneChecks(overlap=0.5)),
        (0.5, LaneChecks(overlap=None)),
        (0.0, LaneChecks(overlap=0.1, ndcg_live=0.5, ndcg_next=0.5)),
        (0.0, LaneChecks(ndcg_live=0.5, ndcg_next=0.6)),
        (0.0, LaneChecks(cut=0)),
    ],
)
def test_it_takes_over(min_overlap: float, checks: LaneChecks) -> None:
    assert verdict(version(min_overlap), checks) is None


@pytest.mark.parametrize(
    ("min_overlap", "checks", "said"),
    [
        (0.5, LaneChecks(overlap=0.49), "0.49"),
        (0.0, LaneChecks(overlap=1.0, ndcg_live=0.5, ndcg_next=0.499), "0.499"),
        (0.0, LaneChecks(overlap=1.0, cut=1), "reads less"),
    ],
)
def test_it_waits_and_says_why(min_overlap: float, checks: LaneChecks, said: str) -> None:
    assert said in str(verdict(version(min_overlap), checks))
