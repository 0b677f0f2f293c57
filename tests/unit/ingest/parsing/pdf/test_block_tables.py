"""Tables without rules whose cells have several lines, each case just inside and just outside."""

import time
from collections.abc import Sequence
from dataclasses import replace

import pytest

from footnote_ingest.parsing.pdf.block_tables import with_block_tables
from footnote_ingest.parsing.pdf.lines import Cell, PdfLine

LEFTS = (60.0, 180.0, 400.0)
PITCH = 12.0
CHAR = 5.0

MOST_S = 8.0
"""Of a processor, for a page that took a multiple of it."""

HEAD = (("Feature",), ("Description",), ("Argument",))
SCAN = (("Scan of", "lists"), ("Scans many targets", "at once, which takes", "less time."), ("-L file",))
WHOLE = (("Whole scan",), ("Finds the ports and", "asks each of them."), ("-f or", "-q"))
QUIET = (("Quiet",), ("Sends no ping to", "anything."), ("--quiet",))
ROWS = (HEAD, SCAN, WHOLE, QUIET)

Row = Sequence[Sequence[str]]


def said(text: str, left: float, top: float, *, turned: bool = False) -> PdfLine:
    cell = Cell(text, left, left + CHAR * len(text))
    return PdfLine(text, 10, top, top, cells=(cell,), turned=turned)


def words_of(line: PdfLine) -> list[Cell]:
    words: list[Cell] = []
    left = line.left
    for word in line.text.split():
        words.append(Cell(word, left, left + CHAR * len(word), line.top))
        left += CHAR * (len(word) + 1)
    return words


def drawn(rows: Sequence[Row], *, strip: float = 24, lefts: Sequence[float] = LEFTS) -> list[PdfLine]:
    """The lines of rows below each other, cell by cell; the cells are in the middle of their row."""
    lines: list[PdfLine] = []
    top = 700.0
    for cells in rows:
        most = max(map(len, cells))
        for left, cell in zip(lefts, cells, strict=True):
            begin = top - PITCH * (most - len(cell)) / 2
            lines += [said(text, left, begin - PITCH * at) for at, text in enumerate(cell)]
        top -= PITCH * (most - 1) + strip
    return lines


def tables(lines: Sequence[PdfLine]) -> list[str]:
    return [line.text for line in with_block_tables(lines, words_of) if line.is_table]


def test_cells_in_the_middle_of_their_rows_are_whole() -> None:
    (table,) = tables(drawn(ROWS))
    assert table.splitlines() == [
        "Feature | Description | Argument",
        "--- | --- | ---",
        "Scan of lists | Scans many targets at once, which takes less time. | -L file",
        "Whole scan | Finds the ports and asks each of them. | -f or -q",
        "Quiet | Sends no ping to anything. | --quiet",
    ]


def test_what_stands_above_and_below_is_no_part_of_it() -> None:
    wide = "These are all features that the program has, with what each of them needs to be told."
    name, above, below = said("Key features", 60, 760), said(wide, 60, 740), said(wide, 60, 500)
    mark = said("DRAFT", 60, 660, turned=True)
    found = with_block_tables([mark, name, above, *drawn(ROWS), below], words_of)
    assert [line.is_table for line in found] == [False, False, False, True, False]
    assert (found[3].top, found[3].bottom) == (700, 700 - 24 * 3 - 12 * 4)


@pytest.mark.parametrize(("strip", "is_table"), [(16, True), (15, False), (40, True), (41, False)])
def test_the_strip_between_rows_is_wider_than_that_between_lines(strip: float, is_table: bool) -> None:
    assert bool(tables(drawn(ROWS, strip=strip))) is is_table


@pytest.mark.parametrize(("count", "is_table"), [(3, True), (2, False)])
def test_three_rows_are_a_table_and_two_are_none(count: int, is_table: bool) -> None:
    assert bool(tables(drawn(ROWS[1 : 1 + count]))) is is_table


@pytest.mark.parametrize(("gap", "is_table"), [(8, True), (7, False)])
def test_columns_lie_apart(gap: float, is_table: bool) -> None:
    lefts = (60, 180, 180 + CHAR * len("at once, which takes") + gap)
    assert bool(tables(drawn(ROWS, lefts=lefts))) is is_table


def test_two_columns_are_none() -> None:
    assert tables(drawn([row[:2] for row in ROWS], lefts=LEFTS[:2])) == []


@pytest.mark.parametrize(("rows", "is_table"), [((HEAD, SCAN, WHOLE), True), ((HEAD, SCAN, HEAD), False)])
def test_two_rows_have_a_cell_of_several_lines(rows: Sequence[Row], is_table: bool) -> None:
    assert bool(tables(drawn(rows))) is is_table


@pytest.mark.parametrize(("count", "is_table"), [(8, True), (9, False)])
def test_a_longer_cell_is_a_column_of_text(count: int, is_table: bool) -> None:
    long = (("Long",), tuple(f"line of number {at}" for at in range(count)), ("none",))
    assert bool(tables(drawn([*ROWS, long]))) is is_table


