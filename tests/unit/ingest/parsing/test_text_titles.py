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


BODY = "   The ferry leaves at noon and at six, and it waits for the last train from town.\n\n" * 6
LONG = "Historical Version of the Timetable of the Ferries of the Port (v1.6)"


@pytest.mark.parametrize(
    ("line", "title"),
    [
        (f"      {LONG}", LONG),
        (f"{' ' * 16}{LONG}", None),
        (f"      {LONG[:40]}", None),
        (f"      {LONG}.", None),
    ],
)
def test_a_long_line_in_the_middle_of_a_page_is_its_title(line: str, title: str | None) -> None:
    assert parsed_here(f"{line}\n\n{BODY}", "a.txt").title == title


@pytest.mark.parametrize("mark", ["<DRAFT!>", "[Draft]", "DRAFT"])
def test_a_title_may_stand_below_the_mark_of_a_draft(mark: str) -> None:
    assert parsed_here(f"{mark}\n\t\t\tHOWTO keys\n\n1. Piers\n\n{BODY}", "a.txt").title == "HOWTO keys"


@pytest.mark.parametrize(
    ("head", "title"),
    [
        ("=== Ferries of the port ===", "Ferries of the port"),
        ("------- ferries 2.0 -------", "ferries 2.0"),
        ("=== Ferries of the port", None),
        ("=== Introduction to it ===", None),
        ("=== Ferries of the port ===\n\nThey sail at noon.\n\n=== Piers of it ===", None),
    ],
)
def test_a_title_may_stand_between_marks(head: str, title: str | None) -> None:
    assert parsed_here(f"{head}\n\n{BODY}", "README").title == title


def test_the_number_of_a_release_names_no_text() -> None:
    text = "v4.1 26th February 2021\n  - Sail at noon.\n  - Moor at six, and wait for the last train.\n"
    extracted = parsed_here(text, "NEWS")
    assert [e.kind for e in extracted.elements] == ["title", "list"]
    assert extracted.title is None


def test_a_heading_that_leads_to_a_list_names_no_text() -> None:
    assert parsed_here(f"TO DO FOR THE PIER:\n\n{BODY}", "TODO").title is None


@pytest.mark.parametrize(("times", "title"), [(3, "Ferry"), (2, None)])
def test_a_single_word_names_a_text_that_says_it_often(times: int, title: str | None) -> None:
    piers = "Piers\n-----\n\nThey are of wood and of stone, and two of them are long.\n"
    text = f"Ferry\n-----\n\n{'The ferry sails. ' * times}\n\n{piers}"
    assert parsed_here(text, "README").title == title
