"""Where a reader stands: ids of events, as positions that sort."""

import pytest

from footnote_resolver.readers.stream_position import (
    BEGINNING,
    moment_of,
    number_of,
    position_of,
    position_of_header,
)
from footnote_shared.kernel.errors import InvalidRequest


def test_time_sorts_before_number() -> None:
    ids = ["0-1", "1-0", "1-1", "1-9223372036854775807", "2-0", "18446744073709551615-1"]
    positions = [position_of(one) for one in ids]
    assert positions == sorted(positions)
    assert len(set(positions)) == len(positions)


def test_a_position_has_its_halves() -> None:
    position = position_of("1795271789156-12")
    assert (moment_of(position), number_of(position)) == (1795271789156, 12)
    assert position_of("7") == position_of("7-0")


@pytest.mark.parametrize("header", [None, ""])
def test_a_reader_without_a_header_begins_at_the_beginning(header: str | None) -> None:
    assert position_of_header(header) == BEGINNING < position_of("0-1")


@pytest.mark.parametrize(
    "header",
    ["yesterday", "-1", "1-", "1-x", "1-1-1", " 1-1", "1-1 ", "+1-1", "١-١", "1" * 21, "1-" + "1" * 20],
)
def test_what_no_stream_has_sent_is_refused(header: str) -> None:
    with pytest.raises(InvalidRequest):
        position_of_header(header)
