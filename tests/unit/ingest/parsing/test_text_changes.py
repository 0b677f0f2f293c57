"""Logs of changes: each release and each entry is a heading, and what was changed is no code."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here, titles

ITEMS = "\t* sail.c: The mast (main) was {too} long.\n\t* mast.c: So is sail() = 2.\n"
DAYS = [f"2026-03-{day:02}" for day in range(1, 7)]


def kinds_of(text: str, name: str = "changelog") -> set[str]:
    return {element.kind for element in parsed_here(text, name).elements}


@pytest.mark.parametrize(
    ("head", "gap"),
    [
        ("{}  Ann Lee  <ann@example.org>", "\n"),
        ("{}  Ann Lee  <ann@example.org>", "\n\n"),
        ("{} 10:15  ann", "\n\n"),
        ("{} 10:15:07  ann", "\n\n"),
    ],
)
def test_an_entry_with_its_changes_below_it_is_a_heading(head: str, gap: str) -> None:
    entries = [head.format(day) for day in DAYS]
    text = "\n".join(f"{entry}{gap}{ITEMS}" for entry in entries)
    assert titles(parsed_here(text, "ChangeLog")) == entries
    assert "code" not in kinds_of(text)


def test_a_line_below_an_entry_that_is_not_set_in_is_no_change() -> None:
    read = parsed_here(f"{DAYS[0]} 10:15  ann\nwrote of the ferry.\n\nIt sails at noon.\n", "a.txt")
    assert titles(read) == []


def test_a_log_with_a_line_for_each_moment_is_one_still() -> None:
    for gap in ("\n", "\n\n"):
        assert kinds_of(gap.join(f"{day} 10:15  The ferry sails" for day in DAYS), "ferry.log") == {"code"}


def test_a_text_that_shows_what_was_done_when_is_a_text() -> None:
    sentence = "The ferry crosses the harbour twice each hour, and it waits for the last train of the day.\n"
    times = "".join(f"10:{minute} the mast is mended\n" for minute in range(10, 20))
    assert kinds_of(f"{sentence}\n{times}\n{sentence}\n{sentence}", "a.txt") == {"paragraph"}
    assert kinds_of(f"{sentence}\n{sentence}\n{sentence}\n{times}", "a.txt") == {"transcript"}
    assert kinds_of(f"{sentence}\n{times}\n{sentence}", "a.txt") == {"transcript"}


@pytest.mark.parametrize(
    ("head", "is_heading"),
    [
        ("V2.17 (2026-03-01)", True),
        ("1.20  Nov 1, 2026", True),
        ("1.20  1st November 2026", True),
        ("1.20:", True),
        ("1.20 of the ferry", False),
        ("1.20 kilometres", False),
    ],
)
def test_a_release_and_its_day_stand_above_what_is_set_in(head: str, *, is_heading: bool) -> None:
    read = parsed_here(f"All that we did.\n\n{head}\n\tThe ferry is quicker.\n\tSo is the train.\n", "NEWS")
    assert (head in titles(read)) is is_heading


@pytest.mark.parametrize("line", ["**** {}", "== {} ==", "## {}"])
def test_marks_may_stand_around_a_release(line: str) -> None:
    head = line.format("1.20  Nov 1, 2026")
    read = parsed_here(f"All that we did.\n\n{head}\n\tThe ferry is quicker.\n", "NEWS")
    assert read.elements[-1].heading_path == ("1.20 Nov 1, 2026",)


def test_an_item_about_a_release_is_no_heading() -> None:
    text = "Changes of the year.\n\n* new version 2.0.0\n    * all sails are new\n    * the mast, too\n"
    assert titles(parsed_here(text, "NEWS")) == []


@pytest.mark.parametrize(
    ("head", "is_heading"),
    [
        ("2026-03-01 Ships Version 1.26 Released", True),
        ("2026-03-01 Ships of the Harbour 1.26 Released", False),
        ("2026-03-01 Ships Version Released", False),
        ("1.6.2 to 1.6.3", False),
    ],
)
def test_a_day_and_what_was_released_on_it_are_a_heading(head: str, *, is_heading: bool) -> None:
    read = parsed_here(
        f"All that we did.\n\n{head}\n\n  The ferry is quicker, and so is the train.\n", "NEWS"
    )
    assert (head in titles(read)) is is_heading


def test_the_releases_of_a_text_name_no_text() -> None:
    text = "".join(f"Ships 1.{n}, May 2026\n============\n- The ferry is quicker.\n\n" for n in (4, 3, 2))
    read = parsed_here(text, "NEWS")
    assert read.title is None
    assert len(titles(read)) == 3


@pytest.mark.parametrize(
    "said",
    [
        "  * check:\n    * --repair delays its start with a warning\n    * --quick is new",
        "* New options:\n  --sail sets all the sails of a ship.\n  --rest takes them all down again.",
        "The wishes are:\n   It is possible to sail to a pier under\n   a name of its own (sail -d)",
        "The changes are:\n   allow more than one sail to be set\n   read all flags from SHIPS and names",
    ],
)
def test_what_tells_of_changes_below_a_colon_is_no_code(said: str) -> None:
    assert "code" not in kinds_of(
        f"All that we did in the harbour.\n\n{said}\n\nAnd so on it goes.\n", "NEWS"
    )


@pytest.mark.parametrize(
    "shown",
    [
        ":0 fBw\n* ^-----BEGIN SHIP-----\n* ^-----END SHIP-----\n| sail -f 'Ship: yes; mast=2'",
        "# set all the sails of a ship at once\nSHIP=barge",
        "tax -e barge  # sail to the pier under its own name\ntax -e ferry  # sail it back to us all",
        "barge stream tcp nowait anyuser /usr/sbin/tcpd \\\n/usr/bin/sail /dev/ship",
    ],
)
def test_a_recipe_a_remark_and_a_line_that_goes_on_tell_nothing(shown: str) -> None:
    set_in = "\n".join(f"    {line}" for line in shown.split("\n"))
    assert "code" in kinds_of(
        f"All that we did in the harbour.\n\nSet this:\n\n{set_in}\n\nAnd so on.\n", "a.txt"
    )


def test_a_log_in_markdown_of_one_rank_is_markdown() -> None:
    text = "## [3.7.0] - 2026-12-18\n\n- New sails\n\n## [3.6.0] - 2026-10-29\n\n- New masts\n"
    assert parsed_here(text, "changelog").mime == "text/markdown"
    assert parsed_here(text.replace("## [3.6.0]", "## Masts"), "changelog").mime == "text/plain"
