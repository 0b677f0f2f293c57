"""Headings that only their colour tells, and words in a colour that are none."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, words

TEXT = "Some words of the text that are long enough to fill a line of the page."
HEADS = ("Result", "Graph of Times", "Graph of Sizes")
BLUE = "0.1 0.2 0.7 rg"


def coloured(*drawing: str) -> list[str]:
    return [f"q {BLUE}", *drawing, "Q"]


def read(
    heads: tuple[str, ...] = HEADS, *, gap: float = 22, other: str = "", below: float = 50, more: int = 8
) -> list[str]:
    """The headings of a page with sections whose names are blue, in the font of the text."""
    page, at = [], 800.0
    for head in heads:
        page += coloured(words(50, at, head))
        page += [words(below, at - 12 * step, TEXT) for step in (1, 2, 3)]
        at -= 36 + gap
    page += coloured(words(50, 100, other)) if other else []
    page += [words(50, at - 12 * step, TEXT) for step in range(more)]
    return [e.heading_path[-1] for e in parsed_here(drawn(page), "a.pdf").elements if e.kind == "title"]


def test_three_lines_in_a_colour_of_their_own_are_headings() -> None:
    assert read() == list(HEADS)
    assert read(HEADS[:2]) == []


@pytest.mark.parametrize(("gap", "found"), [(14, HEADS), (12.5, HEADS[:1])])
def test_they_stand_apart_from_what_is_above(gap: float, found: tuple[str, ...]) -> None:
    assert read(gap=gap) == list(found)


def test_they_begin_with_the_text_below() -> None:
    assert read(below=65) == list(HEADS)
    assert read(below=67) == []


@pytest.mark.parametrize(("heads", "found"), [(("Result", "Times", "Sizes", "Ports"), True), (HEADS, False)])
def test_one_line_in_five_may_say_something_else(heads: tuple[str, ...], *, found: bool) -> None:
    assert read(heads, other="see https://harbour.example.") == (list(heads) if found else [])


def test_a_colour_of_much_of_the_text_is_none_of_headings() -> None:
    heads = ("Result of the Readings", "Graph of Times by Hour", "Graph of Sizes by Port")
    assert read(heads) == list(heads)
    assert read(heads, more=0) == []


def test_a_name_may_take_two_lines() -> None:
    page, at = [], 800.0
    for head in HEADS:
        page += coloured(words(50, at, head), words(50, at - 12, "and the Tides of it"))
        page += [words(50, at - 12 * step, TEXT) for step in (2, 3, 4)]
        at -= 70
    page += [words(50, at - 12 * step, TEXT) for step in range(20)]
    extracted = parsed_here(drawn(page), "a.pdf")
    assert extracted.elements[-1].heading_path == ("Graph of Sizes and the Tides of it",)


def test_words_in_a_colour_within_a_line_count_against_it() -> None:
    page, at = [], 800.0
    for head in HEADS:
        page += coloured(words(50, at, head))
        page += [words(50, at - 12 * step, TEXT) for step in (1, 2, 3)]
        at -= 60
    for step in range(20):
        page += coloured(words(50, at - 12 * step, "Harbour"))
        page.append(words(90, at - 12 * step, TEXT))
    assert not any(e.kind == "title" for e in parsed_here(drawn(page), "a.pdf").elements)
