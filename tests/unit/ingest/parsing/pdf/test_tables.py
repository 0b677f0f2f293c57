"""Which words of a PDF page are a table: those between rules, and those that keep to columns."""

from collections.abc import Sequence

import pytest

from footnote_ingest.parsing.elements import Extracted
from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, paragraph, row, rule, words

PRICES = [("Code", "Item", "Price"), ("007", "Wheel", "12"), ("008", "Spoke", "3"), ("009", "Hub", "40")]
MARKDOWN = "Code | Item | Price\n--- | --- | ---\n007 | Wheel | 12\n008 | Spoke | 3\n009 | Hub | 40"
BESIDE = paragraph(50, 790, *["The words of the body stand in a line that is long enough."] * 4)


def read(*pieces: str) -> Extracted:
    return parsed_here(drawn(pieces), "a.pdf")


def tables(*pieces: str) -> list[str]:
    return [element.text for element in read(*pieces).elements if element.kind == "table"]


def columns(rows: Sequence[Sequence[str]], *, top: float = 700, gap: float = 20, left: float = 50) -> str:
    return "\n".join(
        row(top - gap * at, *((left + 100 * n, text) for n, text in enumerate(cells)))
        for at, cells in enumerate(rows)
    )


def digest(y: float, name: str, share: str, *, first: str) -> str:
    """A row whose last cell is in a font of one width and goes on in the line below."""
    last = [words(300, y - 10 * at, text, font="mono") for at, text in enumerate((first, "274cdf1a9f588"))]
    return "\n".join([words(50, y, name), words(150, y, share), *last])


def level_rules(*places: float, right: float = 350) -> str:
    return "\n".join(rule(45, at, right, at) for at in places)


class TestColumnsWithoutRules:
    def test_are_a_table(self) -> None:
        extracted = read(BESIDE, columns(PRICES), words(50, 600, "Words after it."))
        assert [(e.kind, e.text) for e in extracted.elements][1:] == [
            ("table", MARKDOWN),
            ("paragraph", "Words after it."),
        ]

    @pytest.mark.parametrize(("rows", "is_table"), [(3, True), (2, False)])
    def test_have_three_rows_at_least(self, rows: int, is_table: bool) -> None:
        assert bool(tables(columns(PRICES[:rows]))) is is_table

    def test_have_three_columns_or_a_caption(self) -> None:
        two = [cells[:2] for cells in PRICES]
        assert tables(columns(two)) == []
        assert len(tables(words(50, 730, "Table 3: Prices"), columns(two))) == 1

    @pytest.mark.parametrize(("gap", "count"), [(29.9, 1), (30.1, 0)])
    def test_have_rows_no_further_apart_than_three_lines(self, gap: float, count: int) -> None:
        assert len(tables(columns(PRICES, gap=gap))) == count

    @pytest.mark.parametrize(("gap", "is_row"), [(23.7, True), (23.9, False)])
    def test_at_the_top_of_a_page_leave_out_its_running_head(self, gap: float, is_row: bool) -> None:
        head = row(700 + gap, (50, "Wheels"), (250, "13"))
        (table,) = tables(head, columns(PRICES, gap=14))
        assert table.startswith("Wheels") is is_row

    def test_below_other_text_may_have_a_first_row_far_above(self) -> None:
        head = row(723.9, (50, "Code"), (150, "Item"), (250, "Price"))
        (table,) = tables(words(50, 790, "Words above it."), head, columns(PRICES[1:], gap=14))
        assert table == MARKDOWN

    def test_go_on_in_a_line_without_a_first_cell(self) -> None:
        page = [columns(PRICES, gap=24), words(150, 616, "of steel")]
        assert tables(*page)[0].endswith("009 | Hub of steel | 40")

    def test_of_contents_are_none(self) -> None:
        contents = [("1", "Wheels", "3"), ("1.1", "Spokes", "7"), ("2", "Care", "12"), ("3", "Index", "40")]
        assert tables(columns(contents)) == []

    @pytest.mark.parametrize(("length", "count"), [(30, 1), (31, 0)])
    def test_of_running_text_are_none(self, length: int, count: int) -> None:
        lines = [("t" * length, "word", "words") for _ in range(4)]
        page = [
            row(700 - 12 * at, (50, first), (260, second), (360, third))
            for at, (first, second, third) in enumerate(lines)
        ]
        assert len(tables(*page)) == count


