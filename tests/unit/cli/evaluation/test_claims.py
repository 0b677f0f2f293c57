"""Sentences made by rule: what a source supports, and what it does not."""

import random

import pytest

from footnote_cli.evaluation.claims import (
    Claim,
    gold_sentence,
    holds,
    new_parts,
    supported_claims,
    unsupported_claims,
    usable,
)

SENTENCE = (
    "We found that the virus was detected in 45% of the patients in Wuhan (n = 12), "
    "which suggests that transmission within families is rapid [12]."
)


def by_form(claims: list[Claim]) -> dict[str, str]:
    return {claim.form: claim.text for claim in claims}


def test_supported_forms_say_the_same_or_less() -> None:
    made = by_form(supported_claims(SENTENCE, "detected in 45% of the patients in Wuhan"))
    assert made["exact"] == SENTENCE.replace(" [12]", "")
    assert made["lead"].startswith("According to the source, we found that")
    assert made["short"] == "We found that the virus was detected in 45% of the patients in Wuhan."
    assert made["resolved"].startswith("The authors found")
    assert "identified in 45 percent of the sick people" in made["reworded"]
    assert made["answer"] == "Detected in 45% of the patients in Wuhan."
    assert all(claim.supported for claim in supported_claims(SENTENCE, "x"))


def test_unsupported_forms_differ_in_one_thing() -> None:
    made = by_form(unsupported_claims(SENTENCE, "Gulls steal bread.", ["Nairobi", "Wuhan"], random.Random(1)))
    assert "97%" in made["figure"] or "n = 31" in made["figure"]
    assert "Nairobi" in made["name"]
    assert "Wuhan" not in made["name"]
    assert "was not detected" in made["negated"]
    assert made["foreign"] == "Gulls steal bread."


def test_a_denial_is_negated_by_taking_it_away() -> None:
    made = by_form(
        unsupported_claims(
            "The masks did nothing and were not worn by all of them.", None, [], random.Random(1)
        )
    )
    assert made["negated"] == "The masks did nothing and were worn by all of them."
    assert "foreign" not in made


def test_the_same_seed_makes_the_same_sentences() -> None:
    names = ["Nairobi", "Oslo", "Perseus"]
    assert unsupported_claims(SENTENCE, None, names, random.Random(3)) == unsupported_claims(
        SENTENCE, None, names, random.Random(3)
    )


def test_what_is_new_in_a_claim_can_be_looked_for() -> None:
    assert new_parts(Claim("It hit Oslo and 77 others.", "name"), "It hit Wuhan and 12 others.") == {
        "Oslo",
        "77",
    }


def test_a_passage_holds_a_sentence_whatever_its_layout() -> None:
    assert holds("… the\nvirus was\nseen ⟦3⟧ , twice.", "The virus was seen, twice [3].")
    assert not holds("The virus was seen.", "The virus was not seen.")


def test_the_gold_sentence_is_the_one_with_most_of_the_span() -> None:
    text = "One is here. Two is\nthere and far away. Three."
    start = text.index("there")
    assert gold_sentence(text, (start, start + 9)) == "Two is there and far away."


@pytest.mark.parametrize(("sentence", "good"), [(SENTENCE[:-6] + ".", True), ("Table 2 45 12 33 21 9 8 7 6 5 4", False), ("Short one.", False)])  # fmt: skip
def test_scraps_are_not_asked_about(sentence: str, good: bool) -> None:
    assert usable(sentence) is good
