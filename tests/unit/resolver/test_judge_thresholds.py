"""Where the rules of verification turn: each tuned number has a case just inside it and one just outside."""

import pytest

from footnote_resolver.verification.entailment import combined, excerpt
from footnote_resolver.verification.figures import figures
from footnote_resolver.verification.judge import Claim, Holding, Premise, disputed, hold
from footnote_resolver.verification.missing import missing
from footnote_resolver.verification.names import missing_names, names
from footnote_resolver.verification.polarity import contrary
from footnote_resolver.verification.quotes import Wording, quotations
from footnote_resolver.verification.words import tokens
from footnote_shared.models.cross_encoder import Entailment
from tests.unit.resolver.plain_words import PLAIN, other, some


def support(claim: str, *passages: str, similarity: float = 1.0) -> str:
    return hold(Claim(claim), [Premise(text) for text in passages], similarity).support


class TestScores:
    @pytest.mark.parametrize(
        ("similarity", "expected"), [(0.61, "supported"), (0.60, "supported"), (0.59, "weak")]
    )
    def test_the_mean_of_cosine_and_words_supports_from_060_on(
        self, similarity: float, expected: str
    ) -> None:
        assert support(some(10), other(4, some(6)), similarity=similarity) == expected

    @pytest.mark.parametrize(("similarity", "expected"), [(0.50, "weak"), (0.49, "unsupported")])
    def test_under_045_it_says_nothing(self, similarity: float, expected: str) -> None:
        assert support(some(10), other(4, some(4)), similarity=similarity) == expected

    @pytest.mark.parametrize(
        ("shared", "of", "expected"), [(9, 10, "supported"), (8, 9, "unsupported"), (10, 10, "supported")]
    )
    def test_nine_words_of_ten_need_no_cosine(self, shared: int, of: int, expected: str) -> None:
        assert support(some(of), some(shared), similarity=0.0) == expected

    def test_a_doubt_needs_a_score_that_supports(self) -> None:
        """A name that no passage has: weak from 0.60 on, below that nothing."""
        claim = f"{some(9)} Zanzibar"
        assert support(claim, some(6), similarity=0.60) == "weak"
        assert support(claim, some(6), similarity=0.58) == "unsupported"

    def test_a_negative_cosine_is_no_worse_than_none(self) -> None:
        held = [hold(Claim(some(10)), [Premise(some(5))], cosine).score for cosine in (-1.0, 0.0)]
        assert held[0] == held[1]

    def test_what_is_unsupported_scores_half(self) -> None:
        """Less than any passage that supports a little."""
        assert hold(Claim(some(10)), [Premise(other(4, some(4)))], 0.48).score == pytest.approx(0.22)
        replaced = hold(Claim(f"{some(9)} 12."), [Premise(f"{some(9)} 14.")], 0.5)
        assert replaced.support == "unsupported"
        assert replaced.score == pytest.approx(0.45)


class TestLongPassages:
    """Beyond 48 sentences those are read that share most words with the claim, each with the one before."""

    CLAIM = Claim("The harbour was quiet.")

    @staticmethod
    def told(count: int) -> Premise:
        """So many sentences; every third shares words with the claim."""
        lines = (
            f"The harbour was quiet {n} times." if n % 3 == 2 else f"Rain fell on day {n}."
            for n in range(count)
        )
        return Premise(" ".join(lines))

    def test_48_sentences_are_read_whole(self) -> None:
        assert len(self.told(48).near(self.CLAIM)[0]) == 48

    def test_of_a_longer_one_sixteen_are_read_and_the_ones_before_them(self) -> None:
        passage = self.told(52)
        read = passage.near(self.CLAIM)[0]
        assert len(passage.sentences) == 52
        assert len(read) == 32
        assert support("The harbour was quiet 47 times.", passage.text) == "supported"

    def test_the_first_sentence_has_none_before_it(self) -> None:
        passage = Premise(" ".join(["The harbour was quiet.", *["Rain fell on us."] * 50]))
        assert len(passage.near(self.CLAIM)[0]) == 16


