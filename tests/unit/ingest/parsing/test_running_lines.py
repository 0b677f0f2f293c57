"""Heads and feet of pages are no text where blank lines part the pages, as printers had it."""

import pytest

from footnote_ingest.parsing.running_lines import with_page_breaks
from tests.unit.ingest.parsing.here import parsed_here, titles

SENTENCE = "the ferry crosses the harbour twice each hour and then it waits there"


def printed(pages: int, lines: int = 60, foot: str = "Ferry 3.6                        March 8, 2020") -> str:
    """Pages of so many lines, each with a foot and with the number of the page below it."""
    text = ""
    for page in range(1, pages + 1):
        body = [f"     {page}{number} {SENTENCE}" for number in range(lines - 10)]
        text += "\n".join([*body, "", "", f"     {foot}", "", "", "", f"     Guidebook   {page}", "", "", ""])
    return text


def test_feet_that_come_after_as_many_lines_are_no_text() -> None:
    read = parsed_here(printed(6), "guide.txt")
    assert titles(read) == []
    assert read.text.count("March 8, 2020") == 1  # What stands nowhere else is kept once.
    assert read.pages == 6
    assert read.metadata["left_out"] == "Ferry 3.6 March 8, 2020; Guidebook 2"


def test_a_foot_alone_is_no_text() -> None:
    text = printed(6).replace("     Guidebook   ", "")
    assert titles(parsed_here(text, "guide.txt")) == []


@pytest.mark.parametrize(
    "text", [printed(3), printed(6, lines=30), printed(6, lines=130)], ids=["few", "short", "long"]
)
def test_few_pages_and_lines_at_other_distances_stay(text: str) -> None:
    assert with_page_breaks(text) == text


def test_lines_that_come_again_here_and_there_stay() -> None:
    parts = [f"\n\nFerries\n\n{(SENTENCE + chr(10)) * size}" for size in (50, 61, 72, 44, 90)]
    assert with_page_breaks("".join(parts)) == "".join(parts)


def test_one_page_that_is_cut_short_is_none_the_less_a_page() -> None:
    text = printed(4) + printed(1, lines=50) + printed(5)
    assert with_page_breaks(text).count("\f") == 10


def test_names_on_a_title_page_are_no_headings_of_what_follows() -> None:
    rule = "-" * 60
    head = (
        f"Ferries\n\n{rule}\n\nCopyright 2020 Ann Oak\n\n{rule}\n\nTable of Contents\n\n{rule}\n\nAnn Oak\n\n"
    )
    body = f"Chapter 1. Harbours\n\n{SENTENCE}.\n\n1.1. North\n\n{SENTENCE}.\n"
    read = parsed_here(head + body, "guide.txt")
    assert read.elements[-1].heading_path == ("Chapter 1. Harbours", "1.1. North")
