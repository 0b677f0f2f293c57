"""Titles of slides, which stand above all else: just inside and just outside of what tells them."""

from dataclasses import replace

import pytest

from footnote_ingest.parsing.pdf.headings import Headings
from footnote_ingest.parsing.pdf.lines import Cell, PdfLine

WHITE = 0xFFFFFF
ITEMS = ("first item of the slide", "second item of the slide", "third item of the slide")


def line(text: str, y: float, *, size: float = 10, left: float = 60, colour: int = 0) -> PdfLine:
    return PdfLine(text, size, y, y, cells=(Cell(text, left, left + 100),), colours=(colour,))


def slide(title: str, *, size: float = 10, items: float = 10, colour: int = 0) -> list[PdfLine]:
    rows = [line(item, 200 - 20 * at, size=items) for at, item in enumerate(ITEMS)]
    return [line(title, 240, size=size, left=10, colour=colour), *rows]


def found(pages: list[list[PdfLine]], *, wide: bool = True) -> list[tuple[int, str, int]]:
    headings = Headings({}, pages, wide=wide)
    return [
        (number, one.text, level)
        for number, lines in enumerate(pages, 1)
        for one, level in zip(lines, headings.levels(lines, number), strict=True)
        if level is not None
    ]


def names(pages: list[list[PdfLine]], *, wide: bool = True) -> list[str]:
    return [text for _, text, _ in found(pages, wide=wide)]


@pytest.mark.parametrize(("size", "told"), [(11.0, ["A Plan of Work"]), (10.9, [])])
def test_what_is_larger_than_all_else_on_its_slide(size: float, told: list[str]) -> None:
    assert names([slide("A Plan of Work", size=size)]) == told


def test_it_is_told_also_where_other_slides_have_larger_text() -> None:
    large = [slide("Many Words", size=60, items=50) for _ in range(3)]
    assert "A Plan of Work" in names([*large, slide("A Plan of Work", size=24, items=20)])


@pytest.mark.parametrize(("count", "are_told"), [(3, True), (2, False)])
def test_names_of_one_look_at_one_height(count: int, *, are_told: bool) -> None:
    titles = ["Plan", "Work done", "What is left"][:count]
    pages = [slide(title, colour=WHITE) for title in titles]
    assert names(pages) == (titles if are_told else [])


def test_a_slide_in_steps_has_one_name() -> None:
    assert names([slide("Plan", colour=WHITE) for _ in range(5)]) == []


def test_the_look_of_most_text_tells_no_title() -> None:
    assert names([slide(title) for title in ("Plan", "Work done", "What is left", "End")]) == []


def test_items_that_begin_in_another_colour_are_no_titles() -> None:
    pages = [slide(title, colour=WHITE) for title in ("1. Plan", "2. Work done", "3. What is left")]
    marked = [[replace(lines[0], colours=(0, WHITE)), *lines[1:]] for lines in pages]
    assert names(pages) == ["1. Plan", "2. Work done", "3. What is left"]
    assert names(marked) == []


def test_small_words_above_a_title_are_passed_over() -> None:
    small = [line(f"part {at}", 270 - 8 * at, size=6) for at in range(3)]
    pages = [[*small, *slide("A Plan of Work", size=14)]]
    assert names(pages) == ["A Plan of Work"]


def test_pages_that_are_high_or_full_are_no_slides() -> None:
    pages = [slide(title, colour=WHITE) for title in ("Plan", "Work done", "What is left")]
    assert names(pages, wide=False) == []
    full = [[*lines, line("word " * 190, 100)] for lines in pages]
    assert names(full) == []


@pytest.mark.parametrize("text", ["A sentence of words.", "Figure 3: Masts", "www.example.org", "§"])
def test_what_names_nothing_is_no_title(text: str) -> None:
    assert names([slide(text, size=10.9 * 1.02)]) == []


def test_a_title_of_two_lines_is_one_heading() -> None:
    title = [line("A Plan of Work", 240, size=14), line("for the Next Year", 226, size=14)]
    assert names([[*title, *slide("", size=8)[1:]]]) == ["A Plan of Work", "for the Next Year"]


def test_nothing_on_a_slide_is_above_its_title() -> None:
    pages = [slide(title, colour=WHITE) for title in ("Plan", "Work done", "What is left")]
    pages[1].insert(2, line("A Large Word", 190, size=18))
    levels = {text: level for page, text, level in found(pages) if page == 2}
    assert levels["Work done"] < levels["A Large Word"]
