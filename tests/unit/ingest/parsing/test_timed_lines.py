"""A log and a transcript are cited with their times."""

import pytest

from footnote_ingest.parsing.timed_lines import PASSAGE_CHARS, timed_kind, timed_passages
from tests.unit.ingest.parsing.here import parsed_here

STYLES = {
    "2026-11-22T10:00:{:02}.123Z INFO sails": "2026-11-22T10:00:{:02}",
    "[2026-11-22 10:00:{:02},123] INFO sails": "2026-11-22 10:00:{:02}",
    "2026/11/22 10:00:{:02} sails": "2026/11/22 10:00:{:02}",
    "Nov 22 10:00:{:02} pier ferry[7]: sails": "Nov 22 10:00:{:02}",
    "<34>Nov  2 10:00:{:02} pier ferry[7]: sails": "Nov 2 10:00:{:02}",
    "Sun Nov 22 10:00:{:02} 2026 sails": "Sun Nov 22 10:00:{:02} 2026",
    '10.0.0.1 - ann [22/Nov/2026:10:00:{:02} +0000] "GET / HTTP/1.1" 200': "22/Nov/2026:10:00:{:02}",
    "[22.11.26, 10:00:{:02}] Ann: sails": "22.11.26, 10:00:{:02}",
}
SPOKEN = "\n".join(f"[00:01:{second:02}] Ann: we sail" for second in range(5))


@pytest.mark.parametrize("style", STYLES)
def test_a_log_stays_word_for_word_below_its_times(style: str) -> None:
    text = "\n".join(style.format(second) for second in range(5)) + "\n  at pier.sail()\n"
    (element,) = parsed_here(text, "ferry.log").elements
    assert (element.kind, element.text) == ("code", text.rstrip())
    assert element.heading_path == (f"{STYLES[style].format(0)} – {STYLES[style].format(4)}",)


def test_what_people_said_is_a_transcript() -> None:
    (element,) = parsed_here(SPOKEN, "meeting.txt").elements
    assert (element.kind, element.heading_path) == ("transcript", ("00:01:00 – 00:01:04",))


def test_a_log_may_have_times_alone() -> None:
    assert timed_kind(SPOKEN, "log") == "code"
    assert timed_kind(SPOKEN, "txt") == "transcript"


@pytest.mark.parametrize(
    ("style", "ending"),
    [
        ("2026-11-22T10:00:{:02}+0000  <ann> we sail", "log"),
        ("2026-11-22 10:00:{:02} < ann> we sail", "log"),
        ("[10:00:{:02}] <@ann> we sail", "log"),
        ("[15 Jan 10:{:02}] <ann!n=ann@a-host-with-a-long-name.ships.example.org> +we sail", "log"),
        ("22.11.26, 10:{:02} - Ann: we sail", "txt"),
        ("[22.11.26, 10:00:{:02}] Ann Lee: we sail", "txt"),
    ],
)
def test_a_chat_is_a_transcript_though_its_lines_have_dates(style: str, ending: str) -> None:
    text = "\n".join(style.format(second) for second in range(5))
    assert timed_kind(text, ending) == "transcript"


def test_a_chat_in_which_most_come_and_go_is_one_still() -> None:
    said = "2026-11-22T10:00:00+0000  <ann> we sail\n" * 5
    others = ["*** bob has joined", "* bob waves", "*bob waves", "-ferry- "] * 4
    joined = [f"2026-11-22T10:00:00+0000  {other}" for other in others]
    assert timed_kind(said + "\n".join(joined[:15]), "log") == "transcript"
    assert timed_kind(said + "\n".join(joined[:16]), "log") == "code"


@pytest.mark.parametrize(
    "style",
    [
        "22.11.26, 10:{:02} - INFO: sails",
        "2026-11-22 10:00:{:02} - ferry: sails",
        "2026-11-22 10:00:{:02} * sails",
    ],
)
def test_a_log_calls_nobody_by_name(style: str) -> None:
    text = "\n".join(style.format(second) for second in range(5))
    assert timed_kind(text, "txt") == "code"


def test_a_moment_is_named_once() -> None:
    (element,) = parsed_here("10:15 Ann: we sail\n" * 5, "meeting.txt").elements
    assert element.heading_path == ("10:15",)


@pytest.mark.parametrize(("lines", "timed"), [(5, True), (4, False)])
def test_five_lines_have_times_at_least(lines: int, timed: bool) -> None:
    assert (timed_kind("10:15 we sail\n" * lines, "txt") is not None) is timed


@pytest.mark.parametrize(("others", "timed"), [(10, True), (11, False)])
def test_a_third_of_the_lines_have_times(others: int, timed: bool) -> None:
    assert (timed_kind("10:15 we sail\n" * 5 + "The tide.\n\n" * others, "txt") is not None) is timed


@pytest.mark.parametrize(
    "line", ["3:16 For the tide", "24:10 tides", "10:75 tides", "10:15pm", "2026-11-22 Ann"]
)
def test_verses_and_dates_are_no_times(line: str) -> None:
    assert timed_kind(f"{line}\n" * 9, "txt") is None


@pytest.mark.parametrize(("filler", "passages"), [(0, 1), (1, 2)])
def test_a_passage_has_so_many_characters(filler: int, passages: int) -> None:
    last = "10:16 b"
    first = "10:15 " + "a" * (PASSAGE_CHARS - len(last) - len("10:15 \n") + filler) + "\n"
    assert len(list(timed_passages(first + last))) == passages


def test_every_line_is_in_a_passage() -> None:
    text = "head\n" + "".join(f"10:{minute:02} {'a' * 90}\n more\n" for minute in range(60))
    found = list(timed_passages(text))
    assert "".join(text[passage.start : passage.end] for passage in found) == text
    assert found[0].first == "10:00"
    assert found[-1].last == "10:59"
