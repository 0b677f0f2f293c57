"""What each workspace has open in a process."""

import pytest

from footnote_shared.kernel.open_counts import OpenCounts


def test_each_workspace_is_counted_by_itself_while_something_is_open() -> None:
    counts = OpenCounts()
    with counts.one_more("ws_1"), counts.one_more("ws_1"), counts.one_more("ws_2"):
        assert (counts["ws_1"], counts["ws_2"], counts["ws_3"]) == (2, 1, 0)
    assert (counts["ws_1"], counts["ws_2"]) == (0, 0)


def test_what_ends_by_a_failure_is_open_no_more() -> None:
    counts = OpenCounts()
    with pytest.raises(OSError, match="away"), counts.one_more("ws_1"):
        raise OSError("away")
    assert counts["ws_1"] == 0


def test_a_workspace_that_has_nothing_open_is_not_remembered() -> None:
    counts = OpenCounts()
    for number in range(100):
        with counts.one_more(f"ws_{number}"):
            assert len(counts) == 1
    assert counts["ws_1"] == 0
    assert len(counts) == 0
