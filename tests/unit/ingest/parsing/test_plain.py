"""What in a plain text is a heading, and what a list."""

import json

import pytest

from tests.unit.ingest.parsing.here import parsed_here, titles

BODY = "This is the text of the section, which is long enough for it."
LONG_TITLE = "The Tides of the Harbour and of the Rivers Near It"


def is_heading(line: str, below: str = BODY) -> bool:
    return line in titles(parsed_here(f"{line}\n\n{below}\n", "a.txt"))


@pytest.mark.parametrize(
    ("line", "is_title"),
    [("1.3: Copying Ships", True), ("1.12: Ships", True), ("3: Ships", False), ("1.3:30 Ships", False)],
)
def test_the_number_of_a_part_may_end_with_a_colon(line: str, is_title: bool) -> None:
    assert is_heading(line) is is_title


@pytest.mark.parametrize(
    ("second", "found"),
    [
        ("2.1 Costs", ["2. Ships", "2.1 Costs"]),
        ("3.1 Costs", []),
        ("2.1 costs of it", []),
        ("It costs 20 in the summer.", []),
    ],
)
def test_a_section_and_its_part_may_stand_without_a_blank_line(second: str, found: list[str]) -> None:
    extracted = parsed_here(f"2. Ships\n{second}\n\n{BODY}\n", "a.txt")
    assert titles(extracted) == found
    if found:
        assert extracted.elements[-1].heading_path == tuple(found)


@pytest.mark.parametrize(
    ("below", "is_title"),
    [
        ("The rule is as follows:", True),
        ("It is open at noon.", True),
        ("It opens at noon.", False),
        ("the rule is as follows:", False),
        ("12 Harbour Street near the pier", False),
    ],
)
def test_a_short_sentence_below_a_heading_is_text(below: str, is_title: bool) -> None:
    assert is_heading("1.2 Scope", below) is is_title


@pytest.mark.parametrize(
    ("below", "is_title"), [("4.1 General", True), ("5.1 General", False), ("41 General", False)]
)
def test_a_section_may_begin_with_its_part(below: str, is_title: bool) -> None:
    found = titles(parsed_here(f"4. Work\n\n{below}\n\n{BODY}\n", "a.txt"))
    assert ("4. Work" in found) is is_title


class TestUnderlined:
    @pytest.mark.parametrize(("length", "is_title"), [(100, True), (101, False)])
    def test_a_heading_has_100_characters_at_most(self, length: int, is_title: bool) -> None:
        name = "T" + "h" * (length - 1)
        assert bool(titles(parsed_here(f"{name}\n{'=' * length}\n\n{BODY}\n", "a.txt"))) is is_title

    @pytest.mark.parametrize(("marks", "is_title"), [(12, True), (11, False)])
    def test_the_line_covers_six_tenths_of_it(self, marks: int, is_title: bool) -> None:
        twenty = "Twenty-letter-header"
        assert bool(titles(parsed_here(f"{twenty}\n{'=' * marks}\n\n{BODY}\n", "a.txt"))) is is_title

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            (f"=====\nTides\n=====\n\n{BODY}\n", ["Tides"]),
            (f"=====\nTides\n=====\n{BODY}\n", ["Tides"]),
            (f"\nTides\n=====\n\n{BODY}\n", ["Tides"]),
            (f"=====\nTides\n\n{BODY}\n", []),
        ],
    )
    def test_a_line_may_stand_over_it_too_and_is_not_enough(self, text: str, found: list[str]) -> None:
        assert titles(parsed_here(text, "a.txt")) == found


