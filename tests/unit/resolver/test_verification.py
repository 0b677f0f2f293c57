"""What passages hold of a sentence: figures, dates, names, negation, quotations, words."""

import asyncio
import json
import threading
from collections.abc import ItemsView, Sequence
from pathlib import Path
from typing import Any

import pytest

from footnote_resolver.sentences.vectors import SentenceVectors
from footnote_resolver.verification.figures import figures
from footnote_resolver.verification.judge import Claim, Premise, hold
from footnote_resolver.verification.missing import MissingFigure, missing
from footnote_resolver.verification.names import missing_names, names
from footnote_resolver.verification.quotes import Wording, quotations
from footnote_resolver.verification.verify import NamedPassage, Verifier, are_few_pairs
from footnote_resolver.verification.words import tokens
from footnote_shared.embedding.protocol import Embedder, Vectors
from footnote_shared.kernel.errors import Misconfigured
from footnote_testing.fake_embedder import FakeEmbedder

CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name("verification_cases.jsonl").read_text("utf-8").splitlines()
]
LAUNCH = "We agreed to push the launch to March 10. Marketing will be notified next week."
COMET = "The comet Halvorsen returns every 71 years. Its tail is green."


@pytest.mark.parametrize("case", CASES, ids=[f"{case['group']}: {case['sentence'][:60]}" for case in CASES])
def test_a_sentence_gets_its_verdict(case: dict[str, Any]) -> None:
    """The cases are in verification_cases.jsonl; their similarities are what the bundled model gave."""
    held = hold(Claim(case["sentence"]), [Premise(text) for text in case["passages"]], case["similarity"])
    assert held.support == case["verdict"], held


def test_the_table_covers_what_is_promised() -> None:
    groups = [case["group"] for case in CASES]
    assert len(CASES) >= 60
    assert {group: groups.count(group) >= 3 for group in groups} == dict.fromkeys(groups, True)
    assert {case["verdict"] for case in CASES} == {"supported", "weak", "unsupported"}


SAME = [
    ("1,200 units", "1200 units"),
    ("1.200 Euro", "1,200 euros"),
    ("4.2 million", "4,200,000"),
    ("5k users", "5000 users"),
    ("2026-03-10", "March 10, 2026"),
    ("10 March 2026", "2026-03-10"),
    ("10.03.2026", "March 10, 2026"),
    ("3/10/2026", "3 October 2026"),
    ("3/10/2026", "March 10, 2026"),
    ("12%", "12 percent"),
    ("12％", "12 per cent"),
    ("€3.50", "3.5 euros"),
    ("$5m", "5 million dollars"),
    ("60 minutes", "1 hour"),
    ("500 m", "0.5 km"),
    ("two hundred and five thousand", "205,000"),
    ("3 parts", "three parts"),
    ("2:30 pm", "14:30"),
    ("noon", "12:00"),
    ("Q3", "the third quarter"),
    ("the 1990s", "in 1990"),
    ("10-20 %", "between 10 and 20 percent"),
    ("March 10-12", "from March 10 to March 12"),
    ("about 100,000", "103,421"),
    ("12", "12.3"),
    ("−5 °C", "-5 degrees"),
    ("1500 patients", "1,500 patients"),
    ("a dozen eggs", "12 eggs"),
    ("in May", "on 3 May 2020"),
    ("19 people", "COVID-19"),
]
OTHER = [
    ("12 percent", "12 patients"),
    ("5 mg", "5 g"),
    ("12.3", "12"),
    ("5 euros", "5 dollars"),
    ("March 12", "March 10 and April 12"),
    ("Monday", "Tuesday"),
    ("2021", "2020"),
    ("5 °C", "-5 °C"),
    ("4 parts", "three parts"),
    ("four parts", "3 parts"),
    ("about 100", "120"),
    ("Q2", "Q3"),
    ("Table 3", "Table 2"),
    ("2.4 million", "2.4 billion"),
]


def lacks(sentence: str, passage: str) -> list[MissingFigure]:
    return missing(figures(sentence), figures(passage, to_find=True))


def figures_lacking(sentence: str, passage: str) -> set[str]:
    return {one.written for one in lacks(sentence, passage) if not one.mixed}


@pytest.mark.parametrize(("wanted", "given"), SAME)
def test_one_figure_in_two_spellings_is_found(wanted: str, given: str) -> None:
    assert figures_lacking(wanted, given) == set()


@pytest.mark.parametrize(("wanted", "given"), OTHER)
def test_another_figure_is_missing(wanted: str, given: str) -> None:
    assert len(figures_lacking(wanted, given)) == 1


def test_markers_list_numbers_and_digits_in_names_are_no_figures() -> None:
    assert len(figures("2. It is so [citation:7] ⟦12⟧ with COVID-19, H1N1 and v2.3.1")) == 0


