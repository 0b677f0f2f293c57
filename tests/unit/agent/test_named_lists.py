"""Whoever asks which things there are is told the list that is of just them."""

import pytest

from footnote_agent.engines.cues import asks_for_list
from footnote_agent.engines.named_lists import FEW_NAMED, MOST_NAMED, named_list
from footnote_agent.engines.quotable import PassageText, quotables_of
from footnote_agent.engines.salience import select

ITEMS = "- Firefox of this year\n- Chrome of this year"
BESIDE = "Other browsers may be supported by friends of the house."
QUESTION = "Which browsers are supported?"
LISTED = f"Supported browsers:\n\n{ITEMS}"


def listed(weights: dict[str, float], *, title: str = "", text: str = LISTED) -> bool:
    """Whether the list of the text is what is asked for, by words of the question with these weights."""
    passage = PassageText("d", 0, text, title=title)
    found = quotables_of([passage], "en")
    return bool(named_list(found, [passage], weights, QUESTION, "en", 0.9))


def test_the_list_is_told_alone() -> None:
    passages = [PassageText("e", 0, BESIDE), PassageText("d", 0, LISTED)]
    assert [one.text for one in select(QUESTION, passages, 5).chosen] == ITEMS.split("\n")


def test_a_list_that_is_rejected_is_told_where_it_is_asked_for() -> None:
    rejected = PassageText("d", 0, f"Browsers that are not supported:\n\n{ITEMS}")
    passages = [PassageText("e", 0, BESIDE), rejected]
    assert select(QUESTION, passages, 5).chosen[0].text == BESIDE
    asked = "Which browsers are not supported?"
    so = PassageText("f", 0, "Supported browsers:\n\n- Lynx\n- Links")
    assert [one.text for one in select(asked, [so, *passages], 5).chosen] == ITEMS.split("\n")


@pytest.mark.parametrize(("share", "is_named"), [(0.61, True), (0.59, False)])
def test_its_lead_has_six_tenths_of_the_question_and_the_title_the_rest(share: float, is_named: bool) -> None:
    weights = {"browser": share, "kettl": 1 - share}
    assert listed(weights, title="Kettles") is is_named
    assert not listed(weights)


@pytest.mark.parametrize(("verb", "is_named"), [("exist", True), ("offer", True), ("forbid", False)])
def test_its_lead_need_not_say_that_there_are_such_things(verb: str, is_named: bool) -> None:
    assert listed({"browser": 1.0, "support": 1.0, verb: 1.0}) is is_named


@pytest.mark.parametrize(("words", "is_named"), [(FEW_NAMED, True), (FEW_NAMED - 1, False)])
def test_it_names_two_words_at_least(words: int, is_named: bool) -> None:
    assert listed(dict.fromkeys(("browser", "support")[:words], 1.0)) is is_named


@pytest.mark.parametrize(("items", "is_told"), [(MOST_NAMED, True), (MOST_NAMED + 1, False)])
def test_it_has_a_dozen_items_at_most(items: int, is_told: bool) -> None:
    text = "Supported browsers:\n\n" + "\n".join(f"- Kind {number}" for number in range(items))
    assert listed({"browser": 1.0, "support": 1.0}, text=text) is is_told


@pytest.mark.parametrize(
    ("question", "language", "does"),
    [
        (QUESTION, "en", True),
        ("What are the fees?", "en", True),
        ("On which platforms does it run?", "en", True),
        ("On which browser is it tried?", "en", False),
        ("Which browser is supported?", "en", False),
        ("Describe the browsers.", "en", False),
        ("Welche Browser gibt es?", "de", True),
        ("Quels navigateurs ?", "fr", True),
    ],
)
def test_some_questions_ask_for_a_list(question: str, language: str, does: bool) -> None:
    assert asks_for_list(question, language) is does
