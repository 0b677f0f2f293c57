"""A sentence is read into facts: no word is lost, nothing is raised, and a copy is not disputed."""

from hypothesis import given
from hypothesis import strategies as st

from footnote_resolver.verification.disputes import dispute, facts_of
from footnote_resolver.verification.judge import Claim, Premise, hold
from footnote_resolver.verification.reading import read

WORDS = [
    "the",
    "a",
    "Acme",
    "Zenith",
    "bought",
    "sold",
    "was",
    "were",
    "has",
    "been",
    "by",
    "from",
    "to",
    "in",
    "2019",
    "2020",
    "7",
    "5",
    "million",
    "euros",
    "MW",
    "mW",
    "and",
    "but",
    ",",
    ";",
    ".",
    "which",
    "who",
    "because",
    "after",
    "before",
    "than",
    "larger",
    "slower",
    "more",
    "less",
    "not",
    "never",
    "no",
    "all",
    "some",
    "most",
    "few",
    "may",
    "must",
    "should",
    "can",
    "it",
    "they",
    "its",
    "drug",
    "placebo",
    "patients",
    "mortality",
    "reduced",
    "caused",
    "led",
    "respectively",
    "(",
    ")",
    "first",
    "second",
    "half",
    "that",
    "if",
    "is",
]
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=30).map(" ".join)


@given(sentences)
def test_every_word_is_in_one_fact_in_order(text: str) -> None:
    reading = read(text)
    placed = [word.start for fact in reading.facts for word in fact.words if word.counts]
    assert sorted(placed) == [word.start for word in reading.words if word.counts]


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_is_judged(claim: str, passage: str) -> None:
    hold(Claim(claim), [Premise(passage)], 0.9)


@given(sentences)
def test_a_copy_is_not_disputed(text: str) -> None:
    reading = read(text)
    assert dispute([reading], [reading], facts_of([reading])) is None


def test_a_long_passage_is_read_where_it_is_near() -> None:
    other = " ".join(f"Lamp {number} burns in the hall." for number in range(400))
    passage = f"{other} Acme bought Zenith in 2019. {other}"
    assert hold(Claim("Zenith was bought by Acme in 2019."), [Premise(passage)], 0.9).support == "supported"
    assert hold(Claim("Zenith bought Acme in 2019."), [Premise(passage)], 0.9).support == "weak"
