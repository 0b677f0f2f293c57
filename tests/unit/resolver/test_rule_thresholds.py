"""The numbers of the rules that compare a claim with a sentence, each just inside and just outside."""

from itertools import product

import pytest

from footnote_resolver.verification.comparisons import comparisons
from footnote_resolver.verification.judge import Claim, Premise, disputed
from footnote_resolver.verification.quotes import Wording, quotations
from footnote_resolver.verification.reading import read
from footnote_resolver.verification.substitution import substituted

FILLERS = [f"{one}{other}{one}{other}" for one, other in product("bcdfghklmnpr", "aeiou")]
"""Sixty words of which no two begin alike."""


class TestSubstitution:
    @pytest.mark.parametrize(
        ("claim", "sentence", "word"),
        [
            ("treasurer reported yearly deficit", "treasurer reported yearly surplus", "deficit"),
            ("treasurer reported deficit", "treasurer reported surplus", None),
            ("treasurer reported yearly fees", "treasurer reported yearly cost", "fees"),
            ("treasurer reported yearly fee", "treasurer reported yearly tax", None),
            ("treasurer reported yearly costing", "treasurer reported yearly costume", None),
            ("treasurer reported yearly coltings", "treasurer reported yearly costume", "coltings"),
        ],
    )
    def test_needs_three_shared_words_and_two_of_four_letters(
        self, claim: str, sentence: str, word: str | None
    ) -> None:
        assert substituted(claim, [sentence]) == word

    @pytest.mark.parametrize(("fillers", "word"), [(59, "deficit"), (60, None)])
    def test_is_looked_for_in_sentences_of_sixty_words(self, fillers: int, word: str | None) -> None:
        rest = " ".join(FILLERS[:fillers])
        assert substituted(f"deficit {rest}", [f"surplus {rest}"]) == word
        assert substituted(f"deficit {' '.join(FILLERS[:10])}", [f"surplus {rest}"]) == word

    @pytest.mark.parametrize(("between", "word"), [("alpha bravo", "killed"), ("alpha", None)])
    def test_exchanged_words_have_two_others_between_them(self, between: str, word: str | None) -> None:
        claim, sentence = f"killed {between} injured people", f"injured {between} killed people"
        assert substituted(claim, [sentence]) == word


class TestQuotations:
    @pytest.mark.parametrize(
        ("quoted", "verdict"),
        [
            # A part of two words has to stand there as a pair, and one of three in runs.
            ("alpha bravo ... delta echo", "stitched"),
            ("alpha bravo ... delta foxtrot", "fabricated"),
            ("delta echo ... alpha bravo charlie", "stitched"),
        ],
    )
    def test_short_parts_stand_word_for_word(self, quoted: str, verdict: str) -> None:
        passages = [Wording("alpha bravo charlie"), Wording("delta echo and foxtrot")]
        (found,) = quotations(f'She said "{quoted}" to him.', passages)
        assert found.verdict == verdict


class TestComparisons:
    @pytest.mark.parametrize(("between", "found"), [(8, True), (9, False)])
    def test_than_stands_within_ten_words(self, between: int, found: bool) -> None:
        sentence = f"Zinc is denser {' '.join(FILLERS[:between])} than lead."
        (comparison,) = comparisons(read(sentence))
        assert bool(comparison.right) is found


class TestLongPassages:
    @pytest.mark.parametrize(("length", "count"), [(48, 48), (49, 16)])
    def test_sixteen_sentences_of_more_than_48_are_read(self, length: int, count: int) -> None:
        passage = Premise(" ".join(f"The {word} is old." for word in FILLERS[:length]))
        readings, _ = passage.near(Claim("Nothing of it is said."))
        assert len(readings) == count


@pytest.mark.parametrize(
    ("claim", "against"),
    [
        ("The ferry leaves at the harbour in 1998.", False),
        ("The ferry leaves at the harbour in 1997.", True),
        ("The ferry leaves at the harbour.", False),
        ("Gulls sat there in 1997.", True),
        ("Gulls sat there.", False),
        ("The ferry never leaves at the harbour.", True),
        ("Captain Ruiz leaves at the harbour.", True),
        ('It "leaves at the old pier" in 1998.', True),
        ('It "leaves at the harbour" in 1998.', False),
    ],
)
def test_a_figure_a_name_a_negation_or_a_quotation_disputes_a_claim(claim: str, *, against: bool) -> None:
    assert disputed(Claim(claim), [Premise("The ferry leaves at the harbour in 1998.")]) is against
