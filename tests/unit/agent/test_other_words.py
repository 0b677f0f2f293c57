"""Answers in other words than the question, and the numbers by which they are found."""

from dataclasses import replace

import pytest
from tests.unit.agent.test_choice_thresholds import MANY, PLAIN, chosen

from footnote_agent.engines.code_lines import is_command
from footnote_agent.engines.companions import with_first_answer
from footnote_agent.engines.cues import cue_of
from footnote_agent.engines.part_scores import DEFAULT
from footnote_agent.engines.quotable import PassageText, quotables_of
from footnote_agent.engines.salience import select
from footnote_agent.engines.same_words import same_as
from footnote_agent.engines.term_entries import SHORTEST_BEHIND_NO, without_no
from footnote_shared.kernel.stems import stem

OPTIONS = """\
-n --noempty
    leave zero-length barrels alone
-S --size
    show how large the barrels are
-t --time
    show how old the barrels are
"""


def said(question: str, *passages: PassageText, history: str = "") -> list[str]:
    return [one.text for one in select(question, passages, 5, question=question, said=history).chosen]


class TestSameWords:
    def test_what_is_deleted_is_removed(self) -> None:
        removing = "Old ropes are removed with a knife on Monday."
        hanging = "Old ropes are hung up with a nail on Monday."
        assert said("How do I delete old ropes?", PassageText("d", 0, f"{hanging} {removing}"))[0] == removing

    def test_a_group_is_the_same_from_each_of_its_words(self) -> None:
        assert stem("remove") in same_as(stem("delete"))
        assert stem("delete") in same_as(stem("remove"))
        assert stem("delete") not in same_as(stem("delete"))

    def test_other_languages_have_none(self) -> None:
        assert not same_as(stem("delete"), "fr")

    @pytest.mark.parametrize(("numbered_ahead", "first"), [(0.49, False), (0.51, True)])
    def test_the_word_itself_counts_more_than_another_of_its_meaning(
        self, numbered_ahead: float, first: bool
    ) -> None:
        # BM25 saturates: half of a word scores three quarters with this k1.
        by = replace(PLAIN, same=DEFAULT.same, k1=1e9, form=numbered_ahead)
        other, itself = "Remove the 12 boxes at last.", "Delete the boxes with a knife."
        ranked = chosen("delete", [other, itself], by, question=MANY)
        assert (ranked[0] == other) is first

    def test_two_words_of_a_question_may_be_one_of_the_text(self) -> None:
        harbour = PassageText("d", 0, "The timezone is set at the mast of the harbour.")
        clock = PassageText("e", 0, "The time on the clock is set by the keeper.")
        assert said("Who sets the time zone?", clock, harbour)[0] == harbour.text


class TestOptions:
    def test_an_option_that_turns_a_word_round_is_about_the_word(self) -> None:
        passage = PassageText("d", 0, OPTIONS, ("OPTIONS",))
        assert [text.split()[1] for text in said("How do I skip empty barrels?", passage)] == ["--noempty"]

    @pytest.mark.parametrize(
        ("name", "about"),
        [
            ("noempty", "empty"),
            ("no-empty", "empty"),
            ("node", "node"),
            ("no" + "a" * SHORTEST_BEHIND_NO, "a" * SHORTEST_BEHIND_NO),
            ("no" + "a" * (SHORTEST_BEHIND_NO - 1), "no" + "a" * (SHORTEST_BEHIND_NO - 1)),
        ],
    )
    def test_words_with_no_at_their_beginning_stay_whole(self, name: str, about: str) -> None:
        assert without_no(name) == about


class TestNames:
    @pytest.mark.parametrize("question", ["What does GULL stand for?", "What does GULL mean?"])
    def test_what_a_name_is_short_for_is_told_without_it(self, question: str) -> None:
        cue = cue_of(question)
        assert cue is not None
        assert cue.holds("It's an abbreviation of Great Ugly Lighthouse Lamp.")

    def test_who_asks_what_something_is_asks_for_no_abbreviation(self) -> None:
        cue = cue_of("What is GULL?")
        assert cue is not None
        assert not cue.holds("It's an abbreviation of Great Ugly Lighthouse Lamp.")


class TestFollowUps:
    TOLD = "The lamp was designed by Ada Byron for the pier."
    OTHER = "When the designing of the lamp began, the pier was new."

    def test_a_name_that_was_just_quoted_is_told_again_where_no_other_is(self) -> None:
        passage = PassageText("d", 0, f"{self.TOLD} {self.OTHER}")
        assert self.TOLD in said("Who designed it?", passage, history=self.TOLD)

    def test_what_is_new_comes_before_what_was_told(self) -> None:
        new = "Its base was designed by Grace Hopper in spring."
        passage = PassageText("d", 0, f"{self.TOLD} {new}")
        assert self.TOLD not in said("Who designed it?", passage, history=self.TOLD)


