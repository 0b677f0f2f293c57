"""Tables that no rules tell, each case just inside and just outside what makes one."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from footnote_ingest.parsing.pdf.aligned_tables import with_aligned_tables
from footnote_ingest.parsing.pdf.lines import Cell, PdfLine

Words = tuple[float, float, str]
"""Where words begin and end, and what they say."""

TERMS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")


def line(top: float, *cells: Words, size: float = 10, words: Sequence[Words] = ()) -> PdfLine:
    """A line of cells; `words` are its words where its cells hold several."""
    found = tuple(Cell(text, left, right) for left, right, text in cells)
    known = tuple(Cell(text, left, right, top) for left, right, text in words) or found
    LINES[top] = known
    return PdfLine(" ".join(cell.text for cell in found), size, top, top, cells=found)


LINES: dict[float, tuple[Cell, ...]] = {}


def words_of(line: PdfLine) -> list[Cell]:
    return list(LINES[line.top])


def tables(lines: Sequence[PdfLine]) -> list[str]:
    return [one.text for one in with_aligned_tables(lines, words_of) if one.is_table]


def pairs(
    count: int = 4,
    *,
    first: Callable[[int], str] = lambda at: TERMS[at],
    second: Callable[[int], str] = lambda at: f"what {TERMS[at]} means",
    pitch: float = 12,
    shift: float = 0,
) -> list[PdfLine]:
    """Rows of two cells, 12 points below each other; each second one is shifted to the right."""
    return [
        line(700 - pitch * at, (50, 90, first(at)), (150 + shift * at, 250 + shift * at, second(at)))
        for at in range(count)
    ]


def numbered(name: str, count: int) -> list[str]:
    return [f"{name} {at}" for at in range(count)]


class TestPairs:
    @pytest.mark.parametrize(("count", "pitch", "is_table"), [(6, 26, True), (5, 26, False), (6, 27, False)])
    def test_many_may_have_a_blank_line_between_them(self, count: int, pitch: float, is_table: bool) -> None:
        assert bool(tables(pairs(count, pitch=pitch))) is is_table

    @pytest.mark.parametrize(("mark", "below", "is_table"), [(":", 2, True), (":", 3, False), ("", 1, False)])
    def test_what_a_label_asks_for_may_go_over_lines(self, mark: str, below: int, is_table: bool) -> None:
        lines: list[PdfLine] = []
        for term in TERMS[:4]:
            top = 700 - 12 * len(lines)
            lines.append(line(top, (50, 90, f"{term}{mark}"), (150, 250, "Robert Duane")))
            lines += [line(top - 12 * at, (150, 230, "of Houston")) for at in range(1, below + 1)]
        assert bool(tables(lines)) is is_table

    def test_names_with_what_they_mean_are_a_table(self) -> None:
        (table,) = tables(pairs())
        assert table.splitlines()[0] == "alpha | what alpha means"

    @pytest.mark.parametrize(("count", "is_table"), [(4, True), (3, False)])
    def test_four_pairs_are_a_table_and_three_are_none(self, count: int, is_table: bool) -> None:
        assert bool(tables(pairs(count))) is is_table

    @pytest.mark.parametrize(("pitch", "is_table"), [(20.0, True), (20.1, False)])
    def test_pairs_lie_two_heights_of_the_font_apart_at_most(self, pitch: float, is_table: bool) -> None:
        assert bool(tables(pairs(pitch=pitch))) is is_table

    @pytest.mark.parametrize(("shift", "is_table"), [(0.9, True), (9.0, False)])
    def test_what_they_mean_begins_at_one_place(self, shift: float, is_table: bool) -> None:
        assert bool(tables(pairs(6, shift=shift))) is is_table

    def test_or_it_ends_at_one_place_as_on_a_card_of_reference(self) -> None:
        lines = [
            line(700 - 12 * at, (50, 90, TERMS[at]), (150 + 9 * at, 250, f"what {TERMS[at]} means"))
            for at in range(5)
        ]
        assert len(tables(lines)) == 1

    @pytest.mark.parametrize("mark", ["{}.", "{}:", "IV.", "|", "[{}]", "({})", "•", "2.{}"])
    def test_items_of_a_list_and_names_of_sections_are_none(self, mark: str) -> None:
        assert tables(pairs(first=lambda at: mark.format(at + 1))) == []

    @pytest.mark.parametrize("end", ["[Function]", "({})", "<method>"])
    def test_signatures_and_numbers_of_formulas_are_none(self, end: str) -> None:
        assert tables(pairs(second=lambda at: end.format(at + 1))) == []

    @pytest.mark.parametrize("entry", ["what it is, {}", "who@example.org"])
    def test_entries_of_an_index_and_addresses_are_none(self, entry: str) -> None:
        assert tables(pairs(second=lambda at: entry.format(12 + at))) == []

    @pytest.mark.parametrize("sign", ["# ", "// ", "; ", "/* "])
    def test_code_with_comments_is_none(self, sign: str) -> None:
        assert tables(pairs(second=lambda at: f"{sign}say {TERMS[at]}")) == []

    @pytest.mark.parametrize(("of", "marked", "is_table"), [(7, 2, True), (13, 4, False)])
    def test_three_of_ten_rows_may_look_like_items(self, of: int, marked: int, is_table: bool) -> None:
        names = [*numbered("word", of - marked), *(f"{at}." for at in range(marked))]
        rows = pairs(of, first=names.__getitem__, second="what {} means".format)
        assert bool(tables(rows)) is is_table

    @pytest.mark.parametrize(("of", "told", "is_table"), [(7, 5, True), (13, 9, False)])
    def test_seven_of_ten_are_told_in_words(self, of: int, told: int, is_table: bool) -> None:
        said = [*numbered("meaning", told), *(f"{at} m" for at in range(of - told))]
        rows = pairs(of, first="word {}".format, second=said.__getitem__)
        assert bool(tables(rows)) is is_table

    @pytest.mark.parametrize(
        ("of", "level", "out", "is_table"), [(11, 9, 30, True), (9, 7, 30, False), (9, 7, 2.95, True)]
    )
    def test_the_meanings_of_four_in_five_begin_at_one_place(
        self, of: int, level: int, out: float, is_table: bool
    ) -> None:
        """One is where they differ by up to three points."""
        lefts = [150 if at < level else 150 + out for at in range(of)]
        rows = [
            line(700 - 12 * at, (50, 90, f"word {at}"), (left, 250 + 9 * at, f"meaning {at}"))
            for at, left in enumerate(lefts)
        ]
        assert bool(tables(rows)) is is_table

    def test_names_and_numbers_of_pages_are_contents(self) -> None:
        assert tables(pairs(6, second=lambda at: str(10 + at))) == []

    @pytest.mark.parametrize(("of", "wrapped", "is_table"), [(4, 2, True), (4, 3, False), (11, 6, False)])
    def test_a_long_text_beside_each_word_explains_it(self, of: int, wrapped: int, is_table: bool) -> None:
        lines: list[PdfLine] = []
        for at, row in enumerate(pairs(of, first="word {}".format, second="what {} means".format)):
            top = 700 - 12 * len(lines)
            LINES[top] = row.cells
            lines.append(replace(row, top=top, bottom=top))
            if at >= of - wrapped:
                lines.append(line(top - 12, (150, 250, "and what else it means")))
        assert bool(tables(lines)) is is_table


class TestRowsWithoutWideGaps:
    @staticmethod
    def narrow(gap: float) -> list[PdfLine]:
        """Three rows, a row whose cells reach nearly to the next ones, and another three rows."""
        lines = [
            line(700 - 12 * at, (50, 90, f"-{'abcdefg'[at]}"), (150, 200, "say it"), (300, 380, "say it all"))
            for at in range(7)
        ]
        names = (50, 100, "--long"), (102, 150 - gap, "<option>")
        words = (*names, (150, 300 - gap, "say"), (300, 380, "everything"))
        lines[3] = line(664, (50, 380, "--long <option> say everything"), words=words)
        return lines

    @pytest.mark.parametrize(("gap", "rows"), [(4.1, [7]), (3.9, [3, 3])])
    def test_a_row_with_narrow_gaps_belongs_to_the_table(self, gap: float, rows: list[int]) -> None:
        assert [len(table.splitlines()) - 1 for table in tables(self.narrow(gap))] == rows

    def test_a_line_whose_words_go_over_the_columns_ends_the_table(self) -> None:
        lines = self.narrow(5)
        LINES[664] = tuple(Cell("words", 50 + 40 * n, 87 + 40 * n, 664) for n in range(8))
        assert [len(table.splitlines()) - 1 for table in tables(lines)] == [3, 3]

    def test_five_such_lines_part_two_tables(self) -> None:
        rows = [line(700 - 12 * at, (50, 90, "a"), (150, 200, "b"), (300, 380, "c")) for at in range(3)]
        words = ((50, 145, "x"), (150, 295, "y"), (300, 380, "z"))
        text = [line(664 - 12 * at, (50, 380, "x y z"), words=words) for at in range(5)]
        below = [line(604 - 12 * at, (50, 90, "d"), (150, 200, "e"), (300, 380, "f")) for at in range(3)]
        assert len(tables([*rows, *text, *below])) == 2
        nearer = [line(616 - 12 * at, (50, 90, "d"), (150, 200, "e"), (300, 380, "f")) for at in range(3)]
        assert len(tables([*rows, *text[:4], *nearer])) == 1


class TestRows:
    @staticmethod
    def rows(*tops: float) -> list[PdfLine]:
        return [line(top, (50, 60, "a"), (150, 160, f"b{top}"), (250, 260, "c")) for top in tops]

    @pytest.mark.parametrize(("gap", "rows"), [(30, [6]), (30.1, [3, 3])])
    def test_lie_three_heights_of_the_font_apart_at_most(self, gap: float, rows: list[int]) -> None:
        lines = self.rows(700, 672, 644, 644 - gap, 616 - gap, 588 - gap)
        assert [len(table.splitlines()) - 1 for table in tables(lines)] == rows

    @pytest.mark.parametrize(("gap", "rows"), [(20.4, 5), (20.5, 4)])
    def test_are_nearer_to_each_other_than_to_a_running_head(self, gap: float, rows: int) -> None:
        (table,) = tables(self.rows(600 + gap, 600, 588, 576, 564))
        assert len(table.splitlines()) - 1 == rows

    @pytest.mark.parametrize(("of", "whole", "is_table"), [(5, 3, True), (5, 2, False), (7, 4, False)])
    def test_of_five_three_have_three_cells(self, of: int, whole: int, is_table: bool) -> None:
        lines = self.rows(*range(700, 700 - 10 * of, -10))
        for at in range(whole, of):
            top = lines[at].top
            lines[at] = line(top, (50, 60, "a"), (154, 164, f"b{top}"))
        assert bool(tables(lines)) is is_table

    @pytest.mark.parametrize(("shift", "third", "is_table"), [(2, 3, True), (3, 3, False), (2, 2, False)])
    def test_two_cells_are_enough_where_each_column_begins_at_one_place(
        self, shift: float, third: int, is_table: bool
    ) -> None:
        lines = self.rows(*range(700, 620, -10))
        for at in range(third, 8):
            lines[at] = line(lines[at].top, (50, 60, "a"), (150 + shift * (at % 2), 170, f"b{at}x"))
        assert bool(tables(lines)) is is_table

    @pytest.mark.parametrize(("said", "is_table"), [(4, True), (3, False)])
    def test_half_of_the_cells_of_a_table_say_something(self, said: int, is_table: bool) -> None:
        """There are 21 cells, and the seven of the first column say something."""
        lines = [
            line(700 - 12 * at, (50, 60, "a"), (150, 160, "b" if at < said else "-"), (250, 260, "-"))
            for at in range(7)
        ]
        assert bool(tables(lines)) is is_table

    @pytest.mark.parametrize(("of", "numbered", "is_table"), [(6, 5, False), (9, 7, True)])
    def test_of_a_table_of_contents_four_in_five_end_with_a_rising_number(
        self, of: int, numbered: int, is_table: bool
    ) -> None:
        ends = ["none" if at < of - numbered else str(10 + at) for at in range(of)]
        lines = [
            line(700 - 12 * at, (50, 60, f"{at}."), (150, 160, "name"), (250, 260, end))
            for at, end in enumerate(ends)
        ]
        assert bool(tables(lines)) is is_table

    @pytest.mark.parametrize(("out", "rows"), [(4.0, [5]), (4.1, [3])])
    def test_go_on_with_a_cell_four_points_further_out_at_most(self, out: float, rows: list[int]) -> None:
        lines = self.rows(700, 690, 680, 670, 660)
        words = ((50 - out, 140, "long"), (150, 245, "b"), (250, 260, "c"))
        lines[3] = line(670, (50 - out, 260, "long b c"), words=words)
        assert [len(table.splitlines()) - 1 for table in tables(lines)] == rows


class TestHeads:
    ROWS = staticmethod(
        lambda: [
            line(700 - 12 * at, (50, 60, str(at)), (150, 160, "1"), (200, 210, "2"), (250, 260, "x"))
            for at in range(4)
        ]
    )

    @pytest.mark.parametrize(("top", "is_head"), [(720.0, True), (720.1, False)])
    def test_one_word_above_each_column_is_its_head(self, top: float, is_head: bool) -> None:
        head = line(
            top,
            (145, 262, "id time state"),
            words=((145, 165, "id"), (195, 215, "time"), (245, 262, "state")),
        )
        (table,) = tables([head, *self.ROWS()])
        assert ("id | time | state" in table) is is_head

    def test_two_lines_may_be_heads(self) -> None:
        tops = (712, 724, 736)
        words = ((145, 165, "id"), (195, 215, "time"), (245, 262, "state"))
        heads = [line(top, (145, 262, "id time state"), words=words) for top in tops]
        (table,) = tables([*reversed(heads), *self.ROWS()])
        assert table.count("id | time | state") == 2

    def test_a_line_of_text_above_the_columns_is_no_head(self) -> None:
        text = line(715, (50, 150, "As told"), words=((50, 70, "As"), (80, 100, "told"), (120, 140, "here")))
        (table,) = tables([text, *self.ROWS()])
        assert "told" not in table


class TestWhatEndsATable:
    ROWS = staticmethod(
        lambda: [line(700 - 12 * at, (50, 60, "a"), (150, 160, "b"), (250, 260, "c")) for at in range(4)]
    )

    @pytest.mark.parametrize(("size", "ends"), [(9.3, False), (9.1, True), (11.4, False), (11.6, True)])
    def test_smaller_notes_and_larger_headings_are_no_rows(self, size: float, ends: bool) -> None:
        note = line(652, (50, 60, "a"), (150, 160, "note"), (250, 260, "d"), size=size)
        (table,) = tables([*self.ROWS(), note])
        assert ("note" not in table) is ends

    def test_a_caption_below_is_no_row(self) -> None:
        (table,) = tables([*self.ROWS(), line(652, (160, 260, "Table 3: Test data"))])
        assert "Test data" not in table

    @pytest.mark.parametrize(
        ("sign", "is_table"), [("=", False), ("<", False), ("\u2264 2", False), ("< 0.01", True)]
    )
    def test_rows_of_formulas_are_no_table(self, sign: str, is_table: bool) -> None:
        lines = [line(700 - 12 * at, (50, 60, "U"), (100, 110, sign), (150, 260, "x + y")) for at in range(4)]
        assert bool(tables(lines)) is is_table

    @pytest.mark.parametrize(("same", "is_table"), [(1, True), (2, False)])
    def test_labels_of_drawings_in_a_row_are_none(self, same: int, is_table: bool) -> None:
        lines = [
            line(
                700 - 12 * at,
                *((50 + 100 * n, 90 + 100 * n, f"age {at if at + same > 3 else n}") for n in range(3)),
            )
            for at in range(4)
        ]
        assert bool(tables(lines)) is is_table

    @pytest.mark.parametrize(("said", "is_table"), [("a" * 20, True), ("a" * 21, False)])
    def test_entries_of_a_bibliography_are_none(self, said: str, is_table: bool) -> None:
        lines = [
            line(700 - 12 * at, (50, 90, f"[Mac{at}]"), (150, 250, said), (280, 320, "in print"))
            for at in range(4)
        ]
        assert bool(tables(lines)) is is_table

    @pytest.mark.parametrize(("signs", "is_table"), [(2, True), (3, False)])
    def test_half_of_the_cells_say_something(self, signs: int, is_table: bool) -> None:
        cells = [(50 + 100 * n, 60 + 100 * n, "…" if n < signs else "ab") for n in range(4)]
        assert bool(tables([line(700 - 12 * at, *cells) for at in range(4)])) is is_table

    def test_columns_of_numbers_lie_half_a_height_apart(self) -> None:
        def numbers(gap: float) -> list[PdfLine]:
            cells = ((50, 60, "1"), (100, 130, "50 30"), (200, 210, "x"))
            return [
                line(
                    700 - 12 * at,
                    *cells,
                    words=((50, 60, "1"), (100, 110, "50"), (110 + gap, 130, "30"), (200, 210, "x")),
                )
                for at in range(4)
            ]

        assert "50 | 30" in tables(numbers(5.1))[0]
        assert "50 30" in tables(numbers(4.9))[0]


@pytest.mark.parametrize(("above", "rows"), [(2, 5), (1, 0)])
def test_two_rows_with_wide_gaps_stand_above_one_without(above: int, rows: int) -> None:
    words = ((50, 100, "--long"), (102, 145, "<option>"), (150, 295, "say"), (300, 380, "all"))
    tops = [700.0 - 12 * at for at in range(above + 3)]
    wide = [line(top, (50, 90, "a"), (150, 200, "b"), (300, 380, "c")) for top in tops]
    wide[above] = line(tops[above], (50, 380, "--long <option> say all"), words=words)
    assert [len(table.splitlines()) - 1 for table in tables(wide)] == [rows] * (rows > 0)


def test_of_a_long_run_that_is_no_table_few_beginnings_are_tried() -> None:
    """What cannot be a table costs no square of its lines."""
    asked: list[float] = []

    def counted(line: PdfLine) -> list[Cell]:
        asked.append(line.top)
        return words_of(line)

    lines = [line(12.0 * (3000 - at), (50, 60, "…"), (150, 160, "…"), (250, 260, "…")) for at in range(3000)]
    assert with_aligned_tables(lines, counted) == lines
    assert len(asked) == len(lines)


@pytest.mark.parametrize(("columns", "is_table"), [(100, True), (101, False)])
def test_no_table_has_more_columns_than_a_person_tells_apart(columns: int, is_table: bool) -> None:
    rows = [
        line(700 - 12 * at, *[(40 * n, 40 * n + 12, f"{at}{n % 10}") for n in range(columns)])
        for at in range(6)
    ]
    assert bool(tables(rows)) is is_table
