"""Lines of marks in plain texts part sections and underline headings, and say nothing themselves."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here, titles

TIDES = "The tide comes in at noon, and all that lies at the quay has to be tied well."
LINE = "_" * 40


@pytest.mark.parametrize("line", [LINE, "=" * 10, f"   {LINE}  "])
def test_lines_around_text_are_no_part_of_it(line: str) -> None:
    text = f"{TIDES}\n{line}\n\n{line}\n\n{line}\n{TIDES}\nBoats\n{line}\nleave.\n"
    extracted = parsed_here(text, "a.txt")
    assert [e.text for e in extracted.elements] == [TIDES, f"{TIDES}\nBoats\n{line}\nleave."]
    assert len(extracted.text) == len(text)


def test_a_short_line_of_marks_is_kept() -> None:
    assert "---------" in parsed_here(f"---------\n{TIDES}\n", "a.txt").text


def test_a_line_of_marks_within_code_is_kept() -> None:
    rule = "#" * 20
    code = "\n".join(f"    {line}" for line in (rule, *(f"{name} = tide(1)" for name in "vwxyz"), rule))
    extracted = parsed_here(f"{TIDES}\n\n{code}\n\n{TIDES}\n", "a.txt")
    assert [e.text for e in extracted.elements if e.kind == "code"] == [code]


def test_words_are_underlined_one_by_one() -> None:
    text = f"Tides of Ports\n===== == =====\n\n{TIDES}\n\nAll Boats\n=== =====\n\n{TIDES}\n"
    assert titles(parsed_here(text, "a.txt")) == ["Tides of Ports", "All Boats"]
    other = f"Name Depth\n===== ====\nnorth 7\n\n{TIDES}\n"
    assert titles(parsed_here(other, "a.txt")) == []


def test_dots_underline_a_name_of_their_length() -> None:
    assert titles(parsed_here(f"Depths\n......\n\n{TIDES}\n", "a.txt")) == ["Depths"]
    assert titles(parsed_here(f"And so on\n......\n\n{TIDES}\n", "a.txt")) == []


def test_what_underlines_a_name_is_no_line_above_the_next_one() -> None:
    parts = "".join(
        f"{name}\n==========\n\nA port may be\n\n{TIDES}\n\n" for name in ("Quays", "Depths", "Winds")
    )
    assert titles(parsed_here(parts, "a.txt")) == ["Quays", "Depths", "Winds"]


def test_a_name_with_a_letter_between_lines_is_a_heading() -> None:
    rule = "-" * 60
    parts = "".join(f"{rule}\n{name}\n{rule}\n\n{TIDES}\n\n" for name in ("A.   OVERVIEW", "B.   Winds"))
    assert titles(parsed_here(parts, "a.txt")) == ["A.   OVERVIEW", "B.   Winds"]


def test_a_title_that_is_set_in_stands_above_sections_at_the_edge() -> None:
    drawing = "   __  _ \\ |_|_/__\n  /_/ |_|| |___|_/\n"
    title = "       The Tides of Ports\n       === ===== == =====\n           by Ann Doe\n"
    sections = "".join(f"{name}\n=====\n\n{TIDES}\n\n" for name in ("Boats", "Quays"))
    assert parsed_here(f"{drawing}\n{title}\n{sections}", "a.txt").title == "The Tides of Ports"


def test_help_of_vim_has_headings_without_its_anchors() -> None:
    rule = "=" * 78
    sections = "".join(
        f"{rule}\n{at}. {name}\t\t\t\t*tide-{at}* *:Tide{at}*\n\n{TIDES} |tide-1|\n\n"
        for at, name in enumerate(("Quays", "Depths", "Winds"), 1)
    )
    extracted = parsed_here(f"*tide.txt*\tTells the tides\n\n{sections}", "tide.txt")
    assert titles(extracted) == ["1. Quays", "2. Depths", "3. Winds"]
    assert "*tide-1*" not in extracted.text
