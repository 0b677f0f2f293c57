"""Headings that follow each other by their numbers, whatever stands below them."""

import pytest

from footnote_ingest.parsing.pdf.headings import Headings
from footnote_ingest.parsing.pdf.lines import Cell, PdfLine


def line(text: str, y: float, right: float = 150) -> PdfLine:
    return PdfLine(text, 10, y, y, cells=(Cell(text, 50, right),))


def page(*names: str, gap: float = 30, right: float = 150) -> list[PdfLine]:
    """Each name with two short lines below it; the last line of the page is a full one."""
    lines: list[PdfLine] = []
    y = 800.0
    for name in names:
        lines += [line(name, y, right), line("a word", y - 12, 90), line("or two", y - 24, 90)]
        y -= 24 + gap
    return [*lines, line("the end of the page", y, 300)]


def found(*pages: list[PdfLine]) -> list[str]:
    headings = Headings({}, pages)
    return [
        one.text
        for number, lines in enumerate(pages, 1)
        for one, level in zip(lines, headings.levels(lines, number), strict=True)
        if level is not None
    ]


IN_ORDER = ("3.1 Files", "3.1.1 Open", "3.1.2 Save", "3.2 Edit")


def test_numbers_that_follow_each_other_tell_headings() -> None:
    assert found(page(*IN_ORDER)) == list(IN_ORDER)
    assert found(page(*IN_ORDER[:2]), page(*IN_ORDER[2:])) == list(IN_ORDER)


def test_the_depth_of_a_number_tells_the_level() -> None:
    lines = page(*IN_ORDER)
    levels = [level for level in Headings({}, [lines]).levels(lines, 1) if level]
    assert [level - levels[0] for level in levels] == [0, 1, 1, 0]


@pytest.mark.parametrize("names", [IN_ORDER[:2], ("3.1 Files", "3.3 Edit", "4.2 Find", "5.7 End")])
def test_two_numbers_or_others_tell_nothing(names: tuple[str, ...]) -> None:
    assert found(page(*names)) == []


@pytest.mark.parametrize(("others", "count"), [(("7.4 Volts",), 4), (("7.4 Volts", "9.8 Metres"), 0)])
def test_four_of_five_are_in_order(others: tuple[str, ...], count: int) -> None:
    assert len(found(page(*IN_ORDER, *others))) == count


def test_a_number_that_stands_twice_is_none_of_a_section() -> None:
    names = (*IN_ORDER, "3.2.1 Cut", "3.2.2 Copy", "3.2.3 Paste", "3.2.4 Drop")
    assert found(page(*names, "3.3 Find"), page("3.3 Find")) == list(names)


@pytest.mark.parametrize(("gap", "count"), [(16.5, 4), (15.5, 0)])
def test_they_stand_apart_from_the_text_above(gap: float, count: int) -> None:
    assert len(found(page(*IN_ORDER, gap=gap))) == count


@pytest.mark.parametrize(("right", "count"), [(269, 4), (271, 0)])
def test_a_line_that_reaches_the_edge_goes_on(right: float, count: int) -> None:
    assert len(found(page(*IN_ORDER, right=right))) == count


@pytest.mark.parametrize(("entries", "count"), [(2, 4), (3, 0)])
def test_numbers_of_a_table_of_contents_tell_nothing(entries: int, count: int) -> None:
    dotted = [line(f"{at} Of masts \u2026 {at + 40}", 400 - 40 * at, 290) for at in range(entries)]
    assert len(found([*page(*IN_ORDER), *dotted])) == count


def test_names_may_be_in_a_script_without_capitals() -> None:
    names = ("1.1 研究背景", "1.2 本论文的工作", "1.3 本章小结")
    assert found(page(*names)) == list(names)
    assert found(page("1.1 open it", "1.2 close it", "1.3 leave it")) == []