def test_figures_that_changed_places_are_told_from_missing_ones() -> None:
    found = lacks("5 patients and 12 controls were seen.", "12 patients and 5 controls")
    assert [lack.mixed for lack in found] == [True, True]
    assert figures_lacking("5 patients and 12 controls were seen.", "12 patients and 5 controls") == set()


def lacking(sentence: str, passage: str) -> set[str]:
    return missing_names(names(sentence), passage, frozenset(tokens(passage)))


def test_names_are_looked_for_and_beginnings_of_sentences_are_not() -> None:
    text = "Anna Keller leads the team in Zurich. The World Health Organization met in Germany."
    assert lacking("The lead is Bob Keller in Zürich.", text) == {"Bob"}
    assert lacking("Bob Keller leads it.", text) == {"Bob"}
    assert lacking("Leading the team is Anna Keller.", text) == set()
    assert lacking("The WHO and a German team met.", text) == set()
    assert lacking("In the U.S. team COVID19 was seen.", "the US, COVID-19") == set()
    assert lacking("The FBI met the Kellers on Monday in May.", text) == {"FBI"}


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ('They wrote "push the launch to March 10" there.', "verbatim"),
        ("They wrote “Push the Launch, to March 10” there.", "verbatim"),
        ('They wrote "We agreed to push … to March 10" there.', "verbatim"),
        ('They wrote "We agreed to push [it] to March 10" there.', "verbatim"),
        ('They wrote "[w]e agreed to push the launch" there.', "verbatim"),
        ("They wrote 'we agreed to push the launch' there.", "verbatim"),
        ("They wrote „Marketing will be notified“ there.", "verbatim"),
        ('They wrote "the launch will be notified next week" there.', "stitched"),
        ('They wrote "everybody is fully informed by now" there.', "fabricated"),
        ('They wrote "the launch to be next to the week" there.', "fabricated"),
    ],
)
def test_quotations_are_compared_word_by_word(sentence: str, verdict: str) -> None:
    assert [quote.verdict for quote in quotations(sentence, [Wording(LAUNCH)])] == [verdict]


def test_what_is_quoted_across_a_hyphenated_line_is_verbatim() -> None:
    found = quotations(
        'It says "the vaccination of children" here.', [Wording("the vacci-\nnation of children")]
    )
    assert [quote.verdict for quote in found] == ["verbatim"]


def test_short_quoted_words_and_titles_are_no_quotations() -> None:
    assert quotations('The "big launch" is late.', [Wording(LAUNCH)]) == []
    assert quotations('See "Notes on the Launch" for it.', [Wording(LAUNCH)], "Notes on the Launch") == []


def test_a_name_or_a_year_may_stand_in_the_title_alone() -> None:
    source = Premise(LAUNCH, "Zephyr launch notes 2026")
    assert (
        hold(Claim("The launch of Zephyr was pushed to March 10, 2026."), [source], 0.8).support
        == "supported"
    )


def test_hostile_texts_are_judged() -> None:
    sentences = [
        '"' + "a b " * 140 + '"' + "1," * 2000,
        "one and " * 3000,
        "[" * 5000,
        "-" * 5000 + "1",
        "A" * 9000,
        "March " * 2000,
        "(" * 999 + "5 mg",
        "no not " * 2000,
        "A" + " " * 9000 + "A of" + " -" * 4000,
        "12 34.5 " * 2000,
        "\u0000\ud800",
    ]
    claims = [Claim(text) for text in sentences]
    for source in [Premise(text) for text in ("a b c " * 2000, *sentences)]:
        for claim in claims:
            hold(claim, [source], 0.5)


def verifier(load: Any = FakeEmbedder, timeout_s: float = 30.0) -> Verifier:
    return Verifier(SentenceVectors(load), timeout_s)


async def test_the_better_passage_of_a_misattributed_sentence_is_named() -> None:
    text = (
        "The launch was pushed to March 10 [citation:1]. The tail of the comet is green [citation:1]. "
        "Penguins swim south [citation:2]."
    )
    found = await verifier().check(text, {1: LAUNCH, 2: COMET})
    assert found is not None
    assert [(one.verdict, one.better) for one in found.sentences] == [
        ("supported", None),
        ("misattributed", 2),
        ("unsupported", None),
    ]
    assert all(text[one.sentence.start : one.sentence.end] == one.sentence.text for one in found.sentences)


PRICES = "| dish | staff | guests |\n|---|---|---|\n| Soup | 2.80 | 3.50 |\n| Main course | 5.90 | 7.80 |"


async def test_a_table_is_judged_row_by_row_and_a_row_is_as_good_as_its_worst_cell() -> None:
    text = (
        "The canteen asks:\n\n| dish | staff | guests |\n|---|---|---|\n"
        "| Main course | 5.90 | 7.80 [citation:1] |\n| Soup | 2.80 | 3.80 [citation:1] |\n"
        "| Comet | green [citation:1] | |"
    )
    found = await verifier().check(text, {1: PRICES, 2: COMET}, {1: "", 2: ""})
    assert found is not None
    assert [(one.sentence.text.split(" |")[0], one.verdict) for one in found.sentences] == [
        ("| Main course", "supported"),
        ("| Soup", "unsupported"),
        ("| Comet", "unsupported"),
    ]
    assert all(text[one.sentence.start : one.sentence.end] == one.sentence.text for one in found.sentences)