class TestNumbered:
    @pytest.mark.parametrize(("length", "is_title"), [(80, True), (81, False)])
    def test_a_heading_has_80_characters_at_most(self, length: int, is_title: bool) -> None:
        assert is_heading("1.2 T" + "h" * (length - 5)) is is_title

    @pytest.mark.parametrize(("words", "is_title"), [(9, True), (10, False)])
    def test_a_heading_has_ten_words_at_most(self, words: int, is_title: bool) -> None:
        assert is_heading("1.2 " + " ".join(["Word"] * words)) is is_title

    def test_a_heading_has_three_characters_at_least(self) -> None:
        assert is_heading("1 A")

    @pytest.mark.parametrize(("length", "is_title"), [(40, True), (39, False)])
    def test_a_line_below_a_heading_has_40_characters_at_least(self, length: int, is_title: bool) -> None:
        assert is_heading("1.2 Scope", "x" * length) is is_title

    def test_several_lines_below_a_heading_may_be_short(self) -> None:
        assert is_heading("1.2 Scope", "two\nlines")

    def test_a_short_clause_among_others_is_none(self) -> None:
        assert not is_heading("3.6 Does not apply.", f"3.7 {BODY}")

    @pytest.mark.parametrize(
        ("line", "is_title"),
        [
            ("A.1.  Overview", True),
            ("B.2.3 The REP prefix", True),
            ("b.1 Overview", False),
            ("A.1 overview of it", False),
            ("H.264 Video", False),
        ],
    )
    def test_a_part_of_an_appendix_begins_with_its_letter(self, line: str, is_title: bool) -> None:
        assert is_heading(line) is is_title

    @pytest.mark.parametrize(
        ("line", "is_title"),
        [
            ("3.6.1 REP", True),
            ("3.6.1 rep", True),
            ("3.6.1.  set_size", True),
            ("3.6 rep", False),
            ("3.6.1 rep comes first", False),
            ("10.0.0.1 localhost", False),
            ("3.6 Forms of the REP prefix.", True),
            ("3.6 Forms of all the REP prefixes.", False),
            ("3. Forms of the prefix.", False),
            ("(1) Server: publish it", True),
            ("(1) server: publish it", False),
            ("(125) Server: publish it", False),
        ],
    )
    def test_a_name_in_small_letters_stands_below_a_number_of_three_levels(
        self, line: str, is_title: bool
    ) -> None:
        assert is_heading(line) is is_title


class TestCapitals:
    @pytest.mark.parametrize(("words", "is_title"), [(8, True), (9, False)])
    def test_a_heading_has_eight_words_at_most(self, words: int, is_title: bool) -> None:
        assert is_heading(" ".join(["WORD"] * words)) is is_title

    @pytest.mark.parametrize(("line", "is_title"), [("NOTE", True), ("ABC", False)])
    def test_a_heading_has_four_letters_at_least(self, line: str, is_title: bool) -> None:
        assert is_heading(line) is is_title

    @pytest.mark.parametrize(("line", "is_title"), [("ABCDEF 1234", True), ("ABCDEF 12345", False)])
    def test_six_tenths_of_a_heading_are_letters(self, line: str, is_title: bool) -> None:
        assert is_heading(line) is is_title

    @pytest.mark.parametrize(
        ("line", "is_title"), [("1.4. Is it open?", True), ("1. Is it open?", False), ("Is it open?", False)]
    )
    def test_a_question_is_numbered_on_two_levels(self, line: str, is_title: bool) -> None:
        assert is_heading(line) is is_title