class TestTwins:
    """A sentence that says the same with a different figure, while the right one stands somewhere else."""

    @pytest.mark.parametrize(("shared", "expected"), [(17, "unsupported"), (16, "weak")])
    def test_seventeen_words_of_twenty_make_a_twin(self, shared: int, expected: str) -> None:
        claim = f"{some(20)} 12."
        assert support(claim, f"{some(shared)} 14. {some(20, start=40)} 12.") == expected

    @pytest.mark.parametrize(("count", "expected"), [(4, "unsupported"), (3, "weak")])
    def test_a_claim_of_three_words_has_none(self, count: int, expected: str) -> None:
        claim = f"{some(count)} 12."
        assert support(claim, f"{some(count)} 14. {some(20, start=40)} 12.") == expected

    def test_one_twin_with_the_figure_is_enough(self) -> None:
        assert support(f"{some(8)} 12.", f"{some(8)} 14. {some(8)} 12.") == "supported"


class TestContraries:
    @pytest.mark.parametrize(("shared", "expected"), [(10, "weak"), (9, "supported")])
    def test_a_sentence_with_half_of_the_words_can_contradict(self, shared: int, expected: str) -> None:
        assert support(some(20), f"not {some(shared)}.") == expected

    def test_of_sentences_that_tie_one_that_says_all_of_it_prevails(self) -> None:
        denied, said = f"Not {some(8)}.", f"{some(8)}."
        assert support(some(8), denied, denied) == "weak"
        assert support(some(8), denied, said) == "supported"

    def test_one_that_shares_as_many_words_does_not_outvote_a_denial(self) -> None:
        claim = "The drug reduced mortality in hospital."
        assert (
            support(claim, "The drug did not reduce mortality. The drug reduced stays in hospital.") == "weak"
        )

    @pytest.mark.parametrize(("between", "expected"), [(2, True), (3, False)])
    def test_a_negation_reaches_three_words(self, between: int, *, expected: bool) -> None:
        assert contrary("lamp", [f"not {some(between, start=10)} lamp"]) is expected

    @pytest.mark.parametrize(
        "mark",
        [
            ".",
            ";",
            ":",
            ",",
            "(",
            ")",
            "!",
            "?",
            " but",
            " although",
            " though",
            " whereas",
            " however",
            " while",
        ],
    )
    def test_a_negation_ends_with_its_clause(self, mark: str) -> None:
        assert contrary("lamp", ["not lamp"])
        assert not contrary("lamp", [f"not{mark} lamp"])

    @pytest.mark.parametrize(
        ("word", "denied"),
        [
            ("stable", "unstable"),
            ("accurate", "inaccurate"),
            ("possible", "impossible"),
            ("regular", "irregular"),
            ("legal", "illegal"),
            ("toxic", "nontoxic"),
            ("honest", "dishonest"),
        ],
    )
    def test_a_prefix_denies(self, word: str, denied: str) -> None:
        assert contrary(f"It is {word}", [f"It is {denied}"])
        assert contrary(f"It is {denied}", [f"It is {word}"])

    def test_a_prefix_of_a_short_word_does_not(self) -> None:
        assert contrary("It is fair", ["It is unfair"])
        assert not contrary("It is fit", ["It is unfit"])

    def test_words_on_both_sides_or_denied_are_no_contraries(self) -> None:
        assert contrary("Sales increased", ["Sales decreased"])
        assert not contrary("Sales increased", ["Sales increased and decreased"])
        assert not contrary("Sales increased", ["Sales have not decreased"])
        assert not contrary("Sales increased", [])

    @pytest.mark.parametrize(
        ("one", "opposite"),
        [("more", "less"), ("most", "least"), ("before", "after"), ("above", "below"), ("over", "under")],
    )
    def test_function_words_with_an_opposite_are_compared(self, one: str, opposite: str) -> None:
        assert contrary(f"lamp {one} river", [f"lamp {opposite} river"])