class TestRules:
    def test_part_the_rows_of_a_table_with_two_columns(self) -> None:
        page = [
            level_rules(714, 694, 660, right=300),
            rule(140, 714, 140, 660),
            row(700, (50, "Name"), (150, "What it does")),
            row(684, (50, "wheel"), (150, "turns, and carries")),
            words(150, 672, "the whole cart"),
        ]
        assert tables(*page) == ["Name | What it does\n--- | ---\nwheel | turns, and carries the whole cart"]

    def test_part_words_that_stand_close_together(self) -> None:
        page = [level_rules(714, 694, 674, right=120), rule(81, 714, 81, 674)]
        assert tables(*page, row(700, (50, "Name"), (84, "Use")), row(680, (50, "cart"), (84, "goods"))) == [
            "Name | Use\n--- | ---\ncart | goods"
        ]

    @pytest.mark.parametrize(("levels", "count"), [((714, 694, 624), 1), ((714, 694), 1), ((714,), 0)])
    def test_of_head_and_foot_make_a_table_of_two_columns(
        self, levels: tuple[float, ...], count: int
    ) -> None:
        two = [cells[:2] for cells in PRICES]
        assert len(tables(level_rules(*levels, right=250), columns(two))) == count

    def test_leave_the_text_between_two_tables_alone(self) -> None:
        second = [("Town", "People"), ("Ulm", "126"), ("Bonn", "330")]
        page = [
            level_rules(714, 694, 654),
            columns([cells[:2] for cells in PRICES[:3]]),
            words(50, 630, "Here are the people of some towns that are on the river."),
            level_rules(614, 594, 554),
            columns(second, top=600),
        ]
        assert [(e.kind, e.text.split("\n")[0]) for e in read(*page).elements] == [
            ("table", "Code | Item"),
            ("paragraph", "Here are the people of some towns that are on the river."),
            ("table", "Town | People"),
        ]

    def test_around_running_text_or_code_make_no_table(self) -> None:
        text = paragraph(
            50, 700, "Words in a box that take", "all of its width, in each", "of its three lines."
        )
        assert tables(level_rules(714, 694, 660, right=180), text) == []
        code = paragraph(50, 700, "x  =  1    # a", "yy =  22   # b", "z  =  3    # c", font="mono")
        assert tables(level_rules(714, 694, 660, right=180), code) == []

    def test_of_a_drawing_make_no_table(self) -> None:
        grid = [rule(50, 700 - 20 * n, 350, 700 - 20 * n) for n in range(8)]
        grid += [rule(50 + 60 * n, 560, 50 + 60 * n, 700) for n in range(6)]
        assert tables(*grid, words(60, 640, "peak"), words(200, 600, "low")) == []

    @pytest.mark.parametrize(
        ("cells", "above", "below", "is_table"),
        [
            (("depth", "how deep the water of the quay is", "real", "1.0"), 760, 640, True),
            (("depth", "how deep the", "real", "1.0"), 760, 640, False),
            (("depth", "how deep the water of the quay is", "real", "-"), 760, 640, False),
            (("Depth", "how deep the water of the quay is"), 760, 640, False),
            (("the depth", "how deep the water of the quay is"), 760, 640, False),
            (("quay_depth", "how deep the water of the quay is"), 760, 640, True),
            (("depth", "how deep the water of the quay is", "real", "1.0"), 760, 720, False),
            (("depth", "how deep the water of the quay is", "real", "1.0"), 660, 640, False),
        ],
        ids=["row", "few words", "no word", "a label", "two words", "a parameter", "foot", "head"],
    )
    def test_around_a_single_row_of_words_make_a_table(
        self, cells: tuple[str, ...], above: float, below: float, *, is_table: bool
    ) -> None:
        edges = [50, 110, 290, 350, 410][: len(cells) + 1]
        page = [words(50, above, "Here is what it takes."), level_rules(714, 694, right=edges[-1])]
        page += [rule(edge, 714, edge, 694) for edge in edges]
        page += [
            row(700, *[(edge + 4, cell) for edge, cell in zip(edges, cells, strict=False)]),
            words(50, below, "And there is more of it."),
        ]
        assert tables(*page) == ([" | ".join(cells)] if is_table else [])

    def test_a_single_cell_above_all_columns_is_a_caption(self) -> None:
        page = [level_rules(734, 714, 694, 674, 654), columns([("", "Prices"), *PRICES[:3]], top=720)]
        page += [rule(140, 734, 140, 654), rule(240, 734, 240, 654)]
        extracted = read(*page)
        assert [e.kind for e in extracted.elements] == ["paragraph", "table"]
        assert extracted.elements[1].text.startswith("Code | Item | Price\n---")


