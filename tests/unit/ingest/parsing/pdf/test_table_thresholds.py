"""The numbers that tell a table from other words of a PDF page, each just inside and just outside."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from footnote_ingest.parsing.pdf.frames import Frame, frames
from footnote_ingest.parsing.pdf.lines import Cell, PdfLine
from footnote_ingest.parsing.pdf.page_tables import with_tables
from footnote_ingest.parsing.pdf.rules import Rule, turned_rules

Words = tuple[float, float, str]
"""Where words begin and end, and what they say."""


def line(top: float, *cells: Words, mono: bool = False) -> PdfLine:
    found = tuple(Cell(text, left, right) for left, right, text in cells)
    return PdfLine(" ".join(cell.text for cell in found), 10, top, top, mono=mono, cells=found)


def words(line: PdfLine) -> list[Cell]:
    return list(line.cells)


def tables(lines: Sequence[PdfLine], *framed: Frame) -> list[str]:
    return [one.text for one in with_tables(lines, framed, words) if one.is_table]


def rows(table: str) -> int:
    return len(table.splitlines()) - 1


def grid(count: int, *, columns: int = 3, top: float = 700) -> list[PdfLine]:
    """Lines of short words, 20 points below each other, in columns that are 100 points apart."""
    return [
        line(top - 20 * at, *((50.0 + 100 * n, 90.0 + 100 * n, f"{'abcd'[n]}{at}x") for n in range(columns)))
        for at in range(count)
    ]


def frame(*levels: float, uprights: Sequence[float] = (), right: float = 350) -> Frame:
    rules = tuple(Rule(False, at, levels[-1], levels[0]) for at in uprights)
    return Frame(45, right, levels, rules)


class TestWordsWithoutRules:
    @pytest.mark.parametrize(("left", "goes_on"), [(146.1, True), (145.9, False)])
    def test_a_line_goes_on_with_a_cell_that_begins_four_points_before_it(
        self, left: float, goes_on: bool
    ) -> None:
        (table,) = tables([*grid(4), line(620, (left, left + 40, "of steel"))])
        assert ("of steel" in table) is goes_on

    @pytest.mark.parametrize(("gap", "is_table"), [(8.1, True), (7.9, False)])
    def test_columns_are_nearly_a_line_apart(self, gap: float, is_table: bool) -> None:
        lines = [
            line(700 - 20 * at, (50, 90, "ax"), (90 + gap, 120, "bx"), (150, 190, "cx")) for at in range(4)
        ]
        assert bool(tables(lines)) is is_table

    @pytest.mark.parametrize(
        ("count", "bridging", "is_table"), [(10, 1, True), (9, 1, False), (19, 1, True), (19, 2, False)]
    )
    def test_a_tenth_of_the_rows_may_bridge_the_gap(self, count: int, bridging: int, is_table: bool) -> None:
        lines = grid(count)
        for at in range(count - bridging, count):
            lines[at] = line(700 - 20 * at, (50, 160, "over"), (170, 270, "over"), (280, 290, "end"))
        assert bool(tables(lines)) is is_table

    @pytest.mark.parametrize(("whole", "is_table"), [(7, True), (6, False)])
    def test_six_tenths_of_the_rows_are_whole(self, whole: int, is_table: bool) -> None:
        partial = [line(700 - 20 * at, (50, 90, "ax"), (154, 190, "1.5")) for at in range(whole, 11)]
        assert bool(tables([*grid(whole), *partial])) is is_table

    @pytest.mark.parametrize(("numbered", "is_contents"), [(8, True), (7, False)])
    def test_rows_of_which_eight_tenths_end_with_a_page_number_are_contents(
        self, numbered: int, is_contents: bool
    ) -> None:
        lines = [
            line(
                700 - 20 * at,
                (50, 90, "ax"),
                (150, 190, "bx"),
                (250, 290, str(at) if at >= 10 - numbered else "cx"),
            )
            for at in range(10)
        ]
        assert (tables(lines) == []) is is_contents


class TestBandsBetweenRules:
    @pytest.mark.parametrize(("height", "is_table"), [(7.1, True), (6.9, False)])
    def test_between_the_lines_of_a_staff_is_no_room_for_a_row(self, height: float, is_table: bool) -> None:
        levels = [705 - height * at for at in range(5)]
        notes = [line(levels[at + 1] + 1, (60, 70, "Nx"), (150, 160, "5")) for at in range(4)]
        assert bool(tables(notes, frame(*levels, uprights=[120]))) is is_table

    @pytest.mark.parametrize(("signs", "is_table"), [(2, True), (3, False)])
    def test_less_than_half_of_the_cells_may_be_signs_of_an_own_font(
        self, signs: int, is_table: bool
    ) -> None:
        texts = ["\ue0a4" if at < signs else f"ab{at}" for at in range(6)]
        rows = [line(700 - 20 * n, (50, 90, texts[2 * n]), (150, 190, texts[2 * n + 1])) for n in range(3)]
        assert bool(tables(rows, frame(714, 690, 670, 650, uprights=[120]))) is is_table

    @pytest.mark.parametrize(("last", "is_table"), [("hx", True), ("h", False)])
    def test_single_letters_alone_are_none(self, last: str, is_table: bool) -> None:
        rows = [line(700 - 20 * n, (50, 90, "h"), (150, 190, "N" if n < 2 else last)) for n in range(3)]
        assert bool(tables(rows, frame(714, 690, 670, 650, uprights=[120]))) is is_table

    def test_two_rules_at_the_edge_are_no_column(self) -> None:
        rows = [line(700 - 20 * n, (70, 90, f"a{n}"), (150, 190, f"b{n}")) for n in range(3)]
        (table,) = tables(rows, frame(714, 650, uprights=[55, 120]))
        assert table.splitlines()[0] == "a0 | b0"

    @pytest.mark.parametrize(("left", "is_table"), [(152.0, True), (152.1, False)])
    def test_long_text_keeps_to_the_head_of_its_column(self, left: float, is_table: bool) -> None:
        head = line(700, (50, 90, "Name"), (150, 190, "Meaning"))
        lines = [line(680 - 12 * n, (50, 340, "a name and a long text")) for n in range(4)]
        told = {id(one): [Cell("name", 50, 145), Cell("text", left, 340)] for one in lines}
        found = with_tables([head, *lines], [frame(714, 694, 640)], lambda one: told.get(id(one), words(one)))
        assert any(one.is_table for one in found) is is_table

    @pytest.mark.parametrize(("share", "count"), [(0.59, 1), (0.61, 2)])
    def test_a_line_over_six_tenths_of_the_frame_is_text_between_two_tables(
        self, share: float, count: int
    ) -> None:
        text = line(650, (95, 95 + share * 305, "Words between them"))
        lines = [line(top, (50, 90, "ax"), (300, 340, "bx")) for top in (700, 680, 620, 600)]
        lines.insert(2, text)
        assert len(tables(lines, frame(714, 690, 665, 640, 610, 590))) == count

    @pytest.mark.parametrize(("top", "in_one_row"), [(696.1, True), (695.9, False)])
    def test_words_of_a_row_have_nearly_one_base_line(self, top: float, in_one_row: bool) -> None:
        lines = [line(700, (50, 90, "ax"), (150, 190, "cx")), line(top, (95, 110, "bx"))]
        (table,) = tables([*lines, *grid(1, columns=2, top=680)], frame(714, 660, uprights=[120]))
        assert (table.splitlines()[0] == "ax bx | cx") is in_one_row

    @pytest.mark.parametrize(("apart", "pipes"), [(5.9, 1), (6.1, 2)])
    def test_rules_side_by_side_are_no_column(self, apart: float, pipes: int) -> None:
        (table,) = tables(grid(3, columns=2), frame(714, 650, uprights=[120, 120 + apart]))
        assert table.splitlines()[0].count("|") == pipes

    @pytest.mark.parametrize(("bands", "count"), [(4, 4), (3, 4)])
    def test_are_rows_if_most_of_four_hold_one_first_cell(self, bands: int, count: int) -> None:
        """In four bands a first cell may have two lines; in three each line is a row."""
        name = [line(684, (50, 90, "long"), (150, 190, "bx")), line(672, (50, 90, "name"), (150, 190, "bx"))]
        lines = [*grid(1, columns=2), *name, *grid(bands - 2, columns=2, top=650)]
        levels = [714, 694, *(664.0 - 20 * at for at in range(bands - 1))]
        (table,) = tables(lines, frame(*levels, uprights=[120]))
        assert rows(table) == count

    @pytest.mark.parametrize(("lines_in_cell", "count"), [(3, 4), (4, 7)])
    def test_a_first_cell_has_three_lines_at_most(self, lines_in_cell: int, count: int) -> None:
        name = [line(700 - 10 * at, (50, 90, f"name{at}"), (150, 190, "bx")) for at in range(lines_in_cell)]
        rest = grid(3, columns=2, top=640)
        (table,) = tables([*name, *rest], frame(714, 654, 634, 614, 594, uprights=[120]))
        assert rows(table) == count

    @pytest.mark.parametrize(("filled", "is_table"), [(11, True), (10, False)])
    def test_half_of_the_cells_hold_words(self, filled: int, is_table: bool) -> None:
        """Of 21 cells: the first row has three, all others have one, and some have a second one."""
        whole = grid(7)
        cells = [3, *[2] * (filled - 9), *[1] * (15 - filled)]
        lines = [
            line(one.top, *((cell.left, cell.right, cell.text) for cell in one.cells[:count]))
            for one, count in zip(whole, cells, strict=True)
        ]
        levels = [714 - 20 * at for at in range(8)]
        assert bool(tables(lines, frame(*levels, uprights=[120, 220]))) is is_table


def level(at: float, start: float, end: float) -> Rule:
    return Rule(True, at, start, end)


def upright(at: float, start: float, end: float) -> Rule:
    return Rule(False, at, start, end)


class TestPhrasesInRows:
    """Rows between level rules only, whose words tell the columns."""

    @pytest.mark.parametrize(("gap", "name"), [(4.4, "Number of |  | "), (4.6, "Number | of | ")])
    def test_one_phrase_is_one_cell_where_it_begins(self, gap: float, name: str) -> None:
        rows = [line(top, (50, 70, "ax"), (150, 190, "bx"), (250, 290, "cx")) for top in (660, 640, 620)]
        group = line(600, (50, 109, "Number"), (109 + gap, 190, "of"))
        last = line(580, (50, 70, "dx"), (150, 190, "ex"), (250, 290, "fx"))
        (table,) = tables([*rows, group, last], frame(670, 650, 570))
        assert table.splitlines()[-2].rstrip(" |") == name.rstrip(" |")

    @pytest.mark.parametrize(("apart", "is_row"), [(8.1, True), (7.9, False)])
    def test_a_long_line_with_gaps_is_a_row_and_no_text(self, apart: float, is_row: bool) -> None:
        long = PdfLine("of a b", 10, 660, 660, cells=(Cell("of a b", 50, 340),))
        words_of = {660.0: [Cell("of", 50, 190), Cell("a", 190 + apart, 290), Cell("b", 290 + apart, 340)]}
        lines = [line(700, (50, 90, "ax"), (199, 240, "bx"), (299, 340, "cx")), long]
        found = with_tables(lines, [frame(714, 680, 640)], lambda one: words_of.get(one.top, list(one.cells)))
        assert any("of | a | b" in one.text for one in found if one.is_table) is is_row

    def test_words_of_a_line_that_goes_over_two_are_put_into_their_rows(self) -> None:
        both = PdfLine("of steel or wood", 10, 680, 668, cells=(Cell("of steel or wood", 150, 300),))
        parted = [Cell("of", 150, 160, 680), Cell("steel", 250, 290, 680), Cell("or wood", 150, 200, 668)]
        lines = [line(700, (50, 90, "ax"), (150, 190, "bx")), line(680, (50, 90, "cx")), both]
        found = with_tables(
            lines,
            [frame(714, 690, 660, uprights=[120])],
            lambda one: parted if one is both else list(one.cells),
        )
        assert [one.text.splitlines()[-1] for one in found] == ["cx | of steel or wood"]


class TestCellsOfTwoLines:
    @pytest.mark.parametrize(("columns", "rows_found"), [(1, 4), (2, 8)])
    def test_first_cells_go_on_where_their_lower_lines_have_little_beside_them(
        self, columns: int, rows_found: int
    ) -> None:
        lines: list[PdfLine] = []
        for at in range(4):
            lines += grid(1, top=700 - 40 * at)
            lines += grid(1, columns=columns, top=685 - 40 * at)
        framed = frame(714, 675, 635, 595, 555, uprights=[120, 220])
        (table,) = tables(lines, framed)
        assert rows(table) == rows_found


class TestFrames:
    @pytest.mark.parametrize(
        ("start", "end", "levels"), [(120, 300, 3), (126, 300, 2), (50, 120, 2), (50, 290, 2)]
    )
    def test_a_rule_beside_a_cell_of_several_rows_parts_the_others(
        self, start: float, end: float, levels: int
    ) -> None:
        outer = [level(700, 50, 300), level(600, 50, 300), upright(120, 600, 700), upright(200, 600, 700)]
        assert len(frames([*outer, level(650, start, end)])[0].levels) == levels

    @pytest.mark.parametrize(
        ("end", "count", "first"), [(294, 3, 294), (294, 2, 300), (176, 3, 176), (174, 3, 300)]
    )
    def test_between_the_rules_of_a_wider_one_come_first(self, end: float, count: int, first: float) -> None:
        outer = [level(700, 50, 300), level(500, 50, 300)]
        inner = [level(at, 50, end) for at in (650, 600, 550)[:count]]
        assert frames([*outer, *inner])[0].right == first

    def test_are_turned_with_their_page(self) -> None:
        turned = turned_rules([Rule(True, 10, 20, 30), Rule(False, 5, 40, 60)], 90)
        assert turned == [Rule(False, 10, -30, -20), Rule(True, -5, 40, 60)]
        assert turned_rules(turned, 270) == turned_rules(turned_rules([*turned], 90), 180)

    @pytest.mark.parametrize(("apart", "levels"), [(3.4, 2), (3.6, 3)])
    def test_rules_nearly_at_one_place_are_one(self, apart: float, levels: int) -> None:
        (found,) = frames([level(700, 50, 300), level(600, 50, 300), level(600 - apart, 50, 300)])
        assert len(found.levels) == levels

    @pytest.mark.parametrize(("gap", "right"), [(3.4, 300), (3.6, 150)])
    def test_pieces_that_nearly_touch_are_one_rule(self, gap: float, right: float) -> None:
        pieces = [rule for at in (700, 600) for rule in (level(at, 50, 150), level(at, 150 + gap, 300))]
        assert frames(pieces)[0].right == right

    @pytest.mark.parametrize(("start", "count"), [(54.9, 1), (55.1, 0)])
    def test_rules_of_a_frame_begin_at_one_edge(self, start: float, count: int) -> None:
        assert len(frames([level(700, 50, 300), level(600, start, 300)])) == count

    @pytest.mark.parametrize(("end", "count"), [(295.1, 1), (294.9, 0)])
    def test_rules_of_a_frame_end_at_one_edge(self, end: float, count: int) -> None:
        assert len(frames([level(700, 50, 300), level(600, 50, end)])) == count

    @pytest.mark.parametrize(("at", "inside"), [(55.1, 1), (54.9, 0), (294.9, 1), (295.1, 0)])
    def test_a_rule_at_the_edge_parts_no_columns(self, at: float, inside: int) -> None:
        (found,) = frames([level(700, 50, 300), level(600, 50, 300), upright(at, 600, 700)])
        assert len(found.uprights) == inside

    @pytest.mark.parametrize(("length", "count"), [(8.1, 1), (7.9, 0)])
    def test_shorter_rules_are_parts_of_a_drawing(self, length: float, count: int) -> None:
        assert len(frames([level(700, 50, 50 + length), level(600, 50, 50 + length)])) == count

    @pytest.mark.parametrize(("over", "inside"), [(7.9, True), (8.1, False)])
    def test_words_of_the_last_column_may_be_too_long_for_it(self, over: float, inside: bool) -> None:
        found = frame(700, 600, uprights=(200,), right=300)
        assert found.holds(line(650, (60, 300 + over, "words"))) is inside

    @pytest.mark.parametrize(("over", "inside"), [(3.9, True), (4.1, False)])
    def test_words_may_stand_a_little_over_the_edge(self, over: float, inside: bool) -> None:
        (found,) = frames([level(700, 50, 300), level(600, 50, 300)])
        assert found.holds(line(650, (50 - over, 200, "words"))) is inside
        assert found.holds(line(650, (60, 300 + over, "words"))) is inside

    @pytest.mark.parametrize(("short", "parted"), [(3.4, (120.0,)), (3.6, ())])
    def test_an_upright_rule_may_nearly_reach_the_level_ones(
        self, short: float, parted: tuple[float, ...]
    ) -> None:
        found = Frame(50, 300, (700, 600), (upright(120, 600 + short, 700 - short),))
        assert found.columns(700, 600) == parted


@pytest.mark.parametrize(("height", "size", "count"), [(49, 12, 2), (47, 12, 1), (49, 10, 1)])
def test_a_large_heading_with_room_around_it_parts_two_tables(height: float, size: float, count: int) -> None:
    below = 660 - height
    heading = replace(line(below + 20, (50, 90, "Harbours")), size=size)
    lines = [*grid(2, columns=2, top=685), heading, *grid(2, columns=2, top=below - 15)]
    framed = frame(700, 680, 660, below, below - 20, below - 40)
    assert len(tables(lines, framed)) == count
