"""Names of rows within a table, and first cells that stand a little higher than their row."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from footnote_ingest.parsing.pdf.row_names import names_rows
from footnote_ingest.parsing.pdf.rows_beside import with_whole_rows
from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, row

COUNTIES = [
    ("County", "Precincts", "Green", "Total"),
    ("District 1",),
    ("Yavapai", "54", "1,340", "1,394"),
    ("Total:", "55", "1,355", "1,410"),
    ("District 2",),
    ("Gila", "48", "1,281", "1,329"),
    ("Total:", "49", "1,299", "1,348"),
]


def line(top: float, *cells: tuple[float, float, str], size: float = 10, bold: bool = False) -> PdfLine:
    return PdfLine(
        " ".join(text for _, _, text in cells),
        size,
        top,
        top,
        bold=bold,
        cells=tuple(Cell(text, left, right) for left, right, text in cells),
    )


def numbers(top: float, *, shift: float = 0) -> PdfLine:
    return line(top, *((left + shift, left + shift + 20, "12") for left in (50, 150, 250, 350)))


NAME = line(680, (50, 110, "District 2"))


class TestNames:
    def test_of_rows_stay_in_their_table(self) -> None:
        page = [
            row(700 - 14 * at, *((60 + 110 * n, text) for n, text in enumerate(cells)))
            for at, cells in enumerate(COUNTIES)
        ]
        (table,) = parsed_here(drawn(page), "a.pdf").elements
        rows = table.text.splitlines()
        assert rows[2:4] == ["District 1 |  |  |", "Yavapai | 54 | 1,340 | 1,394"]
        assert rows[-3:-1] == ["District 2 |  |  |", "Gila | 48 | 1,281 | 1,329"]

    @pytest.mark.parametrize(
        ("name", "is_name"),
        [
            (NAME, True),
            (replace(NAME, size=11), False),
            (replace(NAME, bold=True), False),
            (line(680, (50, 110, "It goes on with:")), False),
            (line(680, (50, 160, "District 2")), False),
            (line(680, (50, 140, "d" * 40)), True),
            (line(680, (50, 140, "d" * 41)), False),
        ],
    )
    def test_look_like_the_rows_and_are_short(self, name: PdfLine, is_name: bool) -> None:
        assert names_rows([numbers(700), name, numbers(660)], 1) is is_name

    @pytest.mark.parametrize(("shift", "is_name"), [(2, True), (3, False)])
    def test_stand_between_rows_with_the_same_columns(self, shift: float, is_name: bool) -> None:
        assert names_rows([numbers(700), NAME, numbers(660, shift=shift)], 1) is is_name


def whole(cell: PdfLine, lines: Sequence[PdfLine]) -> list[str]:
    return [one.text for one in with_whole_rows([*lines, cell])]


class TestFirstCells:
    ROWS = (numbers(700), numbers(690), numbers(680))

    @pytest.mark.parametrize(("top", "is_in_row"), [(683.9, True), (684.1, False), (676.1, True)])
    def test_that_stand_a_little_higher_are_in_their_row(self, top: float, is_in_row: bool) -> None:
        texts = whole(line(top, (10, 40, "Cruz")), self.ROWS)
        assert (texts[-1] == "Cruz 12 12 12 12") is is_in_row

    @pytest.mark.parametrize(("right", "is_in_row"), [(42, True), (43, False)])
    def test_stand_apart_from_it(self, right: float, is_in_row: bool) -> None:
        assert (len(whole(line(682, (10, right, "Cruz")), self.ROWS)) == 3) is is_in_row

    def test_stand_beside_rows_that_begin_at_one_place(self) -> None:
        cell = line(682, (10, 40, "Cruz"))
        assert len(whole(cell, self.ROWS[1:])) == 3
        assert len(whole(cell, [line(700, (50, 60, "a")), *self.ROWS[1:]])) == 4
