"""Rows of a card of reference whose long keys leave less room than those of others."""

import pytest

from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from footnote_ingest.parsing.pdf.rows_beside import row_with_code, rows_beside
from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, row, words


def line(*cells: tuple[float, float], turned: bool = False) -> PdfLine:
    return PdfLine("words", 10, 700, 700, turned=turned, cells=tuple(Cell("words", *cell) for cell in cells))


ROW = line((50, 70), (140, 200))


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ([ROW, ROW, line((50, 200))], [2]),
        ([ROW, line((50, 200))], []),
        ([ROW, ROW, line((52, 200))], [2]),
        ([ROW, ROW, line((56, 200))], []),
        ([ROW, ROW, line((50, 130))], []),
        ([ROW, ROW, line((50, 200), turned=True)], []),
        ([ROW, line((50, 70), (180, 200)), line((50, 250))], []),
    ],
)
def test_a_line_that_begins_as_rows_do_and_reaches_over_their_cells(
    lines: list[PdfLine], found: list[int]
) -> None:
    assert [at for at, _ in rows_beside(lines)] == found


@pytest.mark.parametrize(("left", "fits"), [(140, True), (142, True), (146, False)])
def test_its_second_cell_begins_where_theirs_do(left: float, fits: bool) -> None:
    ((_, begins),) = rows_beside([ROW, ROW, line((50, 200))])
    assert begins(left) is fits


def test_a_card_of_reference_is_a_table() -> None:
    keys = [
        ("tab", "Complete the name"),
        ("exit", "Leave this program"),
        ("restrict <words>", "Show only a part of it"),
        ("select <words>", "Show also a part of it"),
        ("script <name>", "Read a file of commands"),
        ("zap", "Delete it"),
    ]
    page = [row(700 - 12 * at, (50, key), (140, said)) for at, (key, said) in enumerate(keys)]
    (table,) = parsed_here(drawn(page), "a.pdf").elements
    assert table.kind == "table"
    assert "restrict <words> | Show only a part of it" in table.text


@pytest.mark.parametrize(
    ("cells", "beside", "is_row"),
    [
        (("Hermitian", "PROBLEM_HERMITIAN", "-hermitian"), False, True),
        (("int", "extract_char(call, ref)"), False, False),
        (("draw a path", "draw(path)"), True, True),
        (("12345", "draw(path);"), True, False),
        (("3 border(1) begin", "x = 0;", "end"), False, False),
        (("10,000 paths", "draw(path)"), True, True),
        (("123456 paths", "draw(path)"), True, True),
    ],
)
def test_what_ends_with_code_is_a_row_beside_rows_or_with_three_cells(
    cells: tuple[str, ...], beside: bool, is_row: bool
) -> None:
    placed = [Cell(text, 100.0 * at, 100.0 * at + 50) for at, text in enumerate(cells)]
    assert row_with_code(placed, beside=beside) is is_row


def with_code(y: float, code: str, *cells: tuple[float, str]) -> str:
    """A row whose last cell is in a font of one width."""
    return "\n".join([row(y, *cells), words(330, y, code, font="mono")])


def test_a_table_whose_last_column_is_code_is_one() -> None:
    kinds = [
        ("General", "PROBLEM_GENERAL", "-general"),
        ("Hermitian", "PROBLEM_HERMITIAN", "-hermitian"),
        ("Rational", "PROBLEM_RATIONAL", "-rational"),
    ]
    rows = [
        with_code(688 - 12 * at, code, (50, name), (170, kind)) for at, (name, kind, code) in enumerate(kinds)
    ]
    page = [row(700, (50, "Kind of problem"), (170, "Name"), (330, "Option")), *rows]
    (table,) = parsed_here(drawn(page), "a.pdf").elements
    assert table.kind == "table"
    assert "Rational | PROBLEM_RATIONAL | -rational" in table.text
