"""`footnote eval answers`: what counts as said, and which questions nothing answers."""

import json
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_cli.evaluation.answer_grade import (
    EQUAL_LENGTH,
    covered,
    grade_absent,
    grade_known,
    grade_near_miss,
    shares_of_answers,
    words_of,
)
from footnote_cli.evaluation.answers import ask_all, left_out
from footnote_cli.evaluation.judged_set import JudgedQuestion, JudgedSet
from footnote_shared.kernel.errors import OurFault

SENTENCE = "Gulls steal bread from tourists on the pier every summer."
QUESTION = JudgedQuestion("What do gulls steal?", "gulls", "steal bread from tourists on the pier", SENTENCE)
CITED = [{"n": 1}]


def message(text: str, citations: list[Any] | None = None) -> dict[str, Any]:
    return {"text": text, "citations": CITED if citations is None else citations}


@pytest.mark.parametrize(
    ("text", "covers", "sentences", "right"),
    [
        (f"{SENTENCE[:-1]} [citation:1].", 7, 1, 1),
        ("Terns dive. Gulls **steal** bread from tourists, mostly.", 4, 2, 1),
        ("Terns dive for sand eels. They breed in June.", 0, 2, 0),
        ("Steal bread from the pier.", 0, 1, 0),
    ],
)
def test_four_words_in_a_row_are_said(text: str, covers: int, sentences: int, right: int) -> None:
    counts = grade_known(QUESTION, message(text))
    assert (counts["answer_words"], counts["covered"]) == (7, covers)
    assert (counts["sentences"], counts["right_sentences"]) == (sentences, right)


def test_a_long_answer_does_not_win_by_its_length() -> None:
    late = " ".join(["word"] * EQUAL_LENGTH)
    counts = grade_known(QUESTION, message(f"{late} {SENTENCE}"))
    assert (counts["covered"], counts["covered_equal"]) == (7, 0)
    assert grade_known(QUESTION, message(f"{SENTENCE} {late}"))["covered_equal"] == 7


def test_who_abstains_says_nothing_right_or_wrong() -> None:
    counts = grade_known(QUESTION, message("I could not find enough.", []))
    assert (counts["abstained"], counts["sentences"]) == (1, 0)
    assert shares_of_answers(counts) == {"covered": 0.0, "covered_equal": 0.0, "abstained": 1.0}
    assert shares_of_answers(grade_absent(message("It is so."))) == {"abstained": 0.0}
    assert shares_of_answers({}) == {}


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=30))
def test_no_more_is_covered_than_is_wanted(wanted: list[str], said: list[str]) -> None:
    assert 0 <= covered(wanted, said) <= len(wanted)
    assert covered(wanted, [*said, *wanted]) == len(wanted)


def test_short_answers_have_to_stand_there_whole() -> None:
    assert covered(words_of("March 10"), words_of("It was moved to March 10, at last.")) == 2
    assert covered(words_of("March 10"), words_of("It was moved to March.")) == 0
    assert covered([], ["a"]) == 0


def a_set() -> JudgedSet:
    documents = dict.fromkeys(("a", "b", "c", "d"), SENTENCE)
    questions = [JudgedQuestion(f"About {name}?", name, "steal bread", SENTENCE) for name in documents]
    return JudgedSet(documents, questions, [], [])


def test_every_third_document_is_left_out_and_asked_about() -> None:
    asked: list[dict[str, Any]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/threads":
            return httpx.Response(201, json={"id": "t"})
        asked.append(json.loads(request.content))
        about_c = asked[-1]["text"] == "About c?"
        found = message("I could not find enough.", []) if about_c else message(SENTENCE)
        return httpx.Response(200, json={"status": "completed", "message": found})

    assert left_out(a_set()) == {"c"}
    with httpx.Client(transport=httpx.MockTransport(answer), base_url="http://server") as server:
        result = ask_all(server, a_set(), left_out(a_set()))
    assert {one["settings"]["engine"] for one in asked} == {"extractive"}
    assert result.documents == 3
    assert result.figures() == {
        "known": {"covered": 1.0, "covered_equal": 1.0, "right_sentences": 1.0, "abstained": 0.0},
        "absent": {"abstained": 1.0},
    }


@pytest.mark.parametrize(
    ("text", "citations", "figures"),
    [
        ("I could not find enough.", [], {"abstained": 1.0, "held_back": 1.0}),
        (
            "Your documents do not mention *Skarv*. The nearest passages say:\n\nIt is so [citation:1].",
            CITED,
            {"abstained": 0.0, "held_back": 1.0},
        ),
        ("It is so. They do not mention Skarv [citation:1].", CITED, {"abstained": 0.0, "held_back": 0.0}),
    ],
)
def test_a_near_miss_is_held_back_by_saying_what_is_missing(
    text: str, citations: list[Any], figures: dict[str, float]
) -> None:
    assert shares_of_answers(grade_near_miss(message(text, citations))) == figures


def test_near_misses_are_asked_too() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/threads":
            return httpx.Response(201, json={"id": "t"})
        return httpx.Response(200, json={"status": "completed", "message": message("It is so.")})

    given = JudgedSet({}, [], [], [], ["How is MF Skarv powered?"])
    with httpx.Client(transport=httpx.MockTransport(answer), base_url="http://server") as server:
        result = ask_all(server, given, frozenset())
    assert result.figures() == {"near_miss": {"abstained": 0.0, "held_back": 0.0}}


def test_a_turn_that_fails_ends_it() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json={"id": "t", "status": "failed", "error": {"detail": "Away."}})

    with (
        httpx.Client(transport=httpx.MockTransport(answer), base_url="http://server") as server,
        pytest.raises(OurFault, match="Away"),
    ):
        ask_all(server, a_set(), frozenset())
