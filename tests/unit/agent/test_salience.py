"""Which sentences are chosen."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_agent.engines.fitting_sentences import MAX_CHARS
from footnote_agent.engines.part_scores import DEFAULT, Weights
from footnote_agent.engines.quotable import PassageText
from footnote_agent.engines.quotable_sentences import clean
from footnote_agent.engines.salience import select
from footnote_agent.engines.terms import terms

HANDBOOK = PassageText(
    "d1",
    0,
    "# Leave\nEmployees get twenty-eight days of paid leave each year. "
    "Carrying days over needs the consent of a manager. "
    "Parental leave lasts up to fourteen months. Contact: https://example.org/hr",
)
NEWS = PassageText(
    "d2", 0, "The canteen serves soup on Mondays. Paid leave is twenty-eight days for employees each year."
)


def texts(question: str, sources: list[PassageText], count: int = 5) -> list[str]:
    return [sentence.text for sentence in select(question, sources, count).chosen]


class TestSelect:
    def test_puts_the_sentence_that_answers_first(self) -> None:
        assert (
            texts("How long is parental leave?", [HANDBOOK])[0]
            == "Parental leave lasts up to fourteen months."
        )

    def test_leaves_out_headings_links_and_what_has_nothing_to_do_with_it(self) -> None:
        chosen = texts("How many days of paid leave do employees get?", [HANDBOOK, NEWS])
        assert not any("#" in text or "http" in text or "soup" in text for text in chosen)

    def test_says_the_same_only_once(self) -> None:
        chosen = texts("How many days of paid leave do employees get each year?", [HANDBOOK, NEWS])
        assert sum("twenty-eight" in text for text in chosen) == 1

    def test_takes_a_sentence_of_two_overlapping_passages_once(self) -> None:
        text = "Refunds are paid within fourteen days. Shipping is never refunded by us."
        overlapping = PassageText("d1", text.index("Shipping"), text[text.index("Shipping") :])
        selection = select("Is shipping refunded?", [PassageText("d1", 0, text), overlapping], 5)
        assert [c.text for c in selection.chosen].count("Shipping is never refunded by us.") == 1

    def test_gives_no_more_than_asked_for(self) -> None:
        assert len(texts("paid leave days employees", [HANDBOOK, NEWS], 1)) == 1

    def test_covers_little_of_a_question_about_something_else(self) -> None:
        about_leave = select("How many days of paid leave do employees get?", [HANDBOOK], 5).coverage[0]
        war = "Which treaty ended the Thirty Years War in Westphalia?"
        about_else = select(war, [HANDBOOK], 5).coverage[0]
        assert about_else < 0.25 < about_leave

    def test_finds_nothing_in_nothing(self) -> None:
        assert select("What?", [], 5).chosen == []
        assert select("the of and", [HANDBOOK], 5).chosen == []

    @given(st.text(max_size=200), st.lists(st.text(max_size=400), max_size=5), st.integers(1, 20))
    def test_takes_any_text_and_quotes_only_what_is_there(
        self, question: str, passages: list[str], count: int
    ) -> None:
        selection = select(question, [PassageText(str(n), 0, text) for n, text in enumerate(passages)], count)
        assert len(selection.chosen) <= count
        assert all(0.0 <= share <= 1.0 for share in selection.coverage)
        for sentence in selection.chosen:
            assert len(sentence.text) <= MAX_CHARS
            assert set("".join(sentence.text.split())) <= set("".join(passages))


class TestClean:
    def test_takes_the_marks_of_quotations_off(self) -> None:
        assert clean("> [!NOTE]\n>\n> It is so\n> from now on.") == "It is so from now on."
        assert clean("It is > 5 and [!] so.") == "It is > 5 and [!] so."


class TestWords:
    def test_a_number_is_one_word_with_its_points_and_without_what_stands_before_it(self) -> None:
        assert terms("1:9.2p1 v2.6.0 18.04 1,200") == ["1", "9.2", "p1", "v", "2.6.0", "18.04", "1,200"]
        assert terms("10:36:06") == ["10:36:06"]

    def test_forms_of_a_word_meet(self) -> None:
        assert terms("refunded refunds refunding") == ["refund"] * 3
        assert terms("The vaccines were developed") == terms("a vaccine in development")

    def test_numbers_and_short_words_stay(self) -> None:
        assert terms("2019 RNA gas") == ["2019", "rna", "gas"]

    def test_marks_of_lists_and_headings_go(self) -> None:
        assert clean("## Title\n- 1. first   thing") == "1. first thing"


COLOURS = "red blue green white black brown grey pink violet orange"
"""A query of ten terms. What a sentence matches of it are the colours that it names."""

NOTHING = Weights(neighbours=0, pairs=0, rank=0, cut=0)
"""Only BM25 counts. Each case below adds the one weight that it is about, as it is shipped."""


def by_score(query: str, passages: list[str], by: Weights) -> list[str]:
    """The chosen sentences, best first; each passage is a document of its own."""
    texts = [PassageText(str(number), 0, text) for number, text in enumerate(passages)]
    return [sentence.text for sentence in select(query, texts, 20, by).chosen]


class TestWeights:
    """Each shipped weight between two cases: large enough for one, small enough for the other."""

    MANY = "The lamps are {}, {}, {} today."
    ALL_FOUR = "The four flags here are red and green and white and also blue."
    ALSO_BLUE = "A blue door is at the end of the hall."

    @pytest.mark.parametrize(("times", "wins"), [(3, False), (5, True)])
    def test_saying_a_word_again_counts_less_and_less(self, times: int, wins: bool) -> None:
        by = Weights(whole=2, k1=DEFAULT.k1, b=0, neighbours=0, pairs=0, rank=0, cut=0)
        three = self.MANY.format(*(", ".join([colour] * times) for colour in ("red", "green", "white")))
        ranked = by_score("red blue green white", [three, self.ALL_FOUR, self.ALSO_BLUE], by)
        assert (ranked[0] == three) is wins

    @pytest.mark.parametrize(("head_start", "long_first"), [(0.27, False), (0.5, True)])
    def test_a_long_sentence_is_held_a_little_against_it(self, head_start: float, long_first: bool) -> None:
        by = Weights(whole=2, b=DEFAULT.b, rank=head_start, rank_scale=3, neighbours=0, pairs=0, cut=0)
        long = (
            "Of all the flags that the old fishermen sold near the harbour market last summer morning "
            "the red and blue kind cost most money."
        )
        ranked = by_score("red blue", [long, "Red flags and blue flags fly."], by)
        assert (ranked[0] == long) is long_first

    TIMETABLE = "The harbour ferry has a timetable for winter{}. The boats leave at seven and at nine."
    BETWEEN = "Nobody sells any soup there. A big crane stands by the wall."

    def test_the_sentence_behind_a_match_may_hold_the_answer(self) -> None:
        by = Weights(whole=2, neighbours=DEFAULT.neighbours, pairs=0, rank=0, cut=0)
        little = "In winter a storm took the old roof away."
        text = f"{self.TIMETABLE.format(' and storm')} {self.BETWEEN} {little}"
        ranked = by_score("harbour ferry timetable winter storm", [text], by)
        assert ranked[1:3] == ["The boats leave at seven and at nine.", little]

    def test_a_neighbour_does_not_outdo_a_good_match(self) -> None:
        by = Weights(whole=2, neighbours=DEFAULT.neighbours, pairs=0, rank=0, cut=0)
        good = "The winter timetable is yellow."
        text = f"{self.TIMETABLE.format('')} {self.BETWEEN} {good}"
        ranked = by_score("harbour ferry timetable winter", [text], by)
        assert ranked[1:3] == [good, "The boats leave at seven and at nine."]

    @pytest.mark.parametrize(
        ("other", "before_it"),
        [("In winter the old roof came away.", True), ("In winter a storm took the old roof away.", False)],
    )
    def test_the_sentence_before_a_match_counts_half(self, other: str, before_it: bool) -> None:
        by = Weights(whole=2, neighbours=DEFAULT.neighbours, pairs=0, rank=0, cut=0)
        before = "It is printed on yellow paper."
        text = f"{before} The harbour ferry has a timetable for winter and storm. {self.BETWEEN} {other}"
        ranked = by_score("harbour ferry timetable winter storm", [text], by)
        assert (ranked.index(before) < ranked.index(other)) is before_it

    NINE_OUT_OF_ORDER = "Orange, pink, grey, brown, black, white, green, blue and red flags fly in the wind."

    def test_words_that_stand_together_outdo_one_word_more(self) -> None:
        by = Weights(whole=2, pairs=DEFAULT.pairs, neighbours=0, rank=0, cut=0)
        in_order = "Red, blue, green, white, black, brown, grey and pink flags fly in the sun."
        missing = "One violet and one orange lamp, and one more violet lamp here."
        assert by_score(COLOURS, [self.NINE_OUT_OF_ORDER, in_order, missing], by)[0] == in_order

    def test_words_that_stand_together_do_not_outdo_two_words_more(self) -> None:
        by = Weights(whole=2, pairs=DEFAULT.pairs, neighbours=0, rank=0, cut=0)
        in_order = "Red, blue, green, white, black, brown and grey flags fly in the sun."
        missing = "One violet and pink and one orange lamp, and one more violet lamp."
        assert by_score(COLOURS, [self.NINE_OUT_OF_ORDER, in_order, missing], by)[0] == self.NINE_OUT_OF_ORDER

    def test_one_word_of_ten_more_does_not_outdo_a_better_passage(self) -> None:
        by = Weights(whole=2, rank=DEFAULT.rank, rank_scale=DEFAULT.rank_scale, neighbours=0, pairs=0, cut=0)
        eight = "The red, blue, green, white, black, brown, grey and pink flags fly today."
        nine = "The red, blue, green, white, black, brown, grey, pink and violet flags fly here."
        missing = "An orange lamp and a violet lamp hang over the old door there."
        assert by_score(COLOURS, [eight, nine, missing], by)[0] == eight

    def test_one_word_of_six_more_does(self) -> None:
        by = Weights(whole=2, rank=DEFAULT.rank, rank_scale=DEFAULT.rank_scale, neighbours=0, pairs=0, cut=0)
        four = "The red, blue, green and white flags fly over the harbour."
        five = "The red, blue, green, white and black flags fly over the town."
        missing = "The black and brown lamp hangs over the old door."
        assert by_score("red blue green white black brown", [four, five, missing], by)[0] == five

    @pytest.mark.parametrize(
        ("named", "document", "stays"),
        [
            ("red, blue and green", "0", True),
            ("red, blue and green", "1", False),
            ("red and other", "0", False),
        ],
    )
    def test_only_what_is_nearly_as_good_stands_beside_the_best_and_more_so_from_elsewhere(
        self, named: str, document: str, stays: bool
    ) -> None:
        by = Weights(whole=2, neighbours=0, pairs=0, rank=0, b=0, other=0)
        other = f"The {named} doors are shut."
        sources = [
            PassageText("0", 0, "The five flags are red, blue, green, white and black."),
            PassageText(document, 500, other),
            PassageText("0", 900, "A white lamp hangs here today, and a black sign."),
        ]
        chosen = select("red blue green white black", sources, 20, by).chosen
        assert (other in [one.text for one in chosen]) is stays

    def test_what_is_as_good_as_the_best_stands_beside_it_from_anywhere(self) -> None:
        by = Weights(whole=2, neighbours=0, pairs=0, rank=0)
        here = "The red and green and blue doors are shut."
        there = "Over the town fly large blue and green and red flags."
        assert set(by_score("red blue green", [here, there], by)) == {here, there}


class TestOtherLanguages:
    RULES = PassageText(
        "d3",
        0,
        "Verträge werden um ein Jahr verlängert, wenn niemand sie z. B. schriftlich kündigt. "
        "Die Rechnungen sind am 3. Oktober zu bezahlen. Das Büro ist an allen Tagen offen.",
        language="de",
    )

    def test_words_are_met_in_another_form(self) -> None:
        assert texts("Wann verlängert sich ein Vertrag?", [self.RULES], 1) == [
            "Verträge werden um ein Jahr verlängert, wenn niemand sie z. B. schriftlich kündigt."
        ]
        assert texts("Wann ist die Rechnung zu bezahlen?", [self.RULES], 1) == [
            "Die Rechnungen sind am 3. Oktober zu bezahlen."
        ]

    def test_words_that_say_nothing_are_not_looked_for(self) -> None:
        assert select("Was ist denn mit dem hier und für wen?", [self.RULES], 5).chosen == []
        assert select("Wie lange ist das Büro offen?", [self.RULES], 5).coverage[0] > 0.6

    def test_the_language_of_most_passages_decides(self) -> None:
        sources = [HANDBOOK, replace(HANDBOOK, language="en"), self.RULES]
        assert "Parental leave" in texts("How long is parental leave?", sources)[0]

    @pytest.mark.parametrize("language", ["pl", "zh", "xx", None])
    def test_a_language_without_stop_words_is_read(self, language: str | None) -> None:
        assert terms("the days", language)
