"""Sections, questions and commands of plain texts that no underline, number or capitals tell."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here, titles
from tests.unit.ingest.parsing.test_plain import BODY, is_heading


def test_sections_that_are_named_before_a_colon_are_headings() -> None:
    parts = ["What:", " The ferry runs.", "Theory:", " It is a boat.", "Author:", " The harbour office."]
    read = parsed_here("\n\n".join(parts), "a.txt")
    assert titles(read) == ["What:", "Theory:", "Author:"]
    assert read.elements[3].heading_path == ("Theory:",)


@pytest.mark.parametrize(
    "names",
    [
        ("What:", "Theory:"),
        ("Note:", "Note:", "Note:"),
        ("He said:", "and then:", "as follows:"),
        ("A line of five words:", "Another line of five words:", "The third of five words:"),
    ],
    ids=["too few", "again and again", "small letters", "long"],
)
def test_a_line_that_leads_to_what_follows_names_no_section(names: tuple[str, ...]) -> None:
    assert titles(parsed_here("\n\n".join(f"{name}\n\n The ferry runs." for name in names), "a.txt")) == []


def test_a_section_that_is_named_before_a_colon_may_have_four_words() -> None:
    names = ["What it is for:", "Who may take it:", "Where it goes to:"]
    assert titles(parsed_here("\n\n".join(f"{name}\n\n The ferry." for name in names), "a.txt")) == names


def test_a_section_that_is_named_before_a_colon_may_have_its_text_right_below() -> None:
    names = ["Requirements:", "Installation:", "mount(8):"]
    text = "\n\n".join(f"{name}\nThe ferry runs twice an hour." for name in names)
    assert titles(parsed_here(text, "a.txt")) == names
    leads = "\n\n".join(f"{name} at:\n  https://ship.example" for name in ("It is", "They are", "See"))
    assert titles(parsed_here(leads, "a.txt")) == []


def test_a_name_may_come_again_below_another_heading() -> None:
    text = "\n\n".join(
        f"Ships 1.{n}\n=========\n\nNew features:\n- a mast\n\nBug fixes:\n- a sail" for n in range(2)
    )
    assert parsed_here(text, "a.txt").elements[-1].heading_path == ("Ships 1.1", "Bug fixes:")


@pytest.mark.parametrize(
    ("line", "under", "is_title"),
    [
        ("1. Ships", "========", True),
        ("A. Ships", "========", True),
        ("1. Ships", "======", False),
        ("* Ships", "=======", False),
    ],
)
def test_an_underlined_heading_may_have_a_number(line: str, under: str, is_title: bool) -> None:
    assert bool(titles(parsed_here(f"Some words.\n\n{line}\n{under}\n\n{BODY}\n", "a.txt"))) is is_title


def test_marks_that_fill_the_line_of_a_heading_are_no_part_of_its_name() -> None:
    read = parsed_here(f"{'-' * 40}\n------ Questions about Ships --------\n{'-' * 40}\n\n{BODY}\n", "a.txt")
    assert read.elements[-1].heading_path == ("Questions about Ships",)


def test_numbered_questions_are_headings_of_their_answers() -> None:
    asked = "".join(f"{n}. Where is the quay of\n   ship {n}?\n\n\tIt is at the pier.\n\n" for n in (1, 2, 3))
    assert parsed_here(asked, "a.txt").elements[-1].heading_path == ("3. Where is the quay of ship 3?",)
    assert titles(parsed_here(asked.partition("3. ")[0], "a.txt")) == []


def test_questions_with_less_room_before_them_than_the_answers_are_headings() -> None:
    asked = "".join(
        f"  Where is the quay {n}\n  of the ship?\n\n   It is at pier {n}.\n\n   It is old.\n\n"
        for n in range(5)
    )
    read = parsed_here(asked, "a.txt")
    assert read.elements[-1].heading_path == ("Where is the quay 4 of the ship?",)


def test_a_question_in_capitals_is_a_heading() -> None:
    assert is_heading("WHAT IS A SHIP, ANYWAY?")
    assert not is_heading("WHAT A SHIP!")


@pytest.mark.parametrize("line", ["New in 3.0:", "What's new in version 2.12", "Changes from 1.2"])
def test_what_is_new_in_a_release_is_a_heading(line: str) -> None:
    assert line in titles(
        parsed_here(f"Harbour notes\nof all years.\n\n{line}\n\n* It is quicker.\n", "a.txt")
    )


@pytest.mark.parametrize(
    ("lead", "shown", "is_code"),
    [
        ("Type this:", "    echo 'x' > catalog", True),
        ("Type this:", "    make --quick all", True),
        ("Type this:", "  make --quick all", True),
        ("Type this:", "    cd catalog", True),
        ("Type this:", "    carry catalog", True),
        ("See this:", "    carry catalog", False),
        ("Type this.", "    make --quick all", True),
        ("Type this.", "   make --quick all", False),
        ("Type this.", "    carry --quick all", True),
        ("Type this.", "    #include <ship.h>\n    int main() {\n      sail(2);\n    }", True),
        ("Type this.", "    It is a ship\n    that sails", False),
        ("Ask here.", "    https://ship.example/", False),
        ("See these.", "    mount(8)", False),
        ("Ships.", "    a red one;\n    a blue one;", False),
        ("Ships.", "    the case, for instance, with most of (all) ships;", False),
        ("Ships.", "    the_case(for, most, of, all, ships);", True),
        ("Keys.", "    <Left>    one pier to the left\n    <Right>    one pier to the right", False),
        ("Ships.", "    <ship>\n    <mast>2</mast>\n    </ship>", True),
        ("Set this:", 'SHIPS_LINUX="sail=2"', True),
        ("Set this:", "sail the ship", False),
        ("Type this:", "cd ship\n./configure\nmake install\n(become the captain)\nmake test", True),
        ("Type this:", "cd ship\n(become the captain)\nmake install", False),
        ("Type this:", "cd ship\n(become one)\nmake install\n(or two)\nmake test", False),
        ("Ships.", "    typedef unsigned long Ship;\n    int mast;", True),
        ("Type this:", " make --quick all", True),
        ("Type this:", " carry --quick all", True),
        ("It says:", "    The catalog has a --quick way.", False),
        ("Harbour Office:", "    Quay Street 4", False),
        ("See this:", "    <https://example.org/ships?name=ferry>", False),
    ],
)
def test_a_command_set_in_below_a_colon_is_code(lead: str, shown: str, is_code: bool) -> None:
    read = parsed_here(f"Some words of it.\n\n{lead}\n\n{shown}\n\nAnd so on.\n", "a.txt")
    assert ("code" in [element.kind for element in read.elements]) is is_code


@pytest.mark.parametrize("mark", ["Q: ", "1.Q: ", "Q1. ", "Question 2: ", "3) Q. "])
def test_a_question_above_its_answer_is_a_heading(mark: str) -> None:
    answer = mark.replace("Question", "Answer").replace("Q", "A")
    read = parsed_here(
        f"{BODY}\n\n{mark}Where is\n   the quay?\n{answer}It is at the pier.\n\nIt is old.\n", "a.txt"
    )
    assert read.elements[-1].heading_path == (f"{mark}Where is the quay?",)
    assert read.elements[-2].text == f"{answer}It is at the pier."


@pytest.mark.parametrize(
    ("asked", "is_title"),
    [
        ("Q: Where is the quay?\n\nA: It is at the pier.", True),
        ("Q: Where is the quay\n\nA: It is at the pier.", False),
        ("Q: Where is the quay?\nIt is at the pier.", False),
        ("Quay: Where is it?\nA: It is at the pier.", False),
        ("Q: Where\nis\nthe quay?\nA: It is at the pier.", True),
        ("Q: Where\nis\nthe\nquay?\nA: It is at the pier.", False),
    ],
)
def test_other_lines_are_no_question(asked: str, *, is_title: bool) -> None:
    assert bool(titles(parsed_here(f"{BODY}\n\n{asked}\n\n{BODY}\n", "a.txt"))) is is_title


@pytest.mark.parametrize(
    ("parts", "dashes", "found"), [(3, "-" * 30, True), (2, "-" * 30, False), (3, "-" * 10, False)]
)
def test_parts_of_a_digest_are_named_by_their_subjects(parts: int, dashes: str, *, found: bool) -> None:
    text = BODY + "".join(f"\n\n{dashes}\n\nSubject: {n}. Where is ship {n}?\n\n{BODY}" for n in range(parts))
    path = parsed_here(text, "a.txt").elements[-1].heading_path
    assert (path == (f"{parts - 1}. Where is ship {parts - 1}?",)) is found


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        ("Unpack it and go there:\n    tar xzf ships.tgz\n    cd ships", "tar xzf ships.tgz\n    cd ships"),
        ("ship> boot ferry\nREADY AT 200\nship> go", "ship> boot ferry\nREADY AT 200\nship> go"),
        ("  ./sail.sh NORTH # to sail\n  ./sail.sh SOUTH", "./sail.sh NORTH # to sail\n  ./sail.sh SOUTH"),
        ("It has these:\n    a mast\n    a sail", None),
        ("The ship> sign is shown.\nIt waits.", None),
        ("  ./sail.sh is a script\n  that sails", None),
    ],
)
def test_what_is_typed_within_a_block_is_code(block: str, shown: str | None) -> None:
    read = parsed_here(f"{BODY}\n\n{block}\n\n{BODY}\n", "a.txt")
    assert [one.text.strip() for one in read.elements if one.kind == "code"] == ([shown] if shown else [])