def test_a_table_is_read_once_on_each_page_and_is_no_running_header() -> None:
    page = [columns(PRICES[:3]), words(50, 600, "Words.")]
    extracted = parsed_here(drawn(*[page] * 6), "a.pdf")
    assert [e.page for e in extracted.elements if e.kind == "table"] == [1, 2, 3, 4, 5, 6]


def shaded(left: float, bottom: float, right: float, top: float, grey: float = 0.9) -> str:
    """A box that is shaded as cairo does it: by a path as large as the page, which is cut to it."""
    box = f"{left} {bottom} {right - left} {top - bottom} re"
    return f"q {box} W n {grey} {grey} {grey} rg 0 0 595 842 re f Q"


class TestShades:
    ROWS = (("Feature", "Sample", "Setting"), ("Slanted", "a b c d", "on"), ("Upright", "a b c d", "off"))

    def boxes(self, grey: float = 0.9) -> str:
        head = [shaded(left, 690, left + 100, 715, grey) for left in (45, 145, 245)]
        rows = [shaded(45, 690 - 40 * at, 345, 730 - 40 * at, grey) for at in (1, 2)]
        return "\n".join(head + rows)

    def cells(self, *more: str) -> str:
        above = columns(self.ROWS[:1])
        return "\n".join([above, columns(self.ROWS[1:], top=675, gap=40), words(150, 660, "e f g"), *more])

    def test_of_a_head_and_of_rows_part_a_table_whose_cells_have_two_lines(self) -> None:
        (table,) = tables(BESIDE, self.boxes(), self.cells())
        assert table.splitlines()[2:] == ["Slanted | a b c d e f g | on", "Upright | a b c d | off"]

    def test_in_white_are_none(self) -> None:
        assert "e f g |" not in "".join(tables(BESIDE, self.boxes(1), self.cells()))

    def test_hold_no_row_with_words_across_its_columns(self) -> None:
        across = words(50, 620, "These words say something else and cross the columns of the head.")
        assert not any("cross" in table for table in tables(BESIDE, self.boxes(), self.cells(across)))


def picture(x: float, y: float, width: float, height: float) -> str:
    """A picture of one black point, as large as that."""
    return f"q {width} 0 0 {height} {x} {y} cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x00 EI Q"


@pytest.mark.parametrize(("thick", "is_table"), [(1.4, True), (1.7, False)])
def test_thin_pictures_are_rules(thick: float, is_table: bool) -> None:
    cells = [row(700 - 20 * at, (60, f"name {at}"), (220, f"what it is {at}")) for at in range(2)]
    level = [picture(50, 715 - 20 * at, 300, thick) for at in range(3)]
    upright = [picture(x, 675, thick, 40) for x in (50, 200, 350)]
    assert bool(tables(*level, *upright, *cells)) is is_table


@pytest.mark.parametrize(("left", "is_table"), [(300, True), (50, False)])
def test_a_column_in_a_font_of_one_width_between_rules_is_no_code(left: float, is_table: bool) -> None:
    rows = [
        row(690, (50, "Source"), (150, "Share"), (300, "Prime")),
        digest(670, "Apache", "82%", first="9fdb8b8a00454"),
        digest(650, "mod", "10%", first="d4bcd52406f69"),
        words(left, 630, "48976f7679509", font="mono"),
    ]
    found = tables(level_rules(705, 682, 620, right=420), *rows)
    assert bool(found) is is_table


@pytest.mark.parametrize(
    ("count", "last", "is_table"), [(4, "int D", True), (3, "int C", False), (4, "", False)]
)
def test_rules_between_the_lines_tell_a_table_from_code(count: int, last: str, *, is_table: bool) -> None:
    names = [f"MODE_{letter}" for letter in "ABCD"[:count]]
    said = [f"int {letter}" for letter in "ABC"[: count - 1]] + [last]
    rows = [
        row(690 - 20 * at, *((x, text) for x, text in ((50, name), (300, what)) if text), font="mono")
        for at, (name, what) in enumerate(zip(names, said, strict=True))
    ]
    found = tables(BESIDE, level_rules(*(703 - 20 * at for at in range(count + 1)), right=420), *rows)
    assert bool(found) is is_table