class TestTitle:
    @pytest.mark.parametrize(
        ("line", "title"),
        [
            (" " * 25 + "The Tides of the Harbour", "The Tides of the Harbour"),
            (" " * 7 + "The Tides of the Harbour", None),
            (" " * 60 + "17 March", None),
            (" " * 28 + "Dear Captain,", None),
            # The middle of 24 letters stands six columns before that of a page, or behind it.
            (" " * 18 + "The Tides of the Harbour", "The Tides of the Harbour"),
            (" " * 17 + "The Tides of the Harbour", None),
            (" " * 30 + "The Tides of the Harbour", "The Tides of the Harbour"),
            (" " * 31 + "The Tides of the Harbour", None),
            # A long line stands in the middle, but hardly further in than a paragraph would.
            (" " * 8 + LONG_TITLE, LONG_TITLE),
            (" " * 7 + LONG_TITLE, None),
            (" " * 34 + "Log", "Log"),
            (" " * 34 + "IV", None),
        ],
    )
    def test_is_the_first_line_if_it_stands_in_the_middle(self, line: str, title: str | None) -> None:
        for before in ("", "\n", "\n\n"):
            assert parsed_here(f"{before}{line}\n\nA. Pilot\n\n{BODY}\n", "a.txt").title == title

    @pytest.mark.parametrize("links", ["   Link: Contents Up Index: tides", "   #[1]next [2]up"])
    def test_stands_below_the_links_of_a_page_that_was_saved(self, links: str) -> None:
        for line in (" " * 25 + "The Tides of the Harbour", "The Tides of the Harbour"):
            saved = parsed_here(f"{links}\n\n{line}\n\nA. Pilot\n\n{BODY}\n", "a.txt")
            assert saved.title == "The Tides of the Harbour"

    @pytest.mark.parametrize(
        ("below", "title"),
        [
            ("\n\t\t\t   Version 0.7\n\t\t\t   Ann Lee", "The Tides of the Harbour"),
            ("\n  Version 0.7", None),
            ("\n\t\t\t   Ann" * 6, None),
        ],
    )
    def test_may_stand_above_lines_in_the_middle(self, below: str, title: str | None) -> None:
        sections = f"1. Tides\n\n{BODY}\n\n2. Winds\n\n{BODY}\n"
        text = f"{' ' * 25}The Tides of the Harbour{below}\n\n{sections}"
        assert parsed_here(text, "a.txt").title == title

    def test_stands_before_two_blocks_at_least(self) -> None:
        assert parsed_here(f"\n{' ' * 25}The Tides of the Harbour\n\n{BODY}\n", "a.txt").title is None

    @pytest.mark.parametrize(
        ("text", "title"),
        [
            ("Tides of the Harbour\n\n{body}\n", "Tides of the Harbour"),
            ("Tides of the Harbour -*- outline -*-\n\n{body}\n", "Tides of the Harbour"),
            (
                "Tides of the Harbour\nVersion 1.1 - 23 August\n(See the pilot)\n\n{body}\n",
                "Tides of the Harbour",
            ),
            ("The Odyssey\nBy Homer\n \nrendered into English\n\nBook I\n\n{body}\n", "The Odyssey"),
            ("Tides of the Harbour:\n(valid in 2017)\n\n{body}\n", "Tides of the Harbour"),
            ("Tides of Ports\nAnn Lee and Bob Roe\n3 May 2006\n\n{body}\n", "Tides of Ports"),
            ("Tides of Ports\nAnn Lee and Bob Roe\n\n{body}\n", None),
            (
                "Tides of Ports\nAnn Lee <ann@a.example>\n$Id: x 1$\nCreation: 11/96\n\n{body}\n",
                "Tides of Ports",
            ),
            ("Tides of Ports\nAnn Lee at a.example\n\n{body}\n", None),
            ("  Tides of Ports\n  by Ann Lee\n\n1. Times\n" + "\n  {body}\n" * 6, "Tides of Ports"),
            ("  Tides of Ports\n  by Ann Lee\n\n" + "\n{body}\n" * 6, None),
            ("Welcome to the Ships of Kiel!\n\n{body}\n", "Welcome to the Ships of Kiel!"),
            ("Ahoy there!\n\n{body}\n", None),
            ("libships 1.2\n\n{body}\n", "libships 1.2"),
            ("libships README\n\n{body}\n", "libships README"),
            ("libships of kiel\n\n{body}\n", None),
            ("ships -- a log of ships\n\n{body}\n", "ships -- a log of ships"),
            ("Log of Ships\nAnn E. Lee <www.a.example>\nApr 18, 2020\n_____\n\n{body}\n", "Log of Ships"),
            ("Ship::Log\nversion 1.07\n\n{body}\n", "Ship::Log"),
            ("Log of Ships\n-- adapted by Ann\n\n{body}\n", "Log of Ships"),
            ("**********\n*  Log of Ships  *\n*  $Id$\n**********\n\n{body}\n", "Log of Ships"),
            ("*********\n*  Log of Ships  *\n*********\n\n{body}\n", None),
            ("+------------+\n| Log of Ships |\n+------------+\n\n{body}\n", "Log of Ships"),
            ("+------------+\n| It is free |\n+------------+\n\n{body}\n", None),
            ("A text of the harbour\n\nTitle: Log of Ships\nAuthor: Ann Lee\n\n{body}\n", "Log of Ships"),
            ("A text of it is here.\n\nTitle: Log of Ships\n\n{body}\n", None),
            ("A text of it is here.\n\nTitle: Captain\nName: Ann Lee\n\n{body}\n", None),
            ("The Odyssey\nof the man\n\n{body}\n", None),
            ("The tide is high\n\n{body}\n", None),
            ("Tides of the Harbour:\n\n{body}\n", None),
            ("Dear Ann Lee\n\n{body}\n", None),
            ("25/10/95 Ann Lee\n\n{body}\n", None),
            ("Ann <a@b.example>\n\n{body}\n", None),
            ("- Tides of the Harbour\n\n{body}\n", None),
            ("Name: Ann Lee\n\n{body}\n", None),
            ("Tides\n\n{body}\n", None),
            ("Milk and Bread\n\nEggs\n\nTea\n", None),
            ("Tides of the Harbour\n", None),
        ],
    )
    def test_is_the_first_line_if_it_stands_above_the_text(self, text: str, title: str | None) -> None:
        shown = text.format(body="The tide turns twice a day and takes the ferry with it if nobody looks.")
        assert parsed_here(shown, "a.txt").title == title

    @pytest.mark.parametrize(
        ("headings", "title"),
        [
            (["Tides of Ports", "1 Spring", "2 Neap"], "Tides of Ports"),
            (["Tides", "Spring", "Neap"], None),
            (["1 Tides of Ports", "2 Spring"], None),
        ],
    )
    def test_is_the_underlined_line_above_chapters_with_numbers(
        self, headings: list[str], title: str | None
    ) -> None:
        chapters = "".join(f"{name}\n{'*' * len(name)}\n\n{BODY}\n\n" for name in headings)
        assert parsed_here(chapters, "a.txt").title == title


