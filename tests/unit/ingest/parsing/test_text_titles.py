"""What names a plain text, and what does not: lists of changes, fields and headings further down."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here


@pytest.mark.parametrize(
    ("head", "title"),
    [
        ("Revision history for Harbour::Tide.", "Revision history for Harbour::Tide"),
        ("The tides are high today.", None),
    ],
)
def test_the_name_of_a_list_of_changes_may_end_with_a_full_stop(head: str, title: str | None) -> None:
    changes = "".join(f"4.0{release}  2016-10-22\n  - The tide is read from the moon\n\n" for release in "43")
    assert parsed_here(f"{head}\n\n{changes}", "Changes").title == title


def test_a_field_tells_the_title_of_a_text_without_blank_lines() -> None:
    text = "Package: tides\nTitle: Heights of the Sea\nVersion: 0.4.2\nDepends: moon (>= 3.4)\n"
    assert parsed_here(text, "DESCRIPTION").title == "Heights of the Sea"


@pytest.mark.parametrize("size", [199, 200])
def test_a_heading_below_a_long_paragraph_names_no_text(size: int) -> None:
    above = ("tide " * 40)[: size - 1].strip().ljust(size - 1, "s") + "."
    text = f"{above}\n\nHarbours\n========\n\nThe ferry leaves at noon and at six.\n"
    assert parsed_here(text, "a.txt").title == ("Harbours" if size < 200 else None)


def test_an_entry_of_a_log_of_changes_names_no_text() -> None:
    text = (
        "2005-09-07  Ann Mole  <ann at example dot org>\n\n\t* tide.c: Sail before noon.\n\t* sea.c: Moor.\n"
    )
    extracted = parsed_here(text, "ChangeLog")
    assert extracted.elements[0].kind == "title"
    assert extracted.title is None


@pytest.mark.parametrize(
    ("name", "is_title"),
    [
        ("Harbours of the north", True),
        ("Harbours", False),
        ("Why do ships sail?", False),
        ("Installation of the harbour", False),
        ("1. The harbours of the north", False),
    ],
)
def test_a_text_that_begins_with_an_underlined_name_is_called_so(name: str, is_title: bool) -> None:
    text = f"{name}\n{'-' * len(name)}\n\nThe ferry leaves at noon.\n\nTides\n-----\n\nThey are high.\n"
    assert parsed_here(text, "a.txt").title == (name if is_title else None)