class TestFigures:
    @pytest.mark.parametrize(
        ("wanted", "given", "found"),
        [
            ("about 1,000", "1,060", True),
            ("about 1,000", "1,061", False),
            ("about 1,000", "940", True),
            ("about 1,000", "939", False),
            ("nearly 1,000", "940", True),
            ("nearly 1,000", "939", False),
            ("nearly 1,000", "1,001", False),
            ("over 1,000", "1,060", True),
            ("over 1,000", "1,061", False),
            ("over 1,000", "999", False),
        ],
    )
    def test_a_hedge_leaves_six_percent_of_room(self, wanted: str, given: str, *, found: bool) -> None:
        assert (not missing(figures(wanted), figures(given, to_find=True))) is found

    @pytest.mark.parametrize(
        "hedge",
        [
            "about",
            "around",
            "approximately",
            "approx.",
            "approx",
            "roughly",
            "some",
            "circa",
            "ca.",
            "ca",
            "close to",
            "~",
            "≈",
        ],
    )
    def test_every_hedge_is_known(self, hedge: str) -> None:
        for given in ("96", "104"):
            assert not missing(figures(f"{hedge} 100"), figures(given, to_find=True))

    @pytest.mark.parametrize(
        ("hedge", "given"),
        [
            ("nearly", "96"),
            ("almost", "96"),
            ("just under", "96"),
            ("over", "104"),
            ("more than", "104"),
            ("just over", "104"),
        ],
    )
    def test_a_hedge_to_one_side_is_known(self, hedge: str, given: str) -> None:
        assert not missing(figures(f"{hedge} $100"), figures(f"${given}", to_find=True))
        assert missing(figures(f"{hedge} $100"), figures(f"${200 - int(given)}", to_find=True))

    @pytest.mark.parametrize(
        ("wanted", "given", "found"),
        [
            ("52 weeks", "1 year", True),
            ("365 days", "1 year", True),
            ("8,734 hours", "1 year", True),
            ("8,730 hours", "1 year", False),
            ("12 months", "1 year", True),
            ("30 days", "1 month", False),
        ],
    )
    def test_calendars_agree_within_four_in_a_thousand(self, wanted: str, given: str, *, found: bool) -> None:
        assert (not missing(figures(wanted), figures(given, to_find=True))) is found

    @pytest.mark.parametrize(("given", "found"), [("10,000,010 g", True), ("10,000,011 g", False)])
    def test_other_figures_agree_to_a_millionth(self, given: str, *, found: bool) -> None:
        assert (not missing(figures("10,000,000 g"), figures(given, to_find=True))) is found

    @pytest.mark.parametrize(
        ("given", "found"), [("12.5", True), ("12.6", False), ("11.5", True), ("11.4", False)]
    )
    def test_a_rounded_number_stands_for_the_exact_one(self, given: str, *, found: bool) -> None:
        assert (not missing(figures("12"), figures(given, to_find=True))) is found
        assert missing(figures("12.3"), figures("12", to_find=True))

    def test_the_first_sixty_four_figures_are_looked_for(self) -> None:
        row = "; ".join(str(1000 + n) for n in range(65))
        assert len(missing(figures(row), figures(""))) == 64

    @pytest.mark.parametrize("scale", ["°C", "°F", "degrees"])
    def test_cold_is_not_warm(self, scale: str) -> None:
        assert missing(figures(f"5 {scale}"), figures(f"-5 {scale}", to_find=True))
        assert not missing(figures("5 km"), figures("-5 km", to_find=True))

    @pytest.mark.parametrize(
        ("wanted", "given"), [("5 pp", "5 percent"), ("5 °C", "5 degrees"), ("70 °F", "70 degrees")]
    )
    def test_one_sign_may_mean_two_dimensions(self, wanted: str, given: str) -> None:
        assert not missing(figures(wanted), figures(given, to_find=True))
        assert missing(figures("5 °C"), figures("5 °F", to_find=True))

    @pytest.mark.parametrize("unit", ["EUR", "USD", "GBP", "CHF", "JPY", "INR", "%"])
    def test_things_are_not_money(self, unit: str) -> None:
        assert missing(figures("12 patients"), figures(f"12 {unit}", to_find=True))
        assert not missing(figures("12"), figures(f"12 {unit}", to_find=True))


class TestNames:
    @pytest.mark.parametrize(
        ("name", "text", "held"),
        [
            ("Bob", "nobody", False),
            ("Al", "nobody", True),
            ("Smith", "the smiths", True),
            ("Bond", "the bonds", False),
            ("German", "germanies", True),
            ("Kellermann", "kellermaxxxxx", True),
            ("Kellermann", "kellermaxxxxxx", False),
            ("Smithers", "smither", True),
            ("Kellermann", "kellerma", True),
            ("Kellermann", "kellerm", False),
            ("COVID19", "COVID-19", True),
            ("Le-Mans", "lemans24", True),
            ("Le-Ma", "lemabc", False),
        ],
    )
    def test_forms_of_a_name_share_their_beginning(self, name: str, text: str, *, held: bool) -> None:
        lacking = missing_names(names(f"It was {name} there."), text, frozenset(tokens(text)))
        assert (not lacking) is held


