"""Claims whose values stand in a table: the row and the column that they name decide."""

import pytest

from footnote_resolver.verification.table_values import misread, tabulated

PLAIN = "Region | 2023 | 2024\nNorth | 410 | 455\nNorth East | 12 | 15\nSouth | 380 | 1,362"
RULED = (
    "Sales in units.\n\n| Region | 2023 | 2024 |\n|:---|---:|---:|\n| North | 410 | 455 |\n"
    "| North East | 12 | 15 |\n| South | 380 | 1,362 |\n\nThe South had 77 shops."
)


@pytest.mark.parametrize("text", [PLAIN, RULED])
@pytest.mark.parametrize(
    ("claim", "wrong"),
    [
        ("The North had 455 in 2024.", False),
        ("The South had 455 in 2024.", True),
        ("The North had 455 in 2023.", True),
        ("In 2024 the South had 1362.", False),
        ("The North had 410 in 2023 and 455 in 2024.", False),
        ("North and South had 455 and 1,362 in 2024.", False),
        ("The North East had 15 in 2024.", False),
        ("The North East had 455 in 2024.", True),
        ("Nobody had 455.", False),
        ("The South had 380.", False),
        ("The South had 410.", True),
        ("The best value of 2023 was 455.", True),
        ("The West had no figures.", False),
    ],
)
def test_a_value_belongs_to_its_row_and_column(text: str, claim: str, wrong: bool) -> None:
    assert misread(claim, [tabulated(text)]) is wrong


def test_what_the_text_beside_the_table_says_is_no_mistake() -> None:
    table = f"{PLAIN}\n\nIn spring the South had 455 as well."
    assert not misread("The South had 455.", [tabulated(table)])
    assert not misread(
        "The South had 455.", [tabulated(PLAIN), tabulated("Area | Rest | All\nSouth | 455 | 1")]
    )


def test_one_line_with_bars_is_no_table_and_an_escaped_bar_parts_no_cells() -> None:
    assert not tabulated("Either a | b holds.").tables
    assert not tabulated("a \\| b\nc \\| d").tables
    assert len(tabulated(f"{PLAIN}\n\n{RULED}").tables) == 2
