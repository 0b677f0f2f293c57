"""What a question wants counted, and which sentences count it."""

import pytest

from footnote_agent.engines.counted_things import counted_things, counts, lasts
from footnote_agent.engines.cues import cue_of
from footnote_agent.engines.quotable import PassageText
from footnote_agent.engines.salience import select

NUMBERS = frozenset({"four", "twelve"})


@pytest.mark.parametrize(
    ("question", "yes", "no"),
    [
        ("How many ropes are there?", "It has 12 ropes.", "The ropes have 12 knots."),
        ("How many ropes are there?", "It has twelve long wet ropes.", "It has 12 very long wet old ropes."),
        ("How many steel ropes can it hold?", "It holds 12 ropes of steel.", "It holds 12 ropes."),
        ("How many minutes before noon is it?", "It is 20 minutes ahead.", "It is 12 now."),
        ("How many ropes were made?", "1,200 ropes were made.", "In 1987 ropes were made."),
        ("How many very long wet old ropes?", "", "It has 12 very long wet old ropes."),
        ("How long is a rope?", "", "It has 12 ropes."),
        ("Wie viele Seile gibt es?", "", "Es gibt zwölf Seile."),
    ],
)
def test_a_sentence_counts_what_is_asked_for(question: str, yes: str, no: str) -> None:
    cue = cue_of(question, "de" if question.startswith("Wie") else "en")
    assert cue is not None
    assert not yes or cue.says(yes)
    assert not cue.says(no)


@pytest.mark.parametrize("between", [2, 3])
def test_few_words_stand_between_the_number_and_what_it_counts(between: int) -> None:
    assert counts(f"12 {'wet ' * between}ropes", ("rope",), NUMBERS) is (between == 2)


@pytest.mark.parametrize(("words", "clear"), [("thick wet ropes", True), ("thick old wet ropes", False)])
def test_what_is_counted_has_few_words(words: str, clear: bool) -> None:
    assert bool(counted_things(f"{words} are there")) is clear


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("It lasts 12 hours.", True),
        ("It lasts 90s.", True),
        ("It lasts four to twelve days.", True),
        ("It is at least 10 characters long.", True),
        ("It is kept forever.", True),
        ("It has 12 ropes.", False),
        ("It lasts for days.", False),
        ("Rope 12 was made by the mason a day ago.", False),
    ],
)
def test_how_long_is_told_with_a_unit(text: str, does: bool) -> None:
    assert lasts(text, NUMBERS) is does
    cue = cue_of("How long does it last?")
    assert cue is not None
    assert cue.holds(text) is does


def test_one_that_counts_just_what_is_asked_for_stands_alone() -> None:
    counting = "The harbour office has up to 35 ropes at the same time."
    beside = "The harbour office has old ropes at another time of the day."
    question = "How many ropes has the harbour office at the same time?"
    assert [
        one.text for one in select(question, [PassageText("d", 0, f"{beside} {counting}")], 5).chosen
    ] == [counting]
    other = "In the winter the harbour office has only 12 ropes at the same time."
    found = select(
        question, [PassageText("d", 0, f"{beside} {counting}"), PassageText("e", 0, other)], 5
    ).chosen
    assert {one.text for one in found} == {counting, other}
    weighing = counting.replace("35 ropes", "ropes of 35 kg")
    found = select(question, [PassageText("d", 0, f"{beside} {weighing}")], 5).chosen
    assert {one.text for one in found} == {beside, weighing}
