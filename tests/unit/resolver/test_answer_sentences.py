"""Which sentences of an answer are claims, and which numbers they cite."""

import pytest

from footnote_resolver.sentences.claims import answer_sentences, cited_in_first_paragraph, plain
from tests.unit.resolver.plain_words import some


def claims(text: str, question: str | None = None) -> list[str]:
    return [s.text for s in answer_sentences(text, question) if s.is_claim]


@pytest.mark.parametrize(
    "talk",
    [
        "Hello there!",
        "Is that what you meant?",
        "# The launch of the product",
        "**The whole launch plan**",
        "Here is what the notes say:",
        "Sure, I can help with that.",
        "I could not find that in your documents.",
        "Let me know if you need more.",
        "Yes indeed.",
        "I hope this helps you today.",
        "There is no information about this.",
    ],
)
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


OPENINGS = (
    "Hi and welcome to this answer.",
    "Hello and welcome to this answer.",
    "Hey and welcome to this answer.",
    "Dear reader of this answer.",
    "Thanks for asking about this.",
    "Thank you for asking this.",
    "You're welcome to ask more.",
    "You’re welcome to ask more.",
    "Youre welcome to ask more.",
    "Sure, that is in there.",
    "Certainly, that is in there.",
    "Of course it is there.",
    "Great question about the launch.",
    "Good question about the launch.",
    "Absolutely, that is in there.",
    "Here is what I see.",
    "Here are the three reasons.",
    "Here's what the notes say.",
    "Below is what they say.",
    "Below are the three reasons.",
    "Let me look at that.",
    "Let's look at the launch.",
    "I hope that this helps.",
    "I'm sorry about the launch.",
    "I’m happy about the launch.",
    "Im glad about the launch.",
    "I am sorry about this.",
    "I am happy about this.",
    "I am glad about this.",
    "Sorry about the missing launch.",
    "Please ask me once more.",
    "Feel free to ask more.",
    "If you need more, ask.",
    "If you have more, ask.",
    "If you want more, ask.",
    "If you would like more, ask.",
    "I could not find the launch.",
    "I couldn't find the launch.",
    "I cannot answer this question.",
    "I can't see the launch.",
    "I did not see the launch.",
    "I didn’t see the launch.",
    "I do not have the launch.",
    "I don't know about it.",
    "I will look at it.",
    "I can look at it.",
    "I found three of them.",
    "I looked at three documents.",
    "I searched in three documents.",
    "I checked the three documents.",
    "There is no information about it.",
    "There is no mention of it.",
    "There is no evidence of it.",
    "No information was found here.",
    "No evidence is in there.",
    "The documents do not say.",
    "The passages do not say.",
    "The sources do not say.",
    "The evidence does not say.",
    "In summary",
    "In short,",
    "In conclusion",
)


@pytest.mark.parametrize("talk", OPENINGS)
def test_talk_about_the_answer_is_known_by_its_beginning(talk: str) -> None:
    assert claims(talk) == []


@pytest.mark.parametrize(
    "claim", ["Hiking boots are sold here.", "Here lies the old harbour.", "In short, prices rose."]
)
def test_what_only_begins_alike_is_a_claim(claim: str) -> None:
    assert claims(claim) == [claim]


@pytest.mark.parametrize(
    ("text", "count"),
    [("Prices rose.", 0), ("Prices rose fast.", 1), ("价格上涨了。", 0), ("价格都上涨了。", 1)],
)
def test_three_words_or_six_characters_make_a_claim(text: str, count: int) -> None:
    assert len(claims(text)) == count


@pytest.mark.parametrize(("shared", "count"), [(17, 0), (16, 1)])
def test_seventeen_words_of_twenty_say_the_question_again(shared: int, count: int) -> None:
    assert len(claims(f"{some(20)}.", f"{some(shared)}?")) == count


def test_the_question_said_again_is_no_claim() -> None:
    assert claims(
        "The tail of the comet is like this. It is green and long.", "What is the tail of the comet like?"
    ) == ["It is green and long."]


def test_code_holds_no_claims_and_no_citations() -> None:
    text = (
        "The loop adds one.\n\n```py\nThe total is kept here. [citation:9]\n```\n"
        "The call `f[citation:2]` returns it now."
    )
    assert claims(text) == ["The loop adds one.", "The call `f[citation:2]` returns it now."]
    assert all(s.citations == () for s in answer_sentences(text))


def test_a_fence_opens_and_closes_where_markdown_says() -> None:
    within = answer_sentences("```\nThe launch moved to March.\n```\nIt was late again.", within_line=True)
    assert [s.text for s in within if s.is_claim] == ["```\nThe launch moved to March."]
    indented = "```\nThe launch moved to March.\n  ```\nIt was late again."
    assert claims(indented) == ["It was late again."]


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
