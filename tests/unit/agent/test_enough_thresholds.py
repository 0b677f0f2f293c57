"""Each number by which an answer is cut short, between two cases that are close to it."""

from collections.abc import Sequence

import pytest

from footnote_agent.engines.enough import enough
from footnote_agent.engines.part_scores import DEFAULT
from footnote_agent.engines.quotable import PassageText, Quotable, quotables_of
from footnote_agent.engines.terms import terms

VINEGAR = "Pour vinegar in and wait for an hour."
COLOURS = ("red", "green", "blue", "white", "black")

WHOLE = DEFAULT.whole


def left(matches: Sequence[float], words: int) -> list[int]:
    """Which sentences are left of those with such matches, by number, of a question with so many words.

    Each has all that is asked.
    """
    asked = " ".join(COLOURS[:words])
    ordinals = ("first", "second", "third", "fourth", "fifth", "sixth")[: len(matches)]
    passage = PassageText("d", 0, " ".join(f"The {asked} flag is the {ordinal} one." for ordinal in ordinals))
    found = quotables_of([passage], None)

    def own(one: Quotable) -> float:
        return matches[one.index]

    weights = dict.fromkeys(found[0].terms[:words], 1.0)
    kept = enough(found, found, [passage], weights, own, f"Where is the {asked} flag?", WHOLE, 5)
    return [one.index for one in kept]


@pytest.mark.parametrize(
    ("words", "match", "stays"), [(3, 0.61, True), (3, 0.59, False), (5, 0.71, True), (5, 0.69, False)]
)
def test_beside_one_that_says_all_stands_what_matches_nearly_as_well(
    words: int, match: float, stays: bool
) -> None:
    assert left([1.0, match], words) == ([0, 1] if stays else [0])


@pytest.mark.parametrize(("words", "sentences"), [(4, 4), (5, 3)])
def test_an_answer_has_four_sentences_and_to_a_long_question_three(words: int, sentences: int) -> None:
    assert left([1.0] * 6, words) == list(range(sentences))


@pytest.mark.parametrize(("share", "is_answer"), [(0.105, True), (0.095, False)])
def test_a_heading_that_is_a_question_has_a_tenth_of_it_and_the_title_the_rest(
    share: float, is_answer: bool
) -> None:
    rest = terms("kettle boiler limescale")
    passages = [
        PassageText("d", 0, VINEGAR, ("Why red?",), title="Kettle boiler limescale"),
        PassageText("e", 0, "The kettle of the boiler stands beside the stove.", title="Kitchen"),
    ]
    found = quotables_of(passages, None)
    weights = {"red": share, **dict.fromkeys(rest, (1 - share) / 3)}
    asked = "Where does red limescale in a kettle of the boiler come from?"
    kept = enough(found, found, passages, weights, lambda one: 1.0, asked, WHOLE, 5)
    assert [one.document for one in kept] == (["d"] if is_answer else ["d", "e"])


@pytest.mark.parametrize(("share", "is_answer"), [(0.61, True), (0.59, False)])
def test_a_sentence_has_six_tenths_of_the_question_by_itself_and_the_title_the_rest(
    share: float, is_answer: bool
) -> None:
    rest = terms("kettle boiler limescale")
    text = "The red rim of it comes from iron. The stove stands in the cellar."
    passage = PassageText("d", 0, text, title="Kettle boiler limescale")
    found = quotables_of([passage], None)
    weights = {"red": share, **dict.fromkeys(rest, (1 - share) / 3)}
    asked = "Where does red limescale in a kettle of the boiler come from?"
    kept = enough(found, found, [passage], weights, lambda one: -one.index, asked, WHOLE, 5)
    assert kept == (found[:1] if is_answer else found)


@pytest.mark.parametrize(("share", "is_answer"), [(0.91, True), (0.89, False)])
def test_what_has_nine_tenths_of_the_question_says_all(share: float, is_answer: bool) -> None:
    passage = PassageText("d", 0, "The red flag is the first of them all. The stove stands in the cellar.")
    found = quotables_of([passage], None)
    weights = {"red": share / 2, "flag": share / 2, "boiler": 1 - share}
    asked = "Where is the red flag of the boiler?"
    kept = enough(found, found, [passage], weights, lambda one: -one.index, asked, WHOLE, 5)
    assert kept == (found[:1] if is_answer else found)


@pytest.mark.parametrize("asked", ["Who founded the {}?", "When did the {} begin?"])
@pytest.mark.parametrize(("words", "is_answer"), [(1, False), (2, True)])
def test_a_name_or_a_date_is_the_answer_to_a_question_of_two_words(
    asked: str, words: int, is_answer: bool
) -> None:
    about = " ".join(("harbour", "project")[:words])
    said = f"The {about} was founded by Ian Murdock in August 1993."
    passage = PassageText("d", 0, f"{said} In the end the {about} was given to the town.")
    found = quotables_of([passage], None)
    weights = dict.fromkeys(terms(about), 1.0)
    kept = enough(found, found, [passage], weights, lambda one: 1.0, asked.format(about), WHOLE, 5)
    assert [one.text for one in kept] == ([said] if is_answer else [one.text for one in found])


def test_of_a_section_that_is_asked_for_three_sentences_are_quoted_where_none_has_a_word_of_it() -> None:
    rest = "Rinse it twice with cold water. Dry it with a soft cloth of cotton. Put the lid back on it."
    asked = "How do I clean a kettle?"
    passages = [
        PassageText("e", 0, "To clean a kettle takes somebody an hour.", title="Kitchen"),
        PassageText("d", 0, f"{VINEGAR} {rest}", (asked,)),
    ]
    found = quotables_of(passages, None)
    weights = dict.fromkeys(terms("clean kettle"), 1.0)
    kept = enough(found[:1], found, passages, weights, lambda one: 1.0, asked, WHOLE, 5)
    assert [(one.document, one.index) for one in kept] == [("d", 0), ("d", 1), ("d", 2)]
