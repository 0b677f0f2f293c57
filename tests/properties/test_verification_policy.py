"""Taking citations out of a text: exactly those, by the normaliser's rules, and nothing else of it."""

import re

from hypothesis import given
from hypothesis import strategies as st

from footnote_resolver.normaliser.finalize import finalize
from footnote_resolver.sentences.claims import answer_sentences
from footnote_resolver.verification.judge import Claim, Premise, hold
from footnote_resolver.verification.policy import marked, support_of, withdraw
from footnote_shared.contracts.answers import Verdict, VerifiedSentence
from footnote_shared.kernel.citation_tokens import TOKEN

PIECES = [
    "The launch moved",
    " to March 10",
    " [1]",
    "[2]",
    " [1, 3]",
    ", [2]",
    " ([3])",
    ".",
    ". ",
    ".\n\n",
    "\n- An item [1]",
    "`[citation:1]`",
    " `x [citation:2]`",
    "\n\n```\n[citation:1]\n```\n\n",
    " $[citation:1]$ ",
    "| a [1] | b [2] |\n",
    "> ",
    "é ",
    "(see [1] and [2])",
    " [1][2][1]",
    "\n",
    "    [citation:3]\n",
    "[a [1]](http://x.y)",
    "\\[citation:1\\]",
]
VERDICTS: list[Verdict] = ["supported", "weak", "unsupported", "misattributed"]
NASTY = [
    *PIECES,
    "```",
    "~~~\n",
    "$",
    "<a ",
    ">",
    "(",
    ")",
    "[",
    "]",
    "[2024]",
    "[7]",
    "    ",
    "\\",
    "!",
    "[1]: http://x.y\n",
]
nasty_texts = st.lists(st.sampled_from(NASTY), max_size=25).map("".join)
texts = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


def known(n: int) -> bool:
    return n <= 3


def wire(text: str) -> str:
    return finalize(text, known, lambda: 3).text


def judged(text: str, verdicts: list[Verdict]) -> list[VerifiedSentence]:
    cited = [s for s in answer_sentences(text) if s.citations]
    return [
        VerifiedSentence(
            sentence=s.text,
            span=(s.start, s.end),
            citations=list(s.citations),
            verdict=verdicts[i % len(verdicts)],
            score=0.5,
        )
        for i, s in enumerate(cited)
    ]


def cited_in(text: str) -> list[int]:
    """The tokens that are citations, each as often as it stands."""
    found: list[int] = []

    def note(n: int) -> bool:
        found.append(n)
        return False

    finalize(text, note, lambda: 3)
    return sorted(finalize(text, lambda n: False, lambda: 3).report.dropped) if found else []


@given(texts, st.lists(st.sampled_from(VERDICTS), min_size=1, max_size=4))
def test_every_citation_of_a_doomed_sentence_goes_and_every_other_stays(
    text: str, verdicts: list[Verdict]
) -> None:
    text = wire(text)
    sentences = judged(text, verdicts)
    thinned = withdraw(text, sentences, known, lambda: 3)
    doomed = [s for s in sentences if s.verdict in ("unsupported", "misattributed")]
    for sentence in doomed:
        # A token in a formula, in indented code or in a link is no citation, and stays.
        if not any(mark in text for mark in ("$", "    [", "](")):
            assert set(sentence.citations) <= set(thinned.withdrawn)
    if not doomed:
        assert (thinned.text, thinned.withdrawn) == (text, [])
    # Two of one number that came to stand in a row are one.
    left = cited_in(thinned.text)
    assert set(left) <= set(cited_in(text))
    assert len(left) + len(thinned.withdrawn) <= len(cited_in(text))


@given(nasty_texts, st.lists(st.sampled_from(VERDICTS), min_size=1, max_size=4))
def test_what_is_left_is_in_wire_form(text: str, verdicts: list[Verdict]) -> None:
    thinned = withdraw(wire(text), judged(wire(text), verdicts), known, lambda: 3).text
    assert wire(thinned) == thinned
    assert set(cited_in(thinned)) <= set(cited_in(wire(text)))


@given(texts)
def test_the_words_of_the_text_stay(text: str) -> None:
    text = wire(text)
    thinned = withdraw(text, judged(text, ["unsupported"]), known, lambda: 3).text
    words = re.compile(r"\w+")
    assert words.findall(TOKEN.sub(" ", thinned)) == words.findall(TOKEN.sub(" ", text))


@given(texts, st.lists(st.sampled_from(VERDICTS), min_size=1, max_size=4))
def test_marks_name_what_is_not_supported(text: str, verdicts: list[Verdict]) -> None:
    sentences = judged(wire(text), verdicts)
    assert [m.span for m in marked(sentences)] == [s.span for s in sentences if s.verdict != "supported"]
    worst = support_of(sentences)
    assert set(worst) == {n for s in sentences for n in s.citations}
    for sentence in sentences:
        if sentence.verdict == "unsupported":
            assert all(worst[n] == "unsupported" for n in sentence.citations)


def test_what_would_be_left_dangling_goes_too() -> None:
    def without(text: str) -> str:
        return withdraw(text, judged(text, ["unsupported"]), known, lambda: 3).text

    assert without("It moved [citation:1].") == "It moved."
    assert without("It moved ([citation:1]).") == "It moved."
    assert without("It moved [citation:1], [citation:2].") == "It moved."
    assert without("- It moved. [citation:1]\n- So.") == "- It moved.\n- So."
    assert without("It moved [citation:1], as `[citation:1]` says.") == "It moved, as `[citation:1]` says."


def test_only_the_one_of_two_of_the_same_number_goes() -> None:
    text = "It moved [citation:1]. It did not [citation:1]."
    thinned = withdraw(text, judged(text, ["supported", "unsupported"]), known, lambda: 3)
    assert thinned.text == "It moved [citation:1]. It did not."
    assert thinned.withdrawn == [1]


@given(st.text(max_size=300), st.text(max_size=300), st.floats(-1, 1))
def test_any_text_gets_a_verdict_from_any_passage(sentence: str, passage: str, similarity: float) -> None:
    held = hold(Claim(sentence), [Premise(passage, sentence)], similarity)
    assert held.support in ("supported", "weak", "unsupported")
    assert 0 <= held.score <= 1


@given(st.text(alphabet="ab 15.%\"'-,MarchQno", max_size=80))
def test_a_sentence_is_never_unsupported_by_itself(sentence: str) -> None:
    assert hold(Claim(sentence), [Premise(sentence)], 1.0).support != "unsupported"