async def test_a_heading_that_leads_in_a_quotation_is_no_claim() -> None:
    text = "*Flight plans* [citation:1]:\n\n- The launch was pushed to March 10."
    found = await verifier().check(text, {1: LAUNCH}, {1: "The manual"}, {1: ["Plans", "Flight plans"]})
    assert found is not None
    assert found.sentences == []
    more = await verifier().check(
        "Flight plans are void [citation:1]:", {1: LAUNCH}, {1: "The manual"}, {1: ["Flight plans"]}
    )
    assert more is not None
    assert [one.verdict for one in more.sentences] != ["supported"]


@pytest.mark.parametrize(
    ("lead", "heading"),
    [("*Flights: 12*:", "Flights: 12"), ("*Are there 12 flights?*", "Are there 12 flights?")],
)
async def test_a_sentence_behind_its_heading_is_judged_without_it(lead: str, heading: str) -> None:
    text = f"{lead} We agreed to push the launch to March 10 [citation:1]."
    for headings, supported in ((["Flights", heading], True), (["Launches"], False)):
        found = await verifier().check(text, {1: LAUNCH}, {1: ""}, {1: headings})
        assert found is not None
        assert [one.verdict == "supported" for one in found.sentences] == [supported]


async def test_a_sentence_may_take_one_half_from_each_of_two_passages() -> None:
    text = "The launch was pushed to March 10 and the tail of the comet is green [citation:1][citation:2]."
    found = await verifier().check(text, {1: LAUNCH, 2: COMET})
    assert found is not None
    assert [one.verdict for one in found.sentences] == ["supported"]


async def test_a_number_that_stands_for_nothing_supports_nothing() -> None:
    found = await verifier().check("The launch was pushed [citation:9].", {})
    assert found is not None
    assert [one.verdict for one in found.sentences] == ["unsupported"]


class Failing(FakeEmbedder):
    """Raises what nobody foresaw."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        raise ZeroDivisionError


def unloadable() -> Embedder:
    raise Misconfigured("no such model")


@pytest.mark.parametrize("load", [Failing, unloadable])
async def test_whatever_fails_leaves_the_answer_without_verdicts(load: Any) -> None:
    assert await verifier(load).check("The launch was pushed [citation:1].", {1: LAUNCH}) is None


async def test_a_verifier_that_hangs_is_not_waited_for() -> None:
    release = asyncio.Event()

    class Hanging(SentenceVectors):
        async def of(self, texts: Sequence[str]) -> Vectors:
            await release.wait()
            raise AssertionError

    checking = Verifier(Hanging(FakeEmbedder), 0.05).check("It was pushed [citation:1].", {1: LAUNCH})
    assert await checking is None


class NotedPassages(dict[int, str]):
    """Passages that note the threads in which somebody goes through them."""

    def __init__(self, passages: dict[int, str]) -> None:
        super().__init__(passages)
        self.threads: set[int] = set()

    def items(self) -> ItemsView[int, str]:  # type: ignore[override]
        self.threads.add(threading.get_ident())
        return super().items()


@pytest.mark.parametrize(
    ("answer", "passages", "beside"), [(900, 4_000, False), (1_100, 4_000, True), (900, 4_001, True)]
)
async def test_what_is_long_is_taken_apart_beside_the_event_loop(
    answer: int, passages: int, beside: bool
) -> None:
    evidence = NotedPassages({1: LAUNCH.ljust(passages, "x")})
    sentence = "It was pushed" + " far" * 300
    found = await verifier().check(f"{sentence[:answer]} [citation:1].", evidence)
    assert found is not None
    assert (evidence.threads != {threading.get_ident()}) is beside


def test_many_short_texts_are_many_pairs() -> None:
    assert are_few_pairs(10, 40)
    assert are_few_pairs(40, 50)
    assert not are_few_pairs(41, 50)
    assert not are_few_pairs(500, 500)


async def test_passages_of_one_name_are_parts_of_one_source() -> None:
    claims = [("The tail of the comet is green.", (0, 31)), ("Penguins swim.", (0, 14))]
    passages = [NamedPassage("a", LAUNCH), NamedPassage("a", COMET), NamedPassage("b", LAUNCH)]
    found, degraded = await verifier().ground(claims, passages)
    assert degraded == ()
    assert next((name, held.support) for name, held in found[0].holdings) == ("a", "supported")
    assert sorted(name for name, _ in found[0].holdings) == ["a", "b"]
    assert found[1].best.support == "unsupported"
