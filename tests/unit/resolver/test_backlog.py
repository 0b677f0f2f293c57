"""Deltas that have piled up are taken as one, within limits; everything else is taken by itself."""

import orjson
import pytest
from pydantic import ValidationError

from footnote_resolver.relay.backlog import RawBacklog


def raw(kind: str, **data: object) -> bytes:
    head = {"turn_id": "t", "workspace_id": "w", "thread_id": "c", "at": "2026-03-02T10:00:00.000Z"}
    return orjson.dumps({**head, "type": kind, "data": data})


def delta(text: str) -> bytes:
    return raw("text.delta", text=text)


def taken(events: list[bytes]) -> list[str]:
    """The steps that events make that wait at once: the text of deltas, the type of another event."""
    backlog = RawBacklog()
    backlog.add(events)
    steps = []
    while size := backlog.next_size():
        event = backlog.take(size)
        steps.append(str(event.data.get("text", event.type)))
    return steps


def test_up_to_three_that_wait_stay_apart() -> None:
    assert taken([delta("a"), delta("b"), delta("c")]) == ["a", "b", "c"]


def test_four_that_wait_are_taken_as_one() -> None:
    assert taken([delta("a"), delta("b"), delta("c"), delta("d")]) == ["abcd"]


def test_those_that_wait_already_count() -> None:
    backlog = RawBacklog()
    backlog.add([delta("a"), delta("b"), delta("c")])
    backlog.add([delta("d"), delta("e")])
    assert [backlog.take(backlog.next_size()).data["text"] for _ in range(4)] == ["a", "b", "c", "de"]


@pytest.mark.parametrize(("last", "steps"), [(24, 1), (25, 2)])
def test_one_step_holds_a_thousand_and_twenty_four_characters(last: int, steps: int) -> None:
    parts = ["a" * 500, "b" * 300, "c" * 200, "d" * last]
    joined = taken([delta(part) for part in parts])
    assert len(joined) == steps
    assert "".join(joined) == "".join(parts)


def test_a_delta_of_any_length_is_one_step() -> None:
    assert taken([delta("a" * 5000), delta("b"), delta("c"), delta("d")]) == ["a" * 5000, "bcd"]


def test_another_event_is_a_step_of_its_own() -> None:
    events = [delta("a"), delta("b"), raw("progress", stage="x", label="y"), delta("c"), delta("d")]
    assert taken(events) == ["ab", "progress", "cd"]


@pytest.mark.parametrize("bad", [b"{", b"[]", raw("text.delta"), raw("text.delta", text=7)])
def test_a_malformed_event_is_joined_with_nothing(bad: bytes) -> None:
    backlog = RawBacklog()
    backlog.add([delta("a"), delta("b"), bad, delta("c"), delta("d")])
    assert backlog.take(backlog.next_size()).data == {"text": "ab"}
    assert backlog.next_size() == 1


def test_what_is_no_event_is_refused_when_it_is_taken() -> None:
    backlog = RawBacklog()
    backlog.add([b"{"])
    with pytest.raises(ValidationError):
        backlog.take(1)
