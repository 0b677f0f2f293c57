"""What of a stranger's answer is passed on: whole events, of a bounded shape, however they are cut."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_agent.tool_servers.errors import ToolServerAway
from footnote_agent.tool_servers.message_shape import (
    MOST_CHECKED,
    MOST_DEEP,
    MOST_EVENTS,
    MOST_LINES,
    MOST_VALUES,
    EventPieces,
    check_message,
)


def result(**parts: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "result": parts}).encode()


def events_of(*pieces: bytes) -> list[bytes]:
    stream = EventPieces()
    found = [event for piece in pieces for event in stream.add(piece)]
    return [event for event in (*found, stream.rest()) if event]


class TestAMessage:
    def test_may_hold_much_of_its_own_and_few_parts(self) -> None:
        check_message(result(content=[], structuredContent={"a": [0] * (MOST_VALUES - 20)}))
        check_message(result(content=[0] * (MOST_CHECKED - 8)))
        with pytest.raises(ToolServerAway, match="parts"):
            check_message(result(content=[0] * MOST_CHECKED))
        with pytest.raises(ToolServerAway, match="values"):
            check_message(result(structuredContent={"a": [0] * MOST_VALUES}))

    def test_nests_so_deep_and_no_deeper(self) -> None:
        check_message(b"[" * MOST_DEEP + b"]" * MOST_DEEP)
        with pytest.raises(ToolServerAway, match="nests"):
            check_message(b"[" * (MOST_DEEP + 1) + b"]" * (MOST_DEEP + 1))


class TestAStream:
    @pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
    @given(cuts=st.lists(st.integers(0, 80), max_size=6))
    def test_gives_the_same_events_wherever_it_is_cut(self, end: bytes, cuts: list[int]) -> None:
        told = end.join([b"event: message", b"id: 7", b"data: {", b"data: }", b"", b"data: 2", b"", b""])
        places = sorted(min(cut, len(told)) for cut in cuts)
        pieces = [told[a:b] for a, b in zip([0, *places], [*places, len(told)], strict=True)]
        assert events_of(*pieces) == [b"event: message\nid: 7\ndata: {\ndata: }\n\n", b"data: 2\n\n"]

    @pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
    @pytest.mark.parametrize("aside", [b"", b': "' + b"\n", b'id: "' + b"\n"])
    def test_is_judged_by_all_lines_of_an_event_together(self, end: bytes, aside: bytes) -> None:
        lines = [b"data: " + b"[" * 40] * 4
        with pytest.raises(ToolServerAway, match="nests"):
            events_of(aside.replace(b"\n", end) + end.join(lines) + end + end)

    def test_loses_what_is_no_message_and_what_its_reader_fails_on(self) -> None:
        odd = b": ping\nretry: -5\nretry: 99999999\nid: \xc3\xa9\nfoo: bar\ndata: 1\nretry: 20\n\n: ping\n\n"
        assert events_of(odd) == [b"data: 1\nretry: 20\n\n"]

    def test_has_so_many_events_of_so_many_lines(self) -> None:
        assert len(events_of(b"data: 1\n\n" * MOST_EVENTS)) == MOST_EVENTS
        assert len(events_of(b"data: 1\n" * MOST_LINES + b"\n")) == 1
        for many in (b"data: 1\n\n" * (MOST_EVENTS + 1), b"data: 1\n" * (MOST_LINES + 2) + b"\n"):
            with pytest.raises(ToolServerAway, match="events"):
                events_of(many)

    def test_of_empty_lines_is_nothing(self) -> None:
        assert events_of(*[b"\n" * 1000] * 100) == []
