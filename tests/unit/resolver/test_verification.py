"""What a passage holds of a sentence: figures, dates, names, quotations, words."""

import pytest

from footnote_resolver.verification.figures import figures, missing_figures, missing_names
from footnote_resolver.verification.judge import hold
from footnote_resolver.verification.quotes import quotations

LAUNCH = "We agreed to push the launch to March 10. Marketing will be notified next week."
REVENUE = (
    "Revenue in the third quarter was 4.2 million euros, up 12 percent. Anna Keller leads the team in Zurich."
)


@pytest.mark.parametrize(
    ("one", "other"),
    [("1,200 units", "1200 units"), ("4.2 million", "4,200,000"), ("5k users", "5000 users"), ("2026-03-10", "March 10, 2026"), ("10 March 2026", "2026-03-10"), ("12%", "12 percent"), ("€3.50", "3.5 euros")],
)  # fmt: skip
def test_spellings_of_one_figure_are_one(one: str, other: str) -> None:
    assert figures(one) == figures(other)


def test_markers_and_list_numbers_are_no_figures() -> None:
    assert figures("2. It is so [citation:7] ⟦12⟧") == set()


def test_a_figure_may_be_written_as_a_word_in_the_passage() -> None:
    assert not missing_figures("It has 3 parts.", "It has three parts.")
    assert missing_figures("It has 3 parts.", "It has two parts.") == {"3"}


def test_another_day_or_month_is_missing() -> None:
    assert missing_figures("It moved to March 12.", LAUNCH) == {"12"}
    assert missing_figures("It moved to April 10.", LAUNCH) == {"month 4"}
    assert not missing_figures("It moved to 10 March.", LAUNCH)


def test_names_are_looked_for_and_beginnings_of_sentences_are_not() -> None:
    assert missing_names("The lead is Bob Keller in Zurich.", REVENUE) == {"Bob"}
    assert missing_names("Bob Keller leads it.", REVENUE) == {"Bob"}
    assert missing_names("Leading the team is Anna Keller.", REVENUE) == set()


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ('They wrote "push the launch to March 10" there.', "verbatim"),
        ("They wrote “Push the Launch, to March 10” there.", "verbatim"),
        ('They wrote "We agreed to push … to March 10" there.', "verbatim"),
        ('They wrote "the launch will be notified next week" there.', "stitched"),
        ('They wrote "everybody is fully informed by now" there.', "fabricated"),
    ],
)
def test_quotations_are_compared_word_by_word(sentence: str, verdict: str) -> None:
    assert [quote.verdict for quote in quotations(sentence, [LAUNCH])] == [verdict]


def test_short_quoted_words_are_no_quotations() -> None:
    assert quotations('The "big launch" is late.', [LAUNCH]) == []


@pytest.mark.parametrize(
    ("sentence", "passage", "similarity", "support"),
    [
        ("The launch was pushed to March 10.", LAUNCH, 0.8, "supported"),
        ("The launch was pushed to March 12.", LAUNCH, 0.8, "unsupported"),
        ("Revenue was 5.2 million euros.", REVENUE, 0.8, "unsupported"),
        ("The team is led by Bob Keller.", REVENUE, 0.8, "weak"),
        ("Penguins live in the south.", LAUNCH, 0.1, "unsupported"),
        ("Marketing hears about this soon next week.", LAUNCH, 0.55, "weak"),
        ('They say "everybody is informed by now" about the launch.', LAUNCH, 0.9, "unsupported"),
        ("Marketing will be notified next week.", LAUNCH, 0.0, "supported"),
    ],
)
def test_support(sentence: str, passage: str, similarity: float, support: str) -> None:
    assert hold(sentence, [passage], similarity).support == support


def test_hostile_length_costs_in_proportion() -> None:
    hold('"' + "a b " * 140 + '"' + "1," * 2000, ["a b c " * 2000], 0.5)
