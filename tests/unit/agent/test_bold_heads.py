"""Bold words that stand before or above sentences say what these are about, and are quoted with them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.agent.test_blocks import answer, only

from footnote_agent.engines.bold_heads import MOST_BOLD, MOST_SENTENCE, bold_heads_in, is_bold_head
from footnote_agent.engines.quotable import PassageText, quotables_of

LIMITS = (
    "**Timeout.** The server waits for half a minute. At its end the connection is closed by it.\n\n"
    "**Size.** The largest file has two gigabytes. A larger one is refused by the server."
)


def head_of(text: str, words: str) -> str:
    head = bold_heads_in(text).over(text.index(words))
    return head.words if head else ""


class TestWordsThatRunOn:
    @pytest.mark.parametrize(
        "written",
        ["**Timeout.** It", "**Timeout**: It", "**Timeout:** It", "__Timeout.__ It", "**Timeout** – It"],
    )
    def test_head_their_paragraph(self, written: str) -> None:
        text = f"Much is said.\n\n{written} waits.\nIt ends.\n\nNow more is said."
        assert head_of(text, "waits") == head_of(text, "ends") == "Timeout"
        assert head_of(text, "Much") == head_of(text, "Now") == ""

    @pytest.mark.parametrize("written", ["**Never** feed gulls", "Gulls **steal.** They", "**Timeout.**It"])
    def test_that_only_stress_something_head_nothing(self, written: str) -> None:
        assert head_of(f"{written} on the pier.", "pier") == ""

    @pytest.mark.parametrize(("length", "heads"), [(MOST_BOLD, True), (MOST_BOLD + 1, False)])
    def test_are_few(self, length: int, heads: bool) -> None:
        assert bool(head_of(f"**{'t' * (length - 1)}.** It waits.", "waits")) is heads

    def test_are_quoted_with_the_sentence_that_they_head(self) -> None:
        assert answer("When is the connection closed?", LIMITS) == (
            "**Timeout.** At its end the connection is closed by it [7]."
        )

    def test_are_quoted_once(self) -> None:
        said = answer("When does the server wait and when is the connection closed by it?", LIMITS)
        assert said.startswith("**Timeout.** The server waits for half a minute [7]. At its end the")

    def test_are_words_of_all_sentences_below_them(self) -> None:
        said = answer("Which size is refused?", LIMITS)
        assert "A larger one is refused by the server [7]." in said
        assert "Timeout" not in said

    def test_that_end_with_no_mark_are_shown_with_a_colon(self) -> None:
        text = LIMITS.replace("**Timeout.**", "**Timeout** –")
        assert answer("When is the connection closed?", text).startswith("**Timeout**: At its end")

    def test_lead_in_the_list_right_behind_their_paragraph(self) -> None:
        text = f"{LIMITS}\n\n- Pictures are scaled to fit.\n- Films are cut to fit.\n"
        assert answer("Are films cut?", text) == "Size [7]:\n\n- Films are cut to fit."


class TestALineInBold:
    def test_heads_all_below_it_up_to_the_next_one(self) -> None:
        text = "**Timeout**\n\nIt waits.\n\nIt ends.\n\n**Size of files**\nIt is large."
        assert head_of(text, "waits") == head_of(text, "ends") == "Timeout"
        assert head_of(text, "large") == "Size of files"

    def test_comes_back_behind_a_paragraph_with_words_of_its_own(self) -> None:
        text = "**Timeout**\n\n**Note.** It waits.\n\nIt ends."
        assert head_of(text, "waits") == "Note"
        assert head_of(text, "ends") == "Timeout"

    def test_is_no_part_of_the_sentence_below_it(self) -> None:
        said = answer("How long does the server wait?", "**Timeout**\nThe server waits for half a minute.")
        assert said == "The server waits for half a minute [7]."

    @pytest.mark.parametrize(
        ("words", "mark", "heads"),
        [(MOST_SENTENCE, ".", True), (MOST_SENTENCE + 1, ".", False), (MOST_SENTENCE + 1, "", True)],
    )
    def test_with_an_end_mark_is_short_or_a_sentence(self, words: int, mark: str, heads: bool) -> None:
        line = f"**Never{' feed' * (words - 1)}{mark}**"
        assert is_bold_head(line) is heads

    def test_that_is_a_sentence_is_quoted(self) -> None:
        text = "**Never feed the gulls on the pier.**\n\nAll else is said by the guard at the gate."
        assert answer("May I feed gulls on the pier?", text).startswith("**Never feed the gulls on the pier")

    def test_does_not_hide_the_release_above_a_list(self) -> None:
        text = "**Changes**\n\n5.3: January 2023\n\n - Follow links of the lid\n - Mend the spout\n"
        assert answer("Which release mends the spout?", text).startswith("5.3: January 2023 [7]:")


class TestAnItemAlone:
    def test_is_a_list_where_something_leads_in_it(self) -> None:
        assert only("**Rejected.**\n- A table of its own.\n").lead == "Rejected"
        assert only("We sell:\n\n1. Ropes of hemp.\n").lead == "We sell:"

    def test_is_quoted_behind_its_lead(self) -> None:
        text = "**Rejected.**\n- A table of its own for each ferry.\n"
        assert answer("Has each ferry a table of its own?", text) == (
            "Rejected [7]:\n\n- A table of its own for each ferry."
        )


@given(st.text(alphabet="*_ab. \n:-", max_size=80))
def test_any_text_keeps_its_places(text: str) -> None:
    heads = bold_heads_in(text)
    assert list(heads.starts) == sorted(heads.starts)
    assert len(heads.without_lines(text)) == len(text)
    for part in quotables_of([PassageText("d", 0, text)], None):
        assert 0 <= part.start < part.end <= len(text)
