"""Manual pages as `man` prints them are quoted without what their layout adds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.agent.test_blocks import answer

from footnote_agent.engines.blocks import blocks_of
from footnote_agent.engines.code_lines import FEWEST_SHAPED, is_code
from footnote_agent.engines.prose import is_of_manual, is_page_edge, whole_words
from footnote_agent.engines.quotable import PassageText, quotables_of

PAGE = """\
KETTLE(1)                      Kitchen Manual                      KETTLE(1)

NAME
       kettle - boil water for the whole of the house

DESCRIPTION
       The  kettle  boils water without noise. It is filled from the tap un\u2010
       less the lid is closed.

FILES
   Of the house
       /etc/kettle.conf

OPTIONS
       lid state
              The lid is opened or closed before the water is boiled.

       heat [slow | fast]
              The water is heated in this way, and  fast  needs  more
              power than the other one.

Kitchen                        1 May 2020                          KETTLE(1)
"""
DATES = """\
       These dates are known to the kettle:

           today, eod                  The end of this very day
           sopm, eopm                  Start or end of previous month
           later                       Never at all
"""


def entries_in(text: str) -> list[str]:
    return [part.text for block in blocks_of(text) if block.kind == "entries" for part in block.parts]


class TestHeadings:
    def test_are_quoted_with_no_sentence(self) -> None:
        said = [
            one.text for one in quotables_of([PassageText("d", 0, PAGE)], "en") if one.fits and not one.block
        ]
        assert said[0] == "kettle - boil water for the whole of the house"
        assert not any(word in " ".join(said) for word in ("DESCRIPTION", "FILES", "Of the house", "Kitchen"))

    @pytest.mark.parametrize(
        ("line", "below", "is_heading"),
        [
            ("SEE ALSO", "       kettle(1)", True),
            ("SEE ALSO", "kettle(1)", False),
            ("See also", "       kettle(1)", False),
            ("   Of the house", "       /etc", True),
            ("   Of the house", "     /etc", False),
            ("NASA WAS THERE.", "       On the moon", False),
            ("FILE(S) (kettle.conf)", "       On the stove", True),
        ],
    )
    def test_stand_above_what_is_indented(self, line: str, below: str, is_heading: bool) -> None:
        assert is_of_manual(line, below) is is_heading

    @pytest.mark.parametrize(
        ("line", "is_edge"),
        [
            (PAGE.split("\n")[0], True),
            (PAGE.rstrip().rsplit("\n", 1)[1], True),
            ("The kettle   is told of   kettle(1)", True),
            ("The kettle is told of in kettle(1)", False),
            ("KETTLE(1)     KETTLE(1)", False),
        ],
    )
    def test_first_and_last_line_of_a_page_have_three_texts(self, line: str, is_edge: bool) -> None:
        assert is_page_edge(line) is is_edge


class TestWords:
    def test_are_in_one_piece(self) -> None:
        said = answer("From where is the kettle filled?", PAGE)
        assert "It is filled from the tap unless the lid is closed [7]." in said

    @given(st.text(alphabet="ab \n-"))
    def test_are_left_alone_where_none_is_broken(self, text: str) -> None:
        assert whole_words(text) == text


class TestEntries:
    def test_are_terms_with_what_stands_further_in(self) -> None:
        assert [one.strip().partition("\n")[0] for one in entries_in(PAGE)] == [
            "lid state",
            "heat [slow | fast]",
        ]

    def test_say_of_what_they_speak(self) -> None:
        said = answer("Which heat needs more power?", PAGE, headings=("t", "OPTIONS"))
        assert "`heat [slow | fast]`: The water is heated in this way, and fast needs more power" in said

    def test_are_rows_whose_second_column_is_aligned(self) -> None:
        said = answer("What are sopm and eopm of the previous month?", DATES)
        assert "- `sopm, eopm`: Start or end of previous month" in said

    def test_are_no_two_rows_nor_rows_that_are_not_aligned(self) -> None:
        assert not entries_in("today      The end of day\nlater      Never at all")
        assert not entries_in("today      The end of day\nlater    Never at all\nsoon   In a while")

    def test_are_terms_by_themselves_where_there_are_several(self) -> None:
        one = "kettle\n\nIt boils the water of the house.\n\nIt is never quite full, as we know.\n\n"
        other = "teapot\n\nIt holds the tea of the house.\n"
        assert [text.partition("\n")[0] for text in entries_in(one + other)] == ["kettle", "teapot"]
        assert entries_in(one) == []

    def test_are_terms_of_html_with_the_mark_of_their_meaning(self) -> None:
        said = answer(
            "What is KETTLE_LID?",
            "KETTLE_LID\n\n- When set, the lid of the kettle is open.",
            headings=("t", "X"),
        )
        assert said == "*X* [7]:\n\n- `KETTLE_LID`: When set, the lid of the kettle is open."


class TestCode:
    CONFIG = ("# the kettle of the house", "lid = open", "water=cold")

    def test_is_what_mostly_has_its_form(self) -> None:
        assert is_code(self.CONFIG)
        assert is_code(["kettle {", "  boil twice", "  pour", "}"])
        assert not is_code(["The kettle boils.", "# It is hot", "We pour it out."])
        assert is_code(["$ kettle --boil", "the water is hot"])
        assert is_code(["(house) $ kettle --boil", "the water is hot"])
        assert not is_code(["kettle --boil", "the water is hot"])

    def test_is_no_less_than_a_few_lines(self) -> None:
        assert len(self.CONFIG) == FEWEST_SHAPED
        assert not is_code(self.CONFIG[:-1])

    @pytest.mark.parametrize(("prose", "code"), [(3, True), (4, False)])
    def test_may_have_three_lines_of_ten_that_have_none(self, prose: int, code: bool) -> None:
        assert is_code(["water=cold"] * (10 - prose) + ["we pour it"] * prose) is code

    def test_is_quoted_as_it_stands(self) -> None:
        text = "The kettle is set in its file.\n\n" + "\n".join(self.CONFIG)
        said = answer("How do I set lid and water of the kettle?", text)
        assert "```\n" + "\n".join(self.CONFIG) + "\n```" in said

    def test_stands_behind_the_prompt_of_a_shell(self) -> None:
        said = answer(
            "How do I boil with a lid?", "To boil with a lid (e.g. the red one), run:\n\n    % make LID=yes"
        )
        assert said == "To boil with a lid (e.g. the red one), run [7]:\n\n```\n    % make LID=yes\n```"