@pytest.mark.parametrize(("empty", "is_table"), [(1, True), (2, False)])
def test_most_rows_have_words_in_all_columns(empty: int, is_table: bool) -> None:
    rows = [(row[0], row[1], ()) if at > 3 - empty else row for at, row in enumerate(ROWS)]
    assert bool(tables(drawn(rows))) is is_table


def test_each_row_has_a_first_cell() -> None:
    assert tables(drawn([HEAD, ((), *SCAN[1:]), WHOLE, QUIET])) == []


def test_running_text_in_three_columns_is_none() -> None:
    """Its first column is no label."""
    text = ("The program scans.", "It does not wait.")
    long = ("Thus it is done at once.", "It is told at the end.", "It is kept for a while.")
    assert tables(drawn([(text, long, text)] * 4, lefts=(60, 220, 400))) == []


@pytest.mark.parametrize(("begin", "is_table"), [("Then", True), ("then", False)])
def test_sentences_that_go_on_below_are_running_text(begin: str, is_table: bool) -> None:
    row = ((f"{begin} scan",), (f"{begin} the scan of", "all the ports"), (f"{begin} on",))
    assert bool(tables(drawn([row] * 4))) is is_table


@pytest.mark.parametrize("shift", [0, 9])
def test_cells_of_a_column_begin_at_one_place(shift: float) -> None:
    lines = drawn(ROWS)
    moved = [said(one.text, one.left + shift * (at % 3), one.top) for at, one in enumerate(lines)]
    assert bool(tables(moved)) is (shift == 0)


def test_or_they_have_their_middles_at_one_place() -> None:
    centred = [said(one.text, one.left - CHAR * len(one.text) / 2 + 50, one.top) for one in drawn(ROWS)]
    assert len(tables(centred)) == 1


def test_or_they_end_at_one_place() -> None:
    prices = [
        said(one.text, one.left + CHAR * (10 - len(one.text)), one.top) if one.left == LEFTS[2] else one
        for one in drawn(ROWS)
    ]
    assert len(tables(prices)) == 1


@pytest.mark.parametrize(("said_of_it", "is_table"), [("of Bonn and Oslo", True), ("of Bonn and Rom", False)])
def test_authors_beside_each_other_are_none(said_of_it: str, is_table: bool) -> None:
    """Their names are no labels: what is said in the other columns is not longer than the first one."""
    authors = (("Ada Hill", "of Bonn"), ("Ben Low", said_of_it), ("Eve Moor", "of Turin"))
    assert bool(tables(drawn([authors] * 3))) is is_table


@pytest.mark.parametrize(("code", "is_table"), [(5, True), (6, False)])
def test_code_beside_code_is_none(code: int, is_table: bool) -> None:
    """Of 18 lines, so many at the end are in a font of one width."""
    lines = drawn(ROWS)
    first = len(lines) - code
    typed = [replace(one, mono=True, all_mono=True) if at >= first else one for at, one in enumerate(lines)]
    assert bool(tables(typed)) is is_table


@pytest.mark.parametrize(("columns", "is_table"), [(16, True), (17, False)])
def test_a_row_has_sixteen_cells_at_most(columns: int, is_table: bool) -> None:
    rows = [[["Word"], ["So many words", "in it"], *[["Word"]] * (columns - 2)] for _ in range(3)]
    lefts = [60, *(100 + 80 * at for at in range(columns - 1))]
    assert bool(tables(drawn(rows, lefts=lefts))) is is_table


@pytest.mark.parametrize(("apart", "is_table"), [(16, True), (17, False)])
def test_a_table_begins_with_one_of_the_first_rows_of_a_run(apart: int, is_table: bool) -> None:
    """Else a page of many rows would be looked at from each of them to its end."""
    odd = ((), ("Sends no ping",), ("Told",), ("None",))
    rows = [(*cells, ("None",)) for cells in ROWS]
    assert bool(tables(drawn([odd] * (apart - 1) + rows, lefts=(*LEFTS, 500)))) is is_table


def test_the_parts_of_formulas_are_none() -> None:
    part = (("x + 1", "y"), ("2 a",), ("b", "3 c"))
    assert tables(drawn([part] * 4)) == []


def test_a_table_with_rules_stays_as_it_is() -> None:
    known = PdfLine("a | b", 10, 640, 620, is_table=True)
    found = with_block_tables([*drawn(ROWS[1:], strip=24), known], words_of)
    assert known in found


def test_columns_that_move_from_row_to_row_cost_their_number() -> None:
    """Each row began a run that went one row further than that of the row above."""
    lines: list[PdfLine] = []
    for at in range(2_000):
        name = said("Ship", 60 + at / 20, 100_000 - 40 * at)
        second = name.right + 60
        lines.append(name)
        for left in (second, second + 150):
            lines += [said(text, left, name.top + up) for text, up in (("one thing", 6), ("or more", -6))]
    started = time.process_time()
    assert tables(lines) == []
    assert time.process_time() - started < MOST_S
