"""Which sentences of an answer claim something, and which numbers they cite."""

import pytest

from footnote_resolver.sentences.answers import answer_sentences, cited_in_first_paragraph, plain


def claims(text: str, question: str | None = None) -> list[str]:
    return [s.text for s in answer_sentences(text, question) if s.is_claim]


@pytest.mark.parametrize(
    "talk",
    [
        "Hello there!", "Is that what you meant?", "# The launch of the product", "**The whole launch plan**", "Here is what the notes say:", "Sure, I can help with that.",
        "I could not find that in your documents.", "Let me know if you need more.", "Yes indeed.", "I hope this helps you today.", "There is no information about this.",
    ],
)  # fmt: skip
def test_talk_is_no_claim(talk: str) -> None:
    assert claims(talk) == []


@pytest.mark.parametrize(
    "claim",
    [
        "The launch moved to March 10.",
        "- First item costs 10 euros",
        "发布日期改到了三月十日。",
        "> Prices rose by 3 percent.",
    ],
)
def test_a_statement_is_a_claim(claim: str) -> None:
    assert claims(claim) == [claim]


def test_the_question_said_again_is_no_claim() -> None:
    assert claims(
        "The tail of the comet is like this. It is green and long.", "What is the tail of the comet like?"
    ) == ["It is green and long."]


def test_code_holds_no_claims_and_no_citations() -> None:
    text = "The loop adds one.\n\n```py\nThe total is kept here. [citation:9]\n```\nThe call `f[citation:2]` returns it now."
    assert claims(text) == ["The loop adds one.", "The call `f[citation:2]` returns it now."]
    assert all(s.citations == () for s in answer_sentences(text))


def test_citations_of_a_sentence_stand_before_or_behind_its_end() -> None:
    found = answer_sentences(
        "One thing is so [citation:1]. Another is thus. [citation:2][citation:3] A third is not."
    )
    assert [s.citations for s in found] == [(1,), (2, 3), ()]


def test_the_first_paragraph_decides() -> None:
    assert cited_in_first_paragraph("No end yet") is None
    assert cited_in_first_paragraph("A [citation:1] b") is True
    assert cited_in_first_paragraph("A b.\n\nC [citation:1].") is False
    assert cited_in_first_paragraph("\n\nA b.\n \nC") is False


def test_plain_words_are_left_of_markup() -> None:
    assert plain("- **The launch** [citation:1] moved to *March*.") == "The launch moved to March."
