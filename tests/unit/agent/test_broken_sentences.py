"""Sentences that a line of code stands within, and sections and commands that are left as plain lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.agent.test_blocks import answer

from footnote_agent.engines.blocks import blocks_of
from footnote_agent.engines.broken_sentences import FEWEST_ABOVE, MOST_OF_LINE, rejoined
from footnote_agent.engines.called_commands import FEWEST_PAIRS, FEWEST_PLACED, FIRST_PLACED, called_at
from footnote_agent.engines.enough import SHORT_SECTION
from footnote_agent.engines.headlines import headlines_in, is_of_another_section
from footnote_agent.engines.term_entries import long_names
from footnote_shared.kernel.text import sentences

LISTS = (
    "Anyone may write.\n\nTo subscribe to a list, please send mail to\n\n        {}\n\n"
    "with the word subscribe as subject.\n"
)


class TestALineWithinASentence:
    def test_stands_in_it_as_code(self) -> None:
        said = answer("How do I subscribe to a list?", LISTS.format("NAME-REQUEST@lists.example.org"))
        assert (
            "To subscribe to a list, please send mail to `NAME-REQUEST@lists.example.org` "
            "with the word subscribe as subject [7]."
        ) in said

    @pytest.mark.parametrize(("size", "joins"), [(MOST_OF_LINE, True), (MOST_OF_LINE + 1, False)])
    def test_is_short(self, size: int, joins: bool) -> None:
        text = LISTS.format("x" * size)
        assert any("`" in one.text for one in rejoined(sentences(text), text, [])) is joins

    @pytest.mark.parametrize(("words", "joins"), [(FEWEST_ABOVE, True), (FEWEST_ABOVE - 1, False)])
    def test_has_some_words_above_it(self, words: int, joins: bool) -> None:
        text = f"{' '.join(['write'] * words)}\n\n    kettle\n\nand wait for it.\n"
        assert any("`" in one.text for one in rejoined(sentences(text), text, [])) is joins

    def test_is_none_behind_a_whole_sentence(self) -> None:
        text = LISTS.replace("mail to", "mail.").format("kettle")
        assert rejoined(sentences(text), text, []) == sentences(text)

    def test_the_rest_behind_longer_code_is_not_quoted_alone(self) -> None:
        text = (
            "This is done by the option\n\n```\nkettle --file=NAME\nkettle --boil\n```\n\n"
            "instructs kettle to boil what is in the file of that name."
        )
        assert "instructs" not in answer("What does kettle do with a file to boil?", text)

    @given(st.lists(st.sampled_from(["a b c", "  x", "\n", "and so.", "Do.", "`"]), max_size=30))
    def test_all_words_stay_in_order(self, pieces: list[str]) -> None:
        text = "\n".join(pieces)
        kept = " ".join(one.text for one in rejoined(sentences(text), text, blocks_of(text)))
        whole = " ".join(one.text for one in sentences(text))
        assert kept.replace("`", "").split() == whole.replace("`", "").split()


class TestSectionsInPlainText:
    FAQ = (
        "2.2. How do I make a server?\n\nBy default, it is none. You need to add an allow line to it.\n\n"
        "2.3. Should all kettles be clients?\n\nIt depends on how you make the server. It needs a shelf.\n"
    )
    HEADINGS = ("Kettles", "2.2. How do I make a server?")

    def test_the_answer_ends_where_the_next_question_begins(self) -> None:
        said = answer("How do I make a server?", self.FAQ, headings=self.HEADINGS)
        assert "You need to add an allow line" in said
        assert "depends" not in said

    def test_a_numbered_question_may_go_over_two_lines(self) -> None:
        text = "2.4. Must I name the kettles if nobody is\nthere?\n\nNo."
        assert headlines_in(text).texts == ("2.4. Must I name the kettles if nobody is there?",)

    def test_a_numbered_sentence_is_no_headline(self) -> None:
        assert not headlines_in("2.3. The fee is due in May.\n\nIt is paid.").texts

    def test_a_part_of_a_section_is_no_other_one(self) -> None:
        assert is_of_another_section("2.3. Kettles", "2.2. Boilers")
        assert not is_of_another_section("2.2.1. Kettles", "2.2. Boilers")
        assert not is_of_another_section("Kettles", "2.2. Boilers")

    @pytest.mark.parametrize(("more", "whole"), [(0, True), (1, False)])
    def test_a_short_section_is_told_whole(self, more: int, whole: bool) -> None:
        first = "By default, the kettle is no server."
        middle = f"It is {'so ' * 100}that none boils."
        reeds = "Reeds grow here beside the old wall."
        last = f"Stones {'lie ' * 50}in {'x' * 20} and {{}} there."
        known = sum(map(len, (first, middle, reeds, last.format(""))))
        last = last.format("y" * (SHORT_SECTION - known + more))
        text = f"2.2. How do I make a server?\n\n{first} {middle} {reeds} {last}\n"
        said = answer("How do I make a server?", text, headings=self.HEADINGS)
        assert ("Stones" in said) is whole

    def test_one_word_in_an_outline_heads_what_stands_further_in(self) -> None:
        assert headlines_in("* Requirements\n\n    perl v5\n    zlib\n").texts == ("* Requirements",)


class TestCommandsAsTheyAreCalled:
    LINES = (
        "stop",
        "stops all jails",
        "unban --all",
        "unbans all",
        "unban <IP> ... <IP>",
        "unbans <IP> in all (jails)",
    )
    MORE = ("set <JAIL> banip <IP>", "manually Ban <IP> for <JAIL>")

    def test_each_is_an_entry_with_what_it_does(self) -> None:
        said = answer("How do I unban an address?", "\n".join((*self.LINES, *self.MORE)))
        assert "- `unban ‹IP› ... ‹IP›`: unbans ‹IP› in all (jails)" in said

    @pytest.mark.parametrize(("pairs", "found"), [(FEWEST_PAIRS, True), (FEWEST_PAIRS - 1, False)])
    def test_there_are_three(self, pairs: int, found: bool) -> None:
        assert bool(called_at(["do <it>", "it is done"] * pairs, 0)) is found

    @pytest.mark.parametrize(("placed", "found"), [(FEWEST_PLACED, True), (FEWEST_PLACED - 1, False)])
    def test_two_have_a_place(self, placed: int, found: bool) -> None:
        lines = ["do <it>", "it is done"] * placed + ["stop", "it is stopped"] * 3
        assert bool(called_at(lines, 0)) is found

    @pytest.mark.parametrize(("before", "found"), [(FIRST_PLACED - 1, True), (FIRST_PLACED, False)])
    def test_the_first_with_a_place_comes_soon(self, before: int, found: bool) -> None:
        lines = ["stop", "it is stopped"] * before + ["do <it>", "it is done"] * 2
        assert bool(called_at(lines, 0)) is found

    def test_wrapped_prose_is_none(self) -> None:
        assert not called_at(["they eat all, and", "then they fly", "to the sea", "they like"], 0)

    def test_what_may_be_left_out_names_no_command(self) -> None:
        assert long_names("reload [--unban] <JAIL>\nreloads it") == ["reload   <JAIL>"] or long_names(
            "reload [--unban] <JAIL>\nreloads it"
        ) == ["reload  <JAIL>"]


class TestMarksAndCommandsOnTheirOwn:
    def test_an_item_below_its_mark_is_one(self) -> None:
        block = blocks_of("•\nKettle is for tea.\n•\nBoiler is for soup.\n")[0]
        assert (block.kind, [part.text for part in block.parts]) == (
            "list",
            ["•\nKettle is for tea.", "•\nBoiler is for soup."],
        )

    def test_commands_in_paragraphs_of_their_own_are_one_block(self) -> None:
        found = blocks_of(
            "A key is made by calling:\n\n$ umask 077\n\n$ kettle genkey | tee key\n\nThat is all."
        )
        assert [part.text for block in found for part in block.parts] == [
            "$ umask 077\n$ kettle genkey | tee key"
        ]

    def test_two_fences_stay_two(self) -> None:
        assert len(blocks_of("```\na = 1\n```\n\n```\nb = 2\n```\n")) == 2
