"""Headings of RTF are told by the names of their styles, and a title by its size."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here, titles

TEXT = r"\pard\plain\fs20 The ferry leaves at noon.\par"


@pytest.mark.parametrize(
    ("sheet", "found"),
    [
        (r"{\stylesheet{\s0 Normal;}{\s3\b heading 2;}}", ["Times"]),
        (r"{\stylesheet{\s3 Heading 1;}}", ["Times"]),
        (r"{\stylesheet{\s3 Heading 0;}}", []),
        (r"{\stylesheet{\s3 subheading notes;}}", []),
        (r"{\stylesheet{\s33 heading 2;}}", []),
        ("", []),
    ],
)
def test_a_style_is_a_heading_by_its_name(sheet: str, found: list[str]) -> None:
    assert titles(parsed_here(rf"{{\rtf1 {sheet}\pard\s3 Times\par{TEXT}}}", "a.rtf")) == found


def test_the_style_ends_with_the_paragraph() -> None:
    read = parsed_here(rf"{{\rtf1 {{\stylesheet{{\s3 heading 2;}}}}\pard\s3 Times\par{TEXT}{TEXT}}}", "a.rtf")
    assert [element.kind for element in read.elements] == ["title", "paragraph", "paragraph"]


@pytest.mark.parametrize(
    ("first", "title"),
    [
        (r"\fs40 The Ferries\par", "The Ferries"),
        (r"\fs40 The Ferries\par\fs20 The Ferries\par", "The Ferries"),
        (r"\fs20 The Ferries\par", None),
        (r"\fs40 The ferries leave.\par", None),
        (r"\fs40 The Ferries\par\fs40 The Fares\par", None),
    ],
)
def test_a_line_larger_than_all_others_is_the_title(first: str, title: str | None) -> None:
    assert parsed_here(rf"{{\rtf1 \pard {first}{TEXT}}}", "a.rtf").title == title


def test_a_paragraph_that_ends_within_the_first_cell_of_a_row_stays_in_it() -> None:
    cells = r"{{\pard\intbl %s\par}\cell}{{\pard\intbl %s\par}\cell}"
    row = rf"{{\trowd\cellx900\cellx1800\trkeep\intbl{{{cells}}}\intbl\row}}"
    read = parsed_here(rf"{{\rtf1 {row % ('Code', 'Error')}{row % ('4', 'Late')}{TEXT}}}", "a.rtf")
    assert [element.kind for element in read.elements] == ["table", "paragraph"]
    assert "4 | Late" in read.elements[0].text


def test_text_that_says_it_is_in_a_table_and_has_no_cell_is_kept() -> None:
    read = parsed_here(rf"{{\rtf1 {TEXT}\pard\intbl The quay is closed.\par}}", "a.rtf")
    assert "The quay is closed." in read.text


@pytest.mark.parametrize("cell", [r"\pard\intbl ", r"\trowd\intbl Quay\cell "])
def test_a_cell_of_many_paragraphs_costs_its_length(cell: str) -> None:
    """Each paragraph joined all before it anew: 60,000 of them took minutes."""
    said = cell + 60_000 * r"The ferry leaves at noon, and the tide turns.\par "
    assert said.count("ferry") == parsed_here(rf"{{\rtf1 {said}}}", "a.rtf").text.count("ferry")


def test_a_line_in_capitals_that_is_larger_than_the_text_below_is_a_heading() -> None:
    lines = r"\fs36 NORTH\par \fs24 FERRIES\par \fs20 Ships sail.\par \fs20 LOUD WORDS\par Ships wait.\par "
    assert titles(parsed_here(rf"{{\rtf1\ansi Ships call here each day.\par {lines}}}", "a.rtf")) == [
        "NORTH",
        "FERRIES",
    ]


@pytest.mark.parametrize(
    ("told", "title"),
    [("Harbours of the north", "Harbours of the north"), ("Original file was sea.tex", None)],
)
def test_what_a_file_was_made_from_is_no_title(told: str, title: str | None) -> None:
    text = rf"{{\rtf1\ansi{{\info{{\title {told}}}}}\pard The ferry leaves at noon.\par And at six.\par}}"
    assert parsed_here(text.encode(), "sea.rtf").title == title
