"""How well a fact must fit a claim, each number between two cases that are close to it.

Shared words count one each. What a fact takes over from the one before it counts half, and the same verb adds
a half.
"""

import pytest

from footnote_resolver.verification import grammar
from footnote_resolver.verification.bindings import misplaced
from footnote_resolver.verification.disputes import dispute, facts_of
from footnote_resolver.verification.reading import read
from footnote_resolver.verification.strength import modality


def belongs_elsewhere(claim: str, *sentences: str) -> str | None:
    """The word of the claim that belongs to another fact."""
    (fact,) = read(claim).facts
    return misplaced(fact, [one for sentence in sentences for one in read(sentence).facts])


def disputed_by(claim: str, sentence: str) -> str | None:
    passage = [read(sentence)]
    return dispute([read(claim)], passage, facts_of(passage))


class TestAFigureOfAnotherFact:
    """The sentence with the figure of the claim fits worse by a half than one with another figure."""

    def test_shows_where_the_verb_alone_makes_the_other_sentence_fit_better(self) -> None:
        assert (
            belongs_elsewhere("Ferries carried 7 lamps.", "Ferries had 7 lamps.", "Ferries carried 5 boats.")
            == "7"
        )

    def test_shows_where_the_other_sentence_has_two_words_more_and_not_the_verb(self) -> None:
        assert (
            belongs_elsewhere(
                "Ferries carried 7 lamps in Bruges.", "Ferries carried 7.", "Ferries had 5 lamps in Bruges."
            )
            == "7"
        )

    def test_shows_where_the_other_clause_has_the_verb_from_the_one_before_it(self) -> None:
        assert (
            belongs_elsewhere(
                "Ferries carried 7 lamps in Bruges.",
                "Ferries had 7 lamps in Bruges.",
                "Ferries carried 5 nets in Ghent, and 3 lamps in Bruges.",
            )
            == "7"
        )

    def test_shows_where_its_own_clause_only_takes_a_word_from_the_one_before_it(self) -> None:
        assert (
            belongs_elsewhere(
                "Ferries had 7 lamps in Bruges at night.",
                "Ferries took 5 nets at night, and 7 lamps in Bruges.",
                "Ferries took 3 lamps in Bruges at night.",
            )
            == "7"
        )

    def test_does_not_show_where_its_own_sentence_fits_best(self) -> None:
        assert (
            belongs_elsewhere(
                "Ferries carried 7 lamps.", "Ferries carried 7 lamps at night.", "Ferries carried 5 boats."
            )
            is None
        )


@pytest.mark.parametrize(("sentence", "reason"), [("Boats may land.", "modality"), ("Boats may sail.", None)])
def test_a_permission_is_no_duty_where_the_verb_is_the_same(sentence: str, reason: str | None) -> None:
    assert disputed_by("Gulls must land.", sentence) == reason


@pytest.mark.parametrize(
    ("share", "reason"), [("of the 25 ships", "quantity"), ("of those over 25 ships", None)]
)
def test_a_share_is_of_what_is_named_within_four_words(share: str, reason: str | None) -> None:
    assert disputed_by(f"All {share} sank.", f"Some {share} sank.") == reason


@pytest.mark.parametrize(
    ("sentence", "degree"),
    [
        ("Never at night may gulls land.", grammar.FORBIDDEN),
        ("Never on dark nights may gulls land.", grammar.POSSIBLE),
        ("Gulls may also not land.", grammar.FORBIDDEN),
        ("Gulls may also really not land.", grammar.POSSIBLE),
    ],
)
def test_a_negation_denies_a_permission_three_words_behind_it_or_two_before(
    sentence: str, degree: int
) -> None:
    (fact,) = read(sentence).facts
    assert modality(fact) == degree
