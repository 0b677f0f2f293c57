"""What the live normaliser promises beside its text: how long it holds, what it announces, what it counts."""

import re

import pytest

from footnote_resolver.normaliser.finalize import finalize
from footnote_resolver.normaliser.report import Report
from footnote_resolver.normaliser.stream import MOST_HELD, Normaliser

PROSE = (
    "The policy covers water damage, if it was sudden (see the schedule). "
    "Claims are due in 30 days; ask us: now! "
)


def some(*known: int) -> Normaliser:
    return Normaliser(known.__contains__, lambda: max(known, default=0))


class TestHolding:
    def test_a_word_is_never_held_back(self) -> None:
        normaliser = some(1)
        for word in (
            "The",
            " policy",
            " covers",
            " water",
            " damage.",
            "\n\n",
            "- ",
            "An",
            " item",
            ":",
            "\n",
            "1. ",
            "**b**",
            "\n# ",
            "12",
        ):
            assert normaliser.feed(word) == word

    def test_a_text_without_markers_comes_as_it_is_fed(self) -> None:
        """If it is cut before its spaces, as tokens are, nothing is held back, not even punctuation."""
        normaliser = some(1)
        for token in re.findall(r"\n+| ?[^ \n]+", (PROSE + "\n\n# Heading\n- one\n- two\n\n") * 20):
            if token[-1] in ",;(":
                token += "x"
            assert normaliser.feed(token) == token
            assert normaliser.held == 0

    def test_only_what_a_dropped_citation_takes_along_is_held_back_of_prose(self) -> None:
        normaliser = some(1)
        for character in PROSE * 3:
            normaliser.feed(character)
            assert normaliser.held <= len(", (")
            if character.isalnum():
                assert normaliser.held == 0

    @pytest.mark.parametrize(
        "text", ["`a` $x$ <b>c</b> http://a.b/c \\* [x](y) > -", "```py\nx = 1\n```\n", "a ` b $ c < d \\ e"]
    )
    def test_code_math_links_and_tags_come_as_they_are_written(self, text: str) -> None:
        normaliser = some(1)
        for character in text:
            normaliser.feed(character)
            assert normaliser.held <= 2

    def test_a_known_citation_is_out_with_its_bracket(self) -> None:
        normaliser = some(1)
        assert [normaliser.feed(character) for character in "a [1]"] == ["a", "", "", "", " [citation:1]"]

    def test_a_token_is_never_cut(self) -> None:
        normaliser = some(1, 2)
        pieces = [normaliser.feed(character) for character in "a [1, 2] b【1†x】(https://a.b) [^2]: c"] + [
            normaliser.close()
        ]
        assert all(piece.count("[citation:") == piece.count("]") for piece in pieces)

    @pytest.mark.parametrize(
        "text",
        [
            "[" + "9" * 5000 + "]",
            "[1](" + "x" * 500 + ") b",
            "[9](" + "x" * 500 + ") b",
            "[citation:" + "x" * 500 + "] b",
            "【1†" + "x" * 500 + "】 b",
            "[" + "1, " * 300 + "1]",
            "[[" + " " * 200 + "1]]",
            "$x [1] " + "y " * 200 + "$",
            "[a [1] " + "y " * 200 + "](u)",
            "x , ([9] , " * 30,
            "`" * 300 + "\n" + "~" * 300,
            "<a " + "x " * 200 + 'y="' + "[1]" * 50,
            "-" * 300 + "\n" + " " * 300 + "[1]",
            "\\[" + "1" * 300 + "\\]",
        ],
    )
    def test_nothing_makes_it_hold_more_than_it_may(self, text: str) -> None:
        normaliser = some(1)
        for character in text:
            normaliser.feed(character)
            assert normaliser.held <= MOST_HELD
        normaliser.close()


class TestAnnouncing:
    def test_numbers_are_announced_with_the_piece_that_holds_them(self) -> None:
        normaliser = some(1, 2)
        assert normaliser.feed("a [1] b [") == "a [citation:1] b"
        assert list(normaliser.citations) == [1]
        assert normaliser.feed("2") == ""
        assert list(normaliser.citations) == []
        assert normaliser.feed("][1]") == " [citation:2][citation:1]"
        assert list(normaliser.citations) == [2, 1]
        normaliser.feed("plain")
        assert list(normaliser.citations) == []

    def test_what_closing_gives_out_is_announced(self) -> None:
        normaliser = some(1)
        assert normaliser.feed("word[1]") == "word"
        assert normaliser.close() == "[citation:1]"
        assert list(normaliser.citations) == [1]

    def test_a_whole_message_names_its_citations_once_in_order(self) -> None:
        done = finalize("[2] a [1] b [2] `[1]` [9]", {1, 2}.__contains__, lambda: 2)
        assert done.citations == (2, 1)


class TestAGrowingRegistry:
    def test_a_number_counts_from_when_it_is_known(self) -> None:
        known = {1}
        normaliser = Normaliser(known.__contains__, lambda: max(known))
        written = normaliser.feed("a [2] b ")
        known.add(2)
        written += normaliser.feed("c [2]") + normaliser.close()
        assert written == "a b c [citation:2]"
        assert normaliser.report.dropped == (2,)

    def test_a_high_number_counts_from_when_it_is_issued(self) -> None:
        highest = 10
        normaliser = Normaliser(lambda n: n <= highest, lambda: highest)
        written = normaliser.feed("in [1500] ")
        highest = 1600
        assert written + normaliser.feed("and [1500]") == "in [1500] and [citation:1500]"


class TestReporting:
    def test_counts_every_number_the_model_cited(self) -> None:
        normaliser = Normaliser({1, 2, 3}.__contains__, lambda: 3, shown=lambda n: n != 2)
        normaliser.feed("a [1] b [1, 2, 9] c [8][8] 【3】 [2] [0] `[7]` [7](u) [citation:x]")
        normaliser.close()
        assert normaliser.report == Report(
            emitted=8, resolved=5, dropped=(9, 8, 8), repaired=2, unshown=(2,), malformed=1
        )

    def test_a_merged_repetition_is_resolved_and_repaired(self) -> None:
        normaliser = some(1)
        normaliser.feed("[1][1]")
        assert normaliser.report == Report(emitted=2, resolved=2, repaired=1)

    def test_a_removed_url_is_a_repair(self) -> None:
        assert finalize("[1](https://a.b)", {1}.__contains__, lambda: 1).report == Report(
            emitted=1, resolved=1, repaired=1
        )

    def test_plain_citations_need_no_repair(self) -> None:
        assert finalize("[1] [citation:2].", {1, 2}.__contains__, lambda: 2).report == Report(
            emitted=2, resolved=2
        )

    def test_nobody_is_asked_about_shown_where_nobody_knows(self) -> None:
        assert finalize("[1]", {1}.__contains__, lambda: 1).report.unshown == ()


class TestEnding:
    def test_closing_twice_gives_nothing_more(self) -> None:
        normaliser = some(1)
        normaliser.feed("a [")
        assert normaliser.close() == " ["
        assert normaliser.close() == ""

    def test_an_empty_message_is_empty(self) -> None:
        assert some().feed("") + some().close() == ""
        assert finalize("", lambda _: False, lambda: 0).text == ""
