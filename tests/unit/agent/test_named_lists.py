"""Whoever asks which things there are is told the list that is of just them."""

from string import ascii_letters

import pytest

from footnote_agent.engines.composing import compose
from footnote_agent.engines.cues import asks_for_list
from footnote_agent.engines.extractive import text_of
from footnote_agent.engines.named_lists import FEW_NAMED, MOST_NAMED, MOST_TERMS, named_list
from footnote_agent.engines.quotable import PassageText, quotables_of
from footnote_agent.engines.salience import select
from footnote_testing.fake_neighbours import make_passage

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


@pytest.mark.parametrize(
    ("heading", "title", "is_told"),
    [
        ("FEATURES", "The Kettle", True),
        ("Features", "Tea for two", False),
        ("Planned features", "The Kettle", False),
        ("Kettle", "The Kettle", False),
    ],
)
def test_a_heading_that_is_the_things_asked_for_is_above_them(
    heading: str, title: str, is_told: bool
) -> None:
    """Though the name, which is the title's, weighs more than they do."""
    passages = [
        PassageText("e", 0, "Many people ask how the features of a kettle are made."),
        PassageText("d", 0, f"{heading}\n\n{ITEMS}", (heading,), title=title),
    ]
    chosen = select("What features does the kettle have?", passages, 5).chosen
    assert ([one.text for one in chosen] == ITEMS.split("\n")) is is_told


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


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (MOST_NAMED, "- `-a`: Heat it with fire a"),
        (MOST_NAMED + 1, "- `-a`\n- `-b`\n"),
        (MOST_TERMS, "- `-a`\n- `-b`\n"),
        (MOST_TERMS + 1, ""),
    ],
)
def test_of_many_options_the_names_are_told(options: int, told: str) -> None:
    """Though a section of a manual is several passages, whose options are as many together."""
    names = [f"-{letter}" for letter in ascii_letters] + [f"--{letter * 2}" for letter in "abcdefghi"]
    texts = [f"{name}\n\nHeat it with fire {name[1:]}." for name in names[:options]]
    half = len(texts) // 2
    passages = [
        make_passage("\n\n".join(part), "kettle", "d", char_start=at, heading_path=["OPTIONS"])
        for at, part in ((0, texts[:half]), (5_000, texts[half:]))
    ]
    chosen = select("What options does kettle have?", [text_of(one) for one in passages], 5).chosen
    numbers = {(one.document_id, one.chunk_id): number for number, one in enumerate(passages, 1)}
    shown = "".join(compose(chosen, passages, numbers, frozenset()))
    assert shown.startswith(f"*OPTIONS* [1]:\n\n{told}")
    named = all(f"- `{name}`" in shown for name in names[:options])
    assert named and ("fire" in shown) is (options <= MOST_NAMED) if options <= MOST_TERMS else not named
