"""Lines of a table that go on with the cells of the row above, and those that are rows."""

import pytest

from footnote_ingest.parsing.pdf.table_columns import continued


@pytest.mark.parametrize(
    ("above", "below", "is_row"),
    [
        ("$ 300", "Total: $300", True),
        ("31,153", "73,186", True),
        ("12.50", "of steel", False),
        ("of steel", "and 12", False),
        ("3,16,12", "9-20", False),
        ("12.50 each", "15", False),
    ],
)
def test_a_sum_below_an_amount_is_a_row(above: str, below: str, is_row: bool) -> None:
    assert len(continued([["Website", above], ["", below]])) == 1 + is_row
