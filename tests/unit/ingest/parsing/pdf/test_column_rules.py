"""Tables of two columns that one rule parts: below the head, or between the columns."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, row, rule, words

TEXT = [
    words(50, 780, "Some words of the text, which stand above the table and fill a line of it."),
    words(50, 600, "Some more words of the text, which stand below the table and fill a line."),
]
ROWS = (("Pier", "Ships"), ("1", "12"), ("2", "8"), ("3", "140"))
TABLE = "Pier | Ships\n--- | ---\n1 | 12\n2 | 8\n3 | 140"


def read(*rules: str, rows: tuple[tuple[str, str], ...] = ROWS) -> list[str]:
    page = [*TEXT, *(row(720 - 14 * at, (100, one), (160, other)) for at, (one, other) in enumerate(rows))]
    found = parsed_here(drawn([*page, *rules]), "a.pdf")
    return [element.text for element in found.elements if element.kind == "table"]


@pytest.mark.parametrize("right", [185, 190, 260])
def test_a_rule_below_the_head_parts_a_table(right: float) -> None:
    assert read(rule(98, 716, right, 716)) == [TABLE]


@pytest.mark.parametrize(
    "drawing",
    [
        "",
        rule(98, 716, 130, 716),
        rule(120, 716, 190, 716),
        rule(98, 716, 320, 716),
        rule(98, 702, 190, 702),
        rule(98, 735, 190, 735),
    ],
    ids=["none", "below a word", "from the middle", "across the page", "below a row", "above"],
)
def test_other_rules_do_not(drawing: str) -> None:
    assert read(drawing) == []


def test_an_upright_rule_between_the_columns_parts_a_table() -> None:
    assert read(rule(145, 675, 145, 730)) == [TABLE]
    # One for each row, as LaTeX draws them; one row in five may have none.
    of_rows = [rule(145, 717 - 14 * at, 145, 731 - 14 * at) for at in range(5)]
    assert read(*of_rows[:4]) == [TABLE]
    rows = (*ROWS, ("4", "21"))
    assert read(*of_rows[:2], *of_rows[3:], rows=rows) == [f"{TABLE}\n4 | 21"]
    assert read(*of_rows[:2], of_rows[3], rows=rows) == []
    assert read(rule(145, 715, 145, 731)) == []
    assert read(rule(90, 675, 90, 730)) == []


def test_two_rows_are_too_few() -> None:
    assert read(rule(98, 716, 190, 716), rows=ROWS[:2]) == []
