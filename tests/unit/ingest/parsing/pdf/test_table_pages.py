"""Tables of a PDF that go on on the next page."""

from collections.abc import Sequence

import pytest

from footnote_ingest.parsing.pdf.pieces import Piece
from footnote_ingest.parsing.pdf.table_pages import TablePages
from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, row, words

HEADER = "part | size\n--- | ---\n"


def table(text: str, page: int, *, bold: bool = False) -> Piece:
    return Piece("table", text, page, begins_bold=bold)


def seen(*pieces: Piece) -> list[Piece]:
    pages = TablePages()
    return [pages.seen(piece) for piece in pieces]


def texts(pieces: Sequence[Piece]) -> list[tuple[str, bool]]:
    return [(piece.text, piece.goes_on) for piece in pieces if piece.kind == "table"]


class TestTablePages:
    def test_what_seemed_a_header_on_the_next_page_is_a_row(self) -> None:
        rows = seen(table(f"{HEADER}nut | 4", 1), table("axle | 6\n--- | ---\nhub | 8", 2))
        assert texts(rows) == [(f"{HEADER}nut | 4", False), ("axle | 6\nhub | 8", True)]

    def test_a_header_that_is_repeated_stays(self) -> None:
        rows = seen(table(f"{HEADER}nut | 4", 1), table(f"{HEADER}hub | 8", 2), table("rim | 9\npin | 1", 3))
        assert texts(rows)[1:] == [(f"{HEADER}hub | 8", True), ("rim | 9\npin | 1", True)]

    def test_notes_may_stand_below_it(self) -> None:
        note = Piece("footnote", "1 In inches.", 1)
        assert texts(seen(table(f"{HEADER}nut | 4", 1), note, table("hub | 8\nrim | 9", 2)))[1][1]

    @pytest.mark.parametrize(
        ("words", "goes_on"),
        [
            ("Table 3 (continued)", True),
            ("Table 3 (cont'd).", True),
            ("Table 3: Parts", False),
            (f"This was continued by others {'and others ' * 5}", False),
        ],
    )
    def test_a_line_that_says_so_may_stand_above_the_rest(self, words: str, goes_on: bool) -> None:
        said = Piece("image_caption", words, 2)
        parts = seen(table(f"{HEADER}nut | 4", 1), said, table("hub | 8\nrim | 9", 2))
        assert [goes for _, goes in texts(parts)] == [False, goes_on]

    def test_or_below_its_beginning(self) -> None:
        said = Piece("paragraph", "continued on next page", 1)
        assert texts(seen(table(f"{HEADER}nut | 4", 1), said, table("hub | 8\nrim | 9", 2)))[1][1]

    def test_other_words_between_part_two_tables(self) -> None:
        for between in (Piece("paragraph", "See.", 1), Piece("title", "Wheels", 2, level=1)):
            parts = seen(table(f"{HEADER}nut | 4", 1), between, table("hub | 8\nrim | 9", 2))
            assert [goes_on for _, goes_on in texts(parts)] == [False, False]

    def test_tables_of_one_page_or_of_distant_ones_are_two(self) -> None:
        for page in (1, 3):
            parts = seen(table(f"{HEADER}nut | 4", 1), table("hub | 8\nrim | 9", page))
            assert [goes_on for _, goes_on in texts(parts)] == [False, False]

    def test_other_columns_are_another_table(self) -> None:
        parts = seen(table(f"{HEADER}nut | 4", 1), table("hub | 8 | x\nrim | 9 | y", 2))
        assert [goes_on for _, goes_on in texts(parts)] == [False, False]

    def test_another_bold_header_begins_another_table(self) -> None:
        parts = seen(
            table(f"{HEADER}nut | 4", 1, bold=True), table("name | age\n--- | ---\nAda | 36", 2, bold=True)
        )
        assert [goes_on for _, goes_on in texts(parts)] == [False, False]


def test_a_table_over_two_pages_is_one_with_its_header() -> None:
    rows = [("Code", "Item", "Price"), *((f"00{n}", f"Wheel {n}x", f"{n}.5") for n in range(1, 9))]
    first, second = (
        "\n".join(
            row(700 - 20 * at, *((50.0 + 100 * n, text) for n, text in enumerate(cells)))
            for at, cells in enumerate(part)
        )
        for part in (rows[:5], rows[5:])
    )
    said = parsed_here(drawn([words(50, 740, "The prices are these."), first], [second]), "a.pdf")
    parts = [e for e in said.elements if e.kind == "table"]
    assert [(e.page, e.goes_on) for e in parts] == [(1, False), (2, True)]
    assert (
        parts[1].text
        == "005 | Wheel 5x | 5.5\n006 | Wheel 6x | 6.5\n007 | Wheel 7x | 7.5\n008 | Wheel 8x | 8.5"
    )
