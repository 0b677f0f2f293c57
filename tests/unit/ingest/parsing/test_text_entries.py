"""Names of sections that their number, their letter or the room around them tells."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here, titles

TEXT = "The ferry crosses the harbour twice each hour, and it waits for the last train."
LINES = "   The ferry crosses the harbour twice each hour.  It waits for the last\n   train of the day."


def path(text: str) -> tuple[str, ...]:
    return parsed_here(text, "a.txt").elements[-1].heading_path


def entries(*names: str, below: str = f"\n{LINES}", lead: str = "") -> str:
    said = "\n\n".join(f"{at}. {name}{below}" for at, name in enumerate(names, 1))
    return f"{TEXT}\n\n{lead}{said}\n"


NAMES = ("Determine the tides", "Monitoring", "Data reduction")


def test_names_with_numbers_above_paragraphs_that_are_set_in_are_headings() -> None:
    text = entries(*NAMES, lead="Parts of the office\n")
    assert titles(parsed_here(text, "a.txt"))[:2] == ["Parts of the office", "1. Determine the tides"]
    assert path(text) == ("Parts of the office", "3. Data reduction")
    assert path(entries(*NAMES)) == ("3. Data reduction",)
    assert path(entries(*NAMES[:2])) == ()


def test_a_paragraph_that_goes_on_belongs_to_its_name() -> None:
    text = entries(*NAMES, below=f"\n{LINES}\n\n{LINES}")
    assert path(text) == ("3. Data reduction",)


@pytest.mark.parametrize(
    ("name", "below"),
    [
        # A sentence that goes on, a full line, an item in the item, text at the edge, words before a colon.
        ("Monitor all of the tides,", f"\n{LINES}"),
        ("Monitor all of", LINES.replace("The", "the").replace("   the", "\n   the", 1)),
        ("Monitor all of the tides of the harbour and of the", f"\n{LINES}"),
        ("Monitoring", "\n   - The tides of the harbour are read twice each hour, and so is the wind."),
        ("Monitoring", f"\n{TEXT}"),
        ("Monitoring:", f"\n{LINES}"),
    ],
)
def test_items_of_a_list_are_none(name: str, below: str) -> None:
    assert path(entries(*[name] * 3, below=below)) == ()


@pytest.mark.parametrize("names", [("compress() returns an error.", "Where is it?", "I found a bug.")])
def test_lines_with_numbers_above_text_that_is_set_in_further_are_headings(names: tuple[str, ...]) -> None:
    assert path(entries(*names, below=f"\n\n{LINES}")) == (f"3. {names[-1]}",)
    assert path(entries(*names, below=f"\n\n{TEXT}")) == ()
    assert path(entries(*names, below="\n\n    ./configure --prefix")) == ()


def test_titles_with_numbers_and_a_full_stop_are_headings() -> None:
    names = ("Definitions.", "Source Code.", "Conveying of the Verbatim Copies.")
    said = "".join(f"{at}. {name}\n\n{TEXT}\n\n{TEXT}\n\n" for at, name in enumerate(names))
    assert path(f"{TEXT}\n\n{said}") == ("2. Conveying of the Verbatim Copies.",)
    assert path(f"{TEXT}\n\n{said.replace('Verbatim', 'verbatim')}") == ()


def test_numbers_have_to_rise_from_one() -> None:
    assert path(entries(*NAMES).replace("2. M", "4. M")) == ()


@pytest.mark.parametrize("marks", [("I", "II", "III", "IV"), ("A", "B", "C", "D")])
def test_letters_and_roman_numbers_that_rise_count_sections(marks: tuple[str, ...]) -> None:
    text = "".join(f"{mark}. Where ships are at pier {mark}\n\n{TEXT}\n\n" for mark in marks)
    assert path(text) == (f"{marks[-1]}. Where ships are at pier {marks[-1]}",)
    assert path(text.replace(f"{marks[1]}. ", f"{marks[2]}. ")) == ()


def lone(*names: str, above: str = "\n\n", below: str = f"\n\n{TEXT}") -> list[str]:
    return titles(parsed_here(TEXT + "".join(f"{above}{name}{below}" for name in names) + "\n", "a.txt"))


def test_three_names_above_text_are_headings() -> None:
    names = ["Getting started", "Building from source", "Who sails"]
    assert lone(*names) == names
    assert lone(*names[:2]) == []
    assert lone(*names, below="\n\nQuay Street 4\nKiel") == []
    assert lone(*names, below=f"\n\n- {TEXT}") == []


def test_two_with_more_room_above_than_below_are_enough() -> None:
    assert lone("Getting started", "Building", above="\n\n\n") == ["Getting started", "Building"]
    assert lone("Getting started", above="\n\n\n") == []


@pytest.mark.parametrize(
    "line",
    [
        *(
            "The tide is high",
            "Copyright 2004 Ann Lee",
            "make install",
            "Quay = 4",
            "Dear Ann",
            "Table 4.2 Fares",
        ),
        *("See it:", "It sails."),
    ],
)
def test_sentences_and_details_are_no_names(line: str) -> None:
    assert lone(line, line, line, above="\n\n\n") == []


def test_three_questions_above_their_answers_are_headings() -> None:
    asked = ["Why is it so late?", "How do I get there?", "May I take my dog?"]
    assert lone(*asked) == asked
    assert lone(*asked[:2]) == []