class TestNearness:
    @pytest.mark.parametrize(("behind", "numbered_first"), [(0.39, True), (0.41, False)])
    def test_a_passage_loses_half_of_what_it_is_behind_the_nearest(
        self, behind: float, numbered_first: bool
    ) -> None:
        numbered = PassageText("d", 0, "Ropes lie in 12 boxes below deck.", similarity=0.9 - behind)
        plain = PassageText("e", 0, "Ropes hang on the wall of the house.", similarity=0.9)
        by = replace(PLAIN, cosine=DEFAULT.cosine, form=0.2)
        ranked = chosen("ropes", [numbered, plain], by, question=MANY)
        assert (ranked[0] == numbered.text) is numbered_first


class TestQuestionsOfAFaq:
    ASKED = ("Questions", "What is the key to reach hut 11?")
    FAQ = "The key is a brass one, and two knocks follow, for example one, one for hut 11."
    FAR = PassageText(
        "d", 900, "Hut 15 is reached by boat, and huts are painted.", ("Boats",), similarity=0.5
    )

    def near(self, similarity: float) -> PassageText:
        return PassageText("d", 0, self.FAQ, self.ASKED, similarity=similarity)

    @pytest.mark.parametrize(("similarity", "is_asked"), [(0.76, True), (0.74, False)])
    def test_one_that_is_near_asks_the_same_in_other_words(self, similarity: float, is_asked: bool) -> None:
        answered = said("How do I come to hut 15?", self.far(0.5), self.near(similarity))
        assert (answered == [self.FAQ]) is is_asked

    @pytest.mark.parametrize(("other", "is_asked"), [(0.71, True), (0.73, False)])
    def test_not_where_another_section_is_as_near(self, other: float, is_asked: bool) -> None:
        answered = said("How do I come to hut 15?", self.far(other), self.near(0.8))
        assert (answered == [self.FAQ]) is is_asked

    def far(self, similarity: float) -> PassageText:
        return replace(self.FAR, similarity=similarity)

    @pytest.mark.parametrize(("share", "is_said"), [(0.41, True), (0.39, False)])
    def test_its_first_sentence_stands_before_what_goes_on_with_it(self, share: float, is_said: bool) -> None:
        heading = "Will the ferry sail after a storm?"
        first, behind = (
            "Yes, it sails when the waves are low.",
            "The skipper keeps a log of each hour at sea.",
        )
        passage = PassageText("d", 0, f"{heading}\n\n{first} {behind}", ("Questions", heading))
        found = quotables_of([passage], None)
        weights = {"storm": share, "wait": 1 - share}
        beside = with_first_answer([found[-1]], found, [passage], weights, 5)
        assert [one.text for one in beside] == ([first, behind] if is_said else [behind])


def test_a_command_may_leave_out_its_rest() -> None:
    assert is_command("kettle --boil ...")
    assert not is_command("kettle boils and whistles...")


def test_a_range_of_options_is_one_entry() -> None:
    text = (
        "-M, --mild\nBoil mildly.\n-0..-8, --heat-0..--heat-8\nLow heat to high heat (default is -5).\n"
        "-0, --heat-0\nThe least.\n"
    )
    passage = PassageText("d", 0, text, ("OPTIONS",))
    assert said("What is the default heat of the kettle?", passage)[0].startswith("-0..-8")


def test_an_item_of_a_contents_and_the_heading_that_it_names_say_nothing() -> None:
    contents = PassageText(
        "d", 0, "- Pages of the second hut load slowly.\n- The lamp is dark.\n", ("Index",)
    )
    below = PassageText(
        "d", 500, "Pages of the second hut load slowly.\n\nThe hut is far from the mast.", ("Huts",)
    )
    fitting = [one.text for one in quotables_of([contents, below], None) if one.fits]
    assert not [text for text in fitting if "slowly" in text]
    assert "The hut is far from the mast." in fitting


class TestWhatWasSaidBefore:
    TEXT = "The echo option shows the password of the rope while it is typed."
    OTHER = "The rope of the mast is wet, and its option is old."

    def test_is_said_again_where_it_has_most_of_the_new_question(self) -> None:
        passage = PassageText("d", 0, f"{self.TEXT} {self.OTHER}")
        assert self.TEXT in said("How do I echo the password?", passage, history=self.TEXT)

    def test_is_not_said_again_for_one_word(self) -> None:
        passage = PassageText("d", 0, f"{self.TEXT} {self.OTHER}")
        assert self.TEXT not in said("Which option is old?", passage, history=self.TEXT)
