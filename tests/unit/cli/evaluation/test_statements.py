"""Sentences made by rule: what a source supports, and what it does not."""

import random

import pytest

from footnote_cli.evaluation.statements import (
    Statement,
    holds,
    new_parts,
    sentence_at,
    supported_statements,
    unsupported_statements,
    usable,
)

SENTENCE = (
    "We found that the virus was detected in 45% of the patients in Wuhan (n = 12), "
    "which suggests that transmission within families is rapid [12]."
)


def by_form(statements: list[Statement]) -> dict[str, str]:
    return {statement.form: statement.text for statement in statements}


def test_supported_forms_say_the_same_or_less() -> None:
    made = by_form(supported_statements(SENTENCE, "detected in 45% of the patients in Wuhan"))
    assert made["exact"] == SENTENCE.replace(" [12]", "")
    assert made["lead"].startswith("According to the source, we found that")
    assert made["short"] == "We found that the virus was detected in 45% of the patients in Wuhan."
    assert made["resolved"].startswith("The authors found")
    assert "identified in 45 percent of the sick people" in made["reworded"]
    assert made["answer"] == "Detected in 45% of the patients in Wuhan."
    assert all(statement.supported for statement in supported_statements(SENTENCE, "x"))


def test_unsupported_forms_differ_in_one_thing() -> None:
    made = by_form(
        unsupported_statements(SENTENCE, "Gulls steal bread.", ["Nairobi", "Wuhan"], random.Random(1))
    )
    assert "97%" in made["figure"] or "n = 31" in made["figure"]
    assert "Nairobi" in made["name"]
    assert "Wuhan" not in made["name"]
    assert "was not detected" in made["negated"]
    assert made["foreign"] == "Gulls steal bread."


def test_a_denial_is_negated_by_taking_it_away() -> None:
    made = by_form(
        unsupported_statements(
            "The masks did nothing and were not worn by all of them.", None, [], random.Random(1)
        )
    )
    assert made["negated"] == "The masks did nothing and were worn by all of them."
    assert "foreign" not in made


def test_the_same_seed_makes_the_same_sentences() -> None:
    names = ["Nairobi", "Oslo", "Perseus"]
    assert unsupported_statements(SENTENCE, None, names, random.Random(3)) == unsupported_statements(
        SENTENCE, None, names, random.Random(3)
    )


def test_what_is_new_in_a_statement_can_be_looked_for() -> None:
    assert new_parts(Statement("It hit Oslo and 77 others.", "name"), "It hit Wuhan and 12 others.") == {
        "Oslo",
        "77",
    }


def test_a_passage_holds_a_sentence_whatever_its_layout() -> None:
    assert holds("… the\nvirus was\nseen ⟦3⟧ , twice.", "The virus was seen, twice [3].")
    assert not holds("The virus was seen.", "The virus was not seen.")


def test_the_sentence_at_is_the_one_with_most_of_the_span() -> None:
    text = "One is here. Two is\nthere and far away. Three."
    start = text.index("there")
    assert sentence_at(text, (start, start + 9)) == "Two is there and far away."


WORDS = ["One", "of", "them", "was", "seen", "in", "Oslo", "by", "nine", "people"]


@pytest.mark.parametrize(
    ("sentence", "good"),
    [
        (SENTENCE[:-6] + ".", True),
        ("Table 2 45 12 33 21 9 8 7 6 5 4", False),
        (" ".join(WORDS) + ".", True),
        (" ".join(WORDS[1:]) + ".", False),
        (" ".join(WORDS * 8) + ".", True),
        (" ".join([*WORDS * 8, "twice"]) + ".", False),
    ],
    ids=["a sentence", "a scrap", "ten words", "nine words", "eighty words", "eighty-one words"],
)
def test_scraps_and_paragraphs_are_not_asked_about(sentence: str, good: bool) -> None:
    assert usable(sentence) is good


@pytest.mark.parametrize(("answer", "made"), [("in 45% of the patients", True), ("in 45% of the", False)])
def test_an_answer_of_less_than_five_words_says_too_little(answer: str, made: bool) -> None:
    assert ("answer" in by_form(supported_statements(SENTENCE, answer))) is made


def test_a_sentence_is_shortened_only_while_ten_words_are_left() -> None:
    tail = "which the paper calls a surprise."
    long = by_form(supported_statements(f"One of them was seen in Oslo by nine people, {tail}", "x"))
    assert long["short"] == "One of them was seen in Oslo by nine people."
    brief = by_form(supported_statements(f"It was seen in Oslo by nine people, {tail}", "x"))
    assert "short" not in brief
    assert tail in brief["exact"]


@pytest.mark.parametrize(
    ("sentence", "figure"),
    [("It ended in 1987 there.", "1990"), ("It took 2.5 hours there.", "6.3"), ("It hit 12 towns.", "31")],
)
def test_an_altered_figure_is_of_the_same_kind(sentence: str, figure: str) -> None:
    assert figure in by_form(unsupported_statements(sentence, None, [], random.Random(1)))["figure"]
