"""Columns of numbers between two rules, and words there that are one cell."""

import pytest

from footnote_ingest.parsing.pdf.lines import Cell
from footnote_ingest.parsing.pdf.number_columns import number_columns


def rows(*pairs: tuple[str, str]) -> list[list[Cell]]:
    return [[Cell(one, 100, 120), Cell(other, 140, 160)] for one, other in pairs]


NUMBERS = rows(("1,540.0", "9,522.6"), ("–", "69.1"), ("(X)", "$12"), ("-3", "45%"))


@pytest.mark.parametrize(
    ("table", "edges"),
    [
        (NUMBERS, [90, 130, 170]),
        (NUMBERS[:3], [90, 130, 170]),
        (NUMBERS[:2], [90, 170]),
        ([*NUMBERS[:3], *rows(("Under", "18"), ("a", "b"))], [90, 130, 170]),
        ([*NUMBERS[:3], *rows(("Under", "18"), ("a", "b"), ("c", "d"))], [90, 170]),
        (rows(("version", "2"), ("version", "3"), ("version", "4")), [90, 170]),
    ],
)
def test_a_gap_with_numbers_on_both_sides_parts_columns(table: list[list[Cell]], edges: list[float]) -> None:
    assert number_columns(table, [90, 170], [130]) == edges


def test_words_on_the_other_side_of_a_rule_do_not_count() -> None:
    assert number_columns(NUMBERS, [90, 125, 170], [130]) == [90, 125, 170]
