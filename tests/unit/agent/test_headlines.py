"""Which lines head what stands below them, and that sentences know what heads them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_agent.engines.headlines import LONGER, MOST_WORDS, headlines_in
from footnote_agent.engines.quotable import PassageText
from footnote_agent.engines.salience import select

CHANGES = """\
kettle (2.1-1) unstable; urgency=medium

  The lid is closed by a spring from now on, which existing pots may not bear.

 -- Annabel Smithson <annabel.smithson@example.org>  Wed, 08 Feb 2023 10:36:06 +0000

kettle (2.0-1) unstable; urgency=medium

  The spout is longer than it was, which existing cups may not bear at all.

 -- Annabel Smithson <annabel.smithson@example.org>  Mon, 14 Nov 2022 16:35:59 +0000
"""
QUESTIONS = """\
14. Can the kettle boil milk?

    No, sorry. Boil it in a pot, or ask for the lid of the larger one.

15. I have a question about Potty.

    We are not the authors of it. The real author is Joel Hainley of the pot works.
"""


def chosen(question: str, text: str) -> list[str]:
    return [part.text for part in select(question, [PassageText("d", 0, text)], 5).chosen]


class TestHeadlines:
    def test_are_the_headings_of_changelogs_and_numbered_questions(self) -> None:
        assert headlines_in(CHANGES).texts == (
            "kettle (2.1-1) unstable; urgency=medium",
            "kettle (2.0-1) unstable; urgency=medium",
        )
        assert headlines_in(QUESTIONS).texts == (
            "14. Can the kettle boil milk?",
            "15. I have a question about Potty.",
        )
        assert headlines_in("* Changes in release 1.12\n\nIt is no longer so.").texts == (
            "* Changes in release 1.12",
        )

    @pytest.mark.parametrize(("words", "found"), [(MOST_WORDS, True), (MOST_WORDS + 1, False)])
    def test_are_short(self, words: int, found: bool) -> None:
        line = " ".join(["word"] * words)
        assert bool(headlines_in(f"{line}\n\n  It is no longer so.").texts) is found

    @pytest.mark.parametrize(("indent", "found"), [(2, True), (1, False)])
    def test_have_what_they_head_further_in(self, indent: int, found: bool) -> None:
        below = f"{' ' * indent}It is no longer so."
        assert bool(headlines_in(f"Two words\n\n{below}").texts) is found
        assert bool(headlines_in(f"1. Two words.\n\n{below}").texts) is found

    @pytest.mark.parametrize(
        "text",
        [
            "One is a sentence.\n\n  It goes on.",
            "One\n\n  It goes on.",
            "Two words\n\nIt goes on.",
            "Two words",
        ],
    )
    def test_are_no_other_lines(self, text: str) -> None:
        assert headlines_in(text).texts == ()

    @given(st.text(alphabet="ab1. \n*", max_size=120), st.integers(0, 130))
    def test_either_hold_a_place_or_stand_above_it(self, text: str, place: int) -> None:
        found = headlines_in(text)
        assert list(found.starts) == sorted(found.starts)
        assert all(start < end for start, end in zip(found.starts, found.ends, strict=True))
        above = found.above(place)
        assert not (found.holds(place) and above)
        assert above == "" or above in found.texts


class TestAnswer:
    def test_knows_of_which_release_a_line_speaks(self) -> None:
        said = " ".join(chosen("When was kettle 2.0 published?", CHANGES.replace("-1)", ")")))
        assert "14 Nov 2022" in said
        assert "08 Feb 2023" not in said

    def test_quotes_what_is_answered_and_not_the_question(self) -> None:
        assert chosen("Can the kettle boil milk?", QUESTIONS)[0].startswith("No, sorry. Boil it in a pot")
        said = chosen("Who is the author of Potty?", QUESTIONS)
        assert "The real author is Joel Hainley of the pot works." in said
        assert not any("I have a question" in text for text in said)


class TestTermsAboveTheirText:
    TEXT = (
        "The gulls are fed twice\n"
        "The first keeper feeds them at dawn, as he did before, and tells nobody of it.\n"
        "Cats come at night\nLock the gate behind the last ferry, and put the fish away before."
    )

    def test_head_it_and_are_no_part_of_its_first_sentence(self) -> None:
        assert headlines_in(self.TEXT).texts == ("The gulls are fed twice", "Cats come at night")
        said = chosen("Why are the gulls fed twice?", self.TEXT)
        assert said[0] == "The first keeper feeds them at dawn, as he did before, and tells nobody of it."

    @pytest.mark.parametrize(("size", "heads"), [(LONGER, True), (LONGER - 0.1, False)])
    def test_are_far_shorter_than_it(self, size: float, heads: bool) -> None:
        term = "Gulls of the old pier"
        below = f"They {'x' * (round(size * len(term)) - 6)}."
        assert bool(headlines_in(f"{term}\n{below}").texts) is heads

    @pytest.mark.parametrize(
        "text",
        [
            "It is said.\nthat gulls of the pier eat all that they are given by anybody who comes.",
            "Gulls eat on\nthe pier all that they are given there by anybody who comes.",
            "Gulls,\nThe pier has many of them, and all eat what they are given there.",
            "Gulls of the pier\nThe pier has many of them, and all eat what they are given",
        ],
    )
    def test_are_no_lines_of_a_paragraph(self, text: str) -> None:
        assert headlines_in(text).texts == ()
