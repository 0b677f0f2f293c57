"""Headings with which blocks of a plain text begin: lines with marks, outlines, releases, capitals."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here, titles

TEXT = "The ferry crosses the harbour twice each hour, and it waits for the last train."


def path(text: str) -> tuple[str, ...]:
    """Under what the last passage of a text stands."""
    return parsed_here(text, "a.txt").elements[-1].heading_path


def named(*lines: str, below: str = f"\n\n{TEXT}") -> list[str]:
    """The headings of a text in which these lines stand above text."""
    text = "".join(f"\n\n{line}{below}" for line in lines)
    return [e.heading_path[-1] for e in parsed_here(TEXT + text, "a.txt").elements if e.kind == "title"]


@pytest.mark.parametrize(
    "form", ["== {} ==", "--- {} ---", "*** {} ***", "###{}", "### {}", "~~~~~~~~ {} ~~~~~"]
)
def test_three_lines_between_marks_or_behind_them_are_headings(form: str) -> None:
    lines = [form.format(name) for name in ("Shadow passwords", "Users", "Groups of users")]
    assert named(*lines) == ["Shadow passwords", "Users", "Groups of users"]
    assert named(*lines[:2]) == []


@pytest.mark.parametrize(
    "form",
    ["##{}", "== {}", "---{}", "== {} is said.", "** NOTE: {} **", "--- snip {} ---", "* {} *", "-- {}"],
)
def test_other_lines_with_marks_are_none(form: str) -> None:
    assert named(*(form.format(name) for name in ("Sail", "Mast", "Keel"))) == []


def test_names_between_more_marks_stand_below_those_between_fewer() -> None:
    parts = "".join(f"== Pier {n} ==\n\n=== Sheds {n} ===\n\n{TEXT}\n\n" for n in (1, 2, 3))
    assert path(parts) == ("Pier 3", "Sheds 3")


def test_a_few_marks_underline_names_where_a_text_has_three_of_them() -> None:
    names = ("Introduction", "Security of the harbour", "Build instructions")
    text = "\n\n".join(f"{name}\n{'=' * (2 + at % 2)}\n\n{TEXT}" for at, name in enumerate(names))
    assert path(text) == ("Build instructions",)
    assert path(text.partition("Build")[0]) == ()


@pytest.mark.parametrize("form", ["-----------\n{}", "===========\n\n{}"])
def test_three_names_below_lines_of_marks_are_headings(form: str) -> None:
    names = ("Shadow passwords", "Users", "Groups of users")
    assert [name.rpartition("\n")[2] for name in named(*map(form.format, names))] == list(names)
    assert named(*map(form.format, names[:2])) == []
    assert named(*(form.format(f"{name} are set.") for name in names)) == []
    assert named(*(form.format(f"{name}\nQuay Street") for name in names)) == []
    assert named(*(form.format(f"{name}    3.20") for name in names)) == []
    assert len(named(*(form.format(f"{at}.   {name}") for at, name in enumerate(names)))) == 3


OUTLINE = f"""Ship NEWS -*- outline -*-

* Noteworthy changes in release 1.12

** Changes in behavior

  {TEXT}

** New option --sail, which
  sets the sails.

* Noteworthy changes in release 1.11

** Bug fixes

  {TEXT}