class TestLists:
    @pytest.mark.parametrize(("others", "kind"), [(2, "list"), (3, "paragraph")])
    def test_a_third_of_the_lines_have_a_mark(self, others: int, kind: str) -> None:
        (element,) = parsed_here("- item\n" + "more words\n" * others, "a.txt").elements
        assert element.kind == kind


class TestJson:
    @pytest.mark.parametrize(("length", "is_laid_out"), [(20_000, False), (20_001, True)])
    def test_with_a_line_of_more_than_20000_characters_is_laid_out(
        self, length: int, is_laid_out: bool
    ) -> None:
        frame = len(json.dumps({"a": ""}))
        text = parsed_here(json.dumps({"a": "x" * (length - frame)}), "a.json").text
        assert ("\n" in text) is is_laid_out


def test_what_is_left_of_a_link_is_no_part_of_a_heading() -> None:
    read = parsed_here(f"3.7. Tides of it¶\n\n{BODY}\n", "a.txt")
    assert read.elements[-1].heading_path == ("3.7. Tides of it",)


def test_what_a_terminal_does_not_show_is_no_text() -> None:
    said = parsed_here(f"\x1b[1m3.2. Booting\x1b[0m\n\n{BODY}\n\x1b[38;5;9mred\x1b[K\n", "a.txt")
    assert "3.2. Booting" in titles(said)
    assert said.text == f"3.2. Booting\n\n{BODY}\nred\n"


BELOW = "\n\nThe ferry crosses the harbour twice each hour,\nand it waits for the last train.\n\nIt sails.\n"


@pytest.mark.parametrize(
    ("head", "title"),
    [
        ("$Id$\n\n\t\t     USING PGP FROM WITHIN MUTT", "USING PGP FROM WITHIN MUTT"),
        ("$Id: notes.txt 12 2004 $\n\nHarbour Notes", "Harbour Notes"),
        ("Newsgroups: rec.boats\nSubject: Boats, Frequently Asked\nKeywords: FAQ", "Boats, Frequently Asked"),
        ("Subject: Boats\nColour: red\nSize: 3", None),
        ("\n  boats - A fancy log of ships\n\nDESCRIPTION\n===========", "boats - A fancy log of ships"),
        ("\n  boats - A fancy log of ships\n\nDESCRIPTION", "DESCRIPTION"),
        ("$HOME costs $5", None),
    ],
)
def test_what_stands_above_a_title_does_not_hide_it(head: str, title: str | None) -> None:
    assert parsed_here(head + BELOW, "a.txt").title == title


SAID = "   The ferry crosses the harbour twice each hour,\n   and it waits for the last train."


@pytest.mark.parametrize(
    ("line", "is_heading"),
    [
        ("Error messages", True),
        ("  Ships: none at the quay", True),
        # Room as the text has, a sentence, a row, a mark, two lines.
        ("   Error messages", False),
        ("The quay is closed.", False),
        ("Harbour Office        Standards Track        Page 12", False),
        ("* * *", False),
        ("Harbour Office\nQuay 4", False),
    ],
)
def test_a_line_with_less_room_before_it_than_the_text_is_a_heading(line: str, is_heading: bool) -> None:
    text = "\n\n".join([*[SAID] * 4, "Piers", *[SAID] * 3, line, SAID])
    read = parsed_here(text.encode(), "a.txt")
    heads = [element.text for element in read.elements if element.kind == "title"]
    assert heads == ["Piers", *([line.strip()] if is_heading else [])]
    # In a text that is not set in, nothing hangs.
    flat = text.replace("\n   ", "\n").lstrip().replace("\n  ", "\n")
    assert not any(element.kind == "title" for element in parsed_here(flat.encode(), "a.txt").elements)


@pytest.mark.parametrize(
    ("line", "changes", "is_heading"),
    [
        ("1.6.2 to 1.6.3", "\n  * The ferry is quicker.", True),
        ("v2.6.1:", "\n\n* The ferry is quicker.", True),
        ("Version 2.6 (May 2021)", "\n  - The ferry is quicker.", True),
        ("1.6.2 to 1.6.3", "\n  The ferry is quicker.", False),
        ("1.6 km are left. Then stop", "\n  * The ferry is quicker.", False),
        ("16", "\n  * The ferry is quicker.", False),
    ],
)
def test_a_release_above_its_changes_is_their_heading(line: str, changes: str, is_heading: bool) -> None:
    read = parsed_here(f"Harbour notes\nof all years.\n\n{line}{changes}\n", "a.txt")
    assert (line in titles(read)) is is_heading
    found = next(element for element in read.elements if "quicker" in element.text)
    assert (found.heading_path[-1:] != ()) is is_heading