class TestQuotations:
    @pytest.mark.parametrize(
        ("quoted", "count"), [("a b c de", 1), ("a b c d", 0), ("lamp river", 0), ("lamp river fox", 1)]
    )
    def test_eight_characters_and_three_words_make_one(self, quoted: str, count: int) -> None:
        assert len(quotations(f'He said "{quoted}" there.', [])) == count

    @pytest.mark.parametrize(("length", "count"), [(600, 1), (601, 0)])
    def test_six_hundred_characters_are_the_longest(self, length: int, count: int) -> None:
        quoted = "lamp " * 119 + "x" * (length - 595)
        assert len(quotations(f'He said "{quoted}" there.', [])) == count

    @pytest.mark.parametrize(
        ("runs", "verdict"),
        [
            ((3, 3, 2, 2), "stitched"),
            ((5, 2, 2), "fabricated"),
            ((2, 2), "fabricated"),
            ((3, 1), "fabricated"),
        ],
    )
    def test_six_words_of_ten_must_stand_in_runs_of_three(self, runs: tuple[int, ...], verdict: str) -> None:
        """Each run stands in the passage, and a foreign word between it and the next."""
        at = 0
        passage: list[str] = []
        quoted: list[str] = []
        for run in reversed(runs):
            passage += [*PLAIN[at : at + run], "foreign"]
            quoted[:0] = PLAIN[at : at + run]
            at += run
        found = quotations(f'He said "{" ".join(quoted)}" there.', [Wording(" ".join(passage))])
        assert [quote.verdict for quote in found] == [verdict]

    @pytest.mark.parametrize(
        ("passage", "verdict"),
        [("lamp river. stone cloud", "stitched"), ("river lamp. stone cloud", "fabricated")],
    )
    def test_a_part_of_two_words_must_stand_as_it_is(self, passage: str, verdict: str) -> None:
        found = quotations('He said "stone cloud ... lamp river" there.', [Wording(passage)])
        assert [quote.verdict for quote in found] == [verdict]

    @pytest.mark.parametrize("words", [7, 8])
    def test_a_word_that_stands_nowhere_is_not_carried_by_those_around_it(self, words: int) -> None:
        passage = Wording(f"It was {some(words)} then, and {some(3, start=20)} now.")
        quoted = f"Zanzibar {some(words)} {some(3, start=20)}"
        (quote,) = quotations(f'He said "{quoted}" there.', [passage])
        assert quote.verdict == "fabricated"


class TestEntailment:
    @pytest.mark.parametrize(("probability", "expected"), [(0.70, "supported"), (0.69, "weak")])
    def test_it_lifts_from_070_on(self, probability: float, expected: str) -> None:
        assert combined(Holding("weak", 0.5), [Entailment(probability, 0.0)]).support == expected

    @pytest.mark.parametrize(("probability", "expected"), [(0.70, "unsupported"), (0.69, "supported")])
    def test_it_lowers_from_070_on(self, probability: float, expected: str) -> None:
        assert combined(Holding("supported", 0.8), [Entailment(0.0, probability)]).support == expected

    def test_what_is_lifted_scores_as_supported(self) -> None:
        lifted = combined(Holding("weak", 0.5), [Entailment(0.9, 0.0)])
        lowered = combined(Holding("supported", 0.8), [Entailment(0.0, 0.9)])
        assert (lifted.score, round(lowered.score, 3)) == (0.9, 0.1)

    @pytest.mark.parametrize(("length", "whole"), [(1200, True), (1201, False)])
    def test_a_passage_of_1200_characters_is_read_whole(self, length: int, *, whole: bool) -> None:
        text = "One lamp is here. " * 80
        text = text[: length - 1] + "."
        assert (excerpt(Premise(text), Claim("A river.")) == text) is whole

    def test_an_excerpt_grows_to_1200_characters(self) -> None:
        text = " ".join(f"Sentence {n:03} is of lamps." for n in range(100))
        read = excerpt(Premise(text), Claim("Sentence 050."))
        assert 1150 <= len(read) <= 1200


def test_whatever_is_not_verbatim_is_disputed() -> None:
    passage = Premise("The lamp is by the river and the stone is under a cloud.")
    assert not disputed(Claim('It says "the lamp is by the river" there.'), [passage])
    assert disputed(Claim('It says "the lamp is under a cloud" there.'), [passage])
    assert disputed(Claim('It says "the lamp was never lit at all" there.'), [passage])
