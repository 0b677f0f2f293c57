"""Rows of two cells on a card of reference: each case just inside and just outside what makes a group."""

import pytest

from footnote_ingest.parsing.pdf.card_pairs import CardPairs
from footnote_ingest.parsing.pdf.lines import Cell, PdfLine

ACTS = [" ".join(["draw", *["more"] * at, "path"]) for at in range(12)]


def row(first: str, second: str, left: float = 50, right: float | None = None, at: float = 200) -> PdfLine:
    """The first cell ends where its words do, as they do on a card."""
    ends = left + 5 * len(first) if right is None else right
    cells = (Cell(first, left, ends), Cell(second, at, at + 60))
    return PdfLine(f"{first} {second}", 10, 700, 700, cells=cells)


def words(text: str = "What stands on a line of its own") -> PdfLine:
    return PdfLine(text, 10, 700, 700, cells=(Cell(text, 50, 300),))


def card(count: int = 12) -> list[PdfLine]:
    return [
        row(act, f"{act.split()[0]}({number})") for number, act in zip(range(count), ACTS * 2, strict=False)
    ]


def holds(page: list[PdfLine], group: list[PdfLine]) -> bool:
    return CardPairs([*page, *group]).hold(group)


GROUP = [row("draw the arrow of a path", "draw(path,pen)"), row("add a name", "label(name)")]


def test_a_group_of_two_rows_is_one_where_the_page_has_many() -> None:
    assert holds(card(), GROUP)
    assert not holds([], GROUP)


@pytest.mark.parametrize(("count", "told"), [(10, True), (9, False)])
def test_a_dozen_rows_tell_the_places(count: int, told: bool) -> None:
    assert holds(card(count), GROUP) is told


@pytest.mark.parametrize(("others", "told"), [(32, True), (33, False)])
def test_three_tenths_of_the_page_are_such_rows(others: int, told: bool) -> None:
    assert holds([*card(), *[words()] * others], GROUP) is told


@pytest.mark.parametrize(("level", "told"), [(7, True), (8, False)])
def test_first_cells_that_end_level_are_a_column_of_text(level: int, told: bool) -> None:
    page = [row(act, f"{act}()", right=150.0 if at < level else None) for at, act in enumerate(ACTS)]
    assert holds(page, GROUP) is told


@pytest.mark.parametrize(("off", "told"), [(2.0, True), (4.0, False)])
def test_cells_begin_at_nearly_the_same_place(off: float, told: bool) -> None:
    assert holds(card(), [row(one.cells[0].text, one.cells[1].text, at=200 + off) for one in GROUP]) is told


@pytest.mark.parametrize(("alone", "told"), [(3, True), (4, False)])
def test_seven_tenths_of_the_lines_of_a_group_have_two_cells(alone: int, told: bool) -> None:
    assert holds(card(24), [*card(8)[:8], *[words()] * alone]) is told


@pytest.mark.parametrize(("elsewhere", "told"), [(3, True), (4, False)])
def test_seven_tenths_of_these_keep_to_the_places(elsewhere: int, told: bool) -> None:
    group = [*card(8), *[row("draw all of it", f"draw({n})", at=300) for n in range(elsewhere)]]
    assert holds(card(24), group) is told


@pytest.mark.parametrize(
    ("group", "told"),
    [
        ([row("12", "x = 1"), row("13", "y = 2"), row("14", "return x")], False),
        ([row("x = 1;", "draw(x)"), row("y = {2}", "12")], False),
        ([row("harbour", "12, 14"), row("kettle", "13"), row("mast", "17–19")], False),
        ([row("name", "[str]"), row("other", "[int]")], False),
        ([row("add", "Function"), row("sub", "Function"), row("mul", "Function")], False),
        ([row("x;", "// the first one"), row("y;", "// the next one")], False),
        ([row("x;", "the first one"), row("y;", "the next one")], True),
    ],
)
def test_one_side_is_of_words(group: list[PdfLine], told: bool) -> None:
    assert holds(card(24), group) is told