"""


def test_stars_are_the_ranks_of_an_outline() -> None:
    assert path(OUTLINE) == ("Noteworthy changes in release 1.11", "Bug fixes")
    assert "New option --sail, which" not in str(titles(parsed_here(OUTLINE, "a.txt")))


def test_an_outline_that_no_editor_is_told_of_has_two_parts() -> None:
    untold = OUTLINE.replace(" -*- outline -*-", "")
    assert path(untold) == ("Noteworthy changes in release 1.11", "Bug fixes")
    assert "Bug fixes" not in path(untold.replace("** New option", "New option").replace("** Ch", "Ch"))


def test_an_outline_may_begin_with_a_lower_rank() -> None:
    text = f"-*- outline -*-\n\n** Before\n\n  {TEXT}\n\n* Release 1.2\n\n** Fixes\n\n  {TEXT}\n"
    assert path(text) == ("Release 1.2", "Fixes")


@pytest.mark.parametrize(
    "entry",
    [
        "ships (2.13.1+ds-1) unstable; urgency=medium",
        "ships (1:2.0) stable testing; urgency=low",
        "2004-01-03  Ann Lee  <ann@harbour.example>",
        "Mon Jan  5 12:00:01 1998  Ann Lee  <ann@harbour.example>",
    ],
)
def test_an_entry_of_a_log_of_changes_begins_with_its_heading(entry: str) -> None:
    assert path(f"{entry}\n\n  {TEXT}\n\n  * quay.c: Sail.\n") == (" ".join(entry.split()),)


@pytest.mark.parametrize(
    "line", ["ships (2.13) unstable", "2004-01-03 was a fine day", "2004-01-03  Ann Lee"]
)
def test_what_is_like_an_entry_is_none(line: str) -> None:
    assert path(f"{line}\n\n  {TEXT}\n\n  * quay.c: Sail.\n") == ()


@pytest.mark.parametrize(
    "line",
    [
        "Changes from versions 4.1.* to version 4.2.0:",
        "Changes between GMP version 6.2.0 and 6.2.1",
        "NEWS for the Nettle 3.8.1 release",
        "Noteworthy changes in release 1.12 (2022-04-07) [stable]",
        "What's new in ships 2.0",
        "Changes with Ships 2.4.1",
        "What's New in Ships 3.5.1?",
    ],
)
def test_what_is_new_in_a_release_is_a_heading_whatever_stands_below(line: str) -> None:
    assert path(f"{TEXT}\n\n{line}\n\n{TEXT}\n") == (line,)


@pytest.mark.parametrize(
    ("line", "is_heading"),
    [
        ("ships 1.2.3:", True),
        ("ships-1.2 (2020-01-04)", True),
        ("GNU Ships 1.2", True),
        ("The Ships of Kiel 1.2", False),
        ("Ships 1.2 is out", False),
        ("ships 12", False),
        ("Ships 1.2,", False),
        ("[1.2.3] (2020-01-05)", True),
    ],
)
def test_the_name_of_a_program_and_its_release_are_a_heading_above_items(
    line: str, *, is_heading: bool
) -> None:
    assert path(f"{TEXT}\n\n{line}\n\n* It is quicker.\n") == ((line,) if is_heading else ())
    assert path(f"{TEXT}\n\n{line}\n\n{TEXT}\n") == ()


@pytest.mark.parametrize(
    ("line", "is_heading"), [("0.23   Tue Jan 5 12:00:00 2010", True), ("0.23   Tuesday", False)]
)
def test_a_release_and_its_day_are_a_heading_above_items(line: str, *, is_heading: bool) -> None:
    found = path(f"{TEXT}\n\n{line}\n\n* It is quicker.\n")
    assert found == ((" ".join(line.split()),) if is_heading else ())


def test_three_releases_of_one_name_are_headings_above_text_too() -> None:
    releases = "".join(f"Ships 1{n}.0\n\nIt sails well.\n\n" for n in range(3))
    assert path(f"{TEXT}\n\n{releases}") == ("Ships 12.0",)
    assert path(f"{TEXT}\n\n{releases.replace('Ships 11', 'Boats 11')}") == ()
    assert path(f"{TEXT}\n\n{releases.replace('Ships', 'Table')}") == ()


def test_names_stand_below_the_release_that_they_are_about() -> None:
    below = "\n\nNew features:\n- It sails.\n\nBug fixes:\n- It sinks.\n\n"
    assert path(f"Changes in 1.3:{below}Changes in 1.2:{below}") == ("Changes in 1.2:", "Bug fixes:")


@pytest.mark.parametrize(
    ("below", "is_heading"), [("\n  * A mast.\n  * A sail.", True), ("\n  It is a ship.", False)]
)
def test_capitals_right_above_items_are_a_heading(below: str, *, is_heading: bool) -> None:
    assert named("BUGS FIXED", below=below) == (["BUGS FIXED"] if is_heading else [])
    assert named("- BUGS FIXED", below=below) == []


def test_capitals_right_above_text_are_headings_where_there_are_three() -> None:
    names = ("DESCRIPTION", "HOW TO SAIL", "AUTHOR")
    assert named(*names, below=f"\n{TEXT}") == list(names)
    assert named(*names, below=f"\n    {TEXT.lower()}") == list(names)
    assert named(*names[:2], below=f"\n{TEXT}") == []
    assert named(*names, below=f"\n{TEXT.upper()}") == []
    assert named(*names, below=f"\n{TEXT.lower()}") == []
    assert named("IMPORTANT:", "WARNING:", "NOTE:", below=f"\n{TEXT}") == []


@pytest.mark.parametrize(
    ("line", "under", "named_so"), [("43.1", "====", True), ("43.1", "===", False), ("43", "==", False)]
)
def test_a_version_with_a_line_of_marks_as_long_is_a_heading(
    line: str, under: str, *, named_so: bool
) -> None:
    text = f"{line}\n{under}\n* Fixed the ferry\n* Mended the pier\n\nContributors:\n  Ann Mole\n"
    read = parsed_here(text, "NEWS").elements
    assert (read[0].kind == "title" and read[0].heading_path[-1] == line) is named_so


@pytest.mark.parametrize(("under", "is_heading"), [("----------", True), ("---", False)])
def test_a_day_with_a_line_of_marks_as_long_is_a_heading(under: str, *, is_heading: bool) -> None:
    days = "".join(f"2026/03/{day}\n{under}\n+ Mended the pier\n\n" for day in (11, 12))
    heading = ("2026/03/12",) if is_heading else ()
    assert parsed_here(days, "changelog").elements[-1].heading_path == heading


def test_a_day_and_what_was_released_on_it_are_a_heading() -> None:
    text = "26/2/2023 ships-1.2\n Features:\n * Sail at noon\n\n API:\n * Moor at six\n"
    first = parsed_here(text, "NEWS").elements[0]
    assert (first.kind, first.text) == ("title", "26/2/2023 ships-1.2")
