"""Many readers of timelines cost the database no more than a few, and other workspaces nothing."""

from contextlib import ExitStack

import pytest

from footnote_ingest.api.timeline_readers import TimelineReaders
from footnote_shared.kernel.errors import TooMany


def opened(stack: ExitStack, readers: TimelineReaders, count: int, workspace: str = "ws_1") -> None:
    for _ in range(count):
        stack.enter_context(readers.reading(workspace))


@pytest.mark.parametrize(("count", "pause_s"), [(1, 0.25), (12, 0.25), (13, 0.26), (300, 6.0)])
def test_together_look_fifty_times_a_second_at_most(count: int, pause_s: float) -> None:
    readers = TimelineReaders()
    with ExitStack() as stack:
        opened(stack, readers, count)
        assert readers.pause_s("ws_1") == pytest.approx(pause_s)
        assert readers.pause_s("ws_2") == 0.25


def test_of_one_workspace_are_500_at_most_and_leave_room_for_others() -> None:
    readers = TimelineReaders()
    with ExitStack() as stack:
        opened(stack, readers, 499)
        readers.check_room("ws_1")
        opened(stack, readers, 1)
        with pytest.raises(TooMany) as refused:
            readers.check_room("ws_1")
        assert refused.value.retry_after
        readers.check_room("ws_2")
    readers.check_room("ws_1")
