"""Where a relay stands in the events stream: nothing is written twice, the end is numbered behind all."""

import json
from datetime import UTC, datetime

from footnote_resolver.relay.position import RelayPosition
from footnote_resolver.relay.requests import OutgoingEvent
from footnote_resolver.streams.turn_streams import UNKNOWN, WrittenEvent

AT = datetime(2026, 3, 2, tzinfo=UTC)


def delta(text: str) -> OutgoingEvent:
    return OutgoingEvent("text.delta", {"text": text}, AT)


def written(*texts: str) -> list[WrittenEvent]:
    """A stream that holds these deltas."""
    fresh = RelayPosition("t").number([delta(text) for text in texts])
    return [
        WrittenEvent(f"{n}000-{n}", event.type, event.line.decode(), "") for n, event in enumerate(fresh, 1)
    ]


def test_events_are_numbered_from_one() -> None:
    fresh = RelayPosition("t").number([delta("a"), delta("b")])
    assert [json.loads(event.line)["seq"] for event in fresh] == [1, 2]


def test_what_is_written_is_passed_over_and_counted() -> None:
    position = RelayPosition("t", written("a", "b"))
    assert (position.present, position.moment_ms, position.passes_over) == (2, 2000, True)
    fresh = position.number([delta("a"), delta("b"), delta("c")])
    assert [json.loads(event.line)["seq"] for event in fresh] == [position.next_seq] == [3]
    assert not position.passes_over


def test_an_append_moves_the_position() -> None:
    position = RelayPosition("t")
    position.appended(2, 1500)
    assert (position.present, position.moment_ms, position.next_seq, position.end_seq) == (2, 1500, 3, 3)


def test_the_end_counts_what_redis_has_lost() -> None:
    position = RelayPosition("t", written("a", "b"))
    position.lose_stream(known=True)
    assert (position.present, position.moment_ms, position.next_seq, position.end_seq) == (0, 0, 1, 3)


def test_the_end_has_no_number_where_nobody_knows_what_was_lost() -> None:
    position = RelayPosition("t")
    position.lose_stream(known=False)
    assert position.end_seq == UNKNOWN


def test_a_stream_has_ended_when_its_last_event_is_terminal() -> None:
    assert not RelayPosition("t", written("a")).ended
    assert RelayPosition("t", [*written("a"), WrittenEvent("2-2", "turn.cancelled", "{}", "")]).ended
