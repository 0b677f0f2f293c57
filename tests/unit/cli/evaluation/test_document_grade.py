"""What counts as read rightly."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_cli.evaluation.document_grade import grade_document
from footnote_cli.evaluation.expected_document import ExpectedFile, ExpectedPhrase
from footnote_cli.evaluation.read_document import ReadDocument, ReadPassage

TABLE = ReadPassage("Year | Rain\n1999 | 12 mm", "table", ("Report", "Weather  in May"), (2, 3))
PROSE = ReadPassage("It rained\nall day.", "prose", ("Report",), (1, 1))
READ = ReadDocument("Report", [PROSE, TABLE])


def expected(*phrases: dict[str, Any], **more: Any) -> ExpectedFile:
    return ExpectedFile.model_validate(
        {"name": "a.pdf", "origin": "here", "licence": "ours", "phrases": phrases, **more}
    )


@pytest.mark.parametrize(
    "phrase",
    [
        {"text": "rained all", "page": 1, "kind": "prose", "headings": ("Report",)},
        {"row": ("1999", "12 mm"), "page": 3, "kind": "table", "headings": ("Weather in May",)},
        {"row": ("Year", "Rain"), "page": 2, "headings": ("Report", "Weather in May"), "under": "May"},
        {"together": ("Weather in May", "1999")},
    ],
)
def test_a_phrase_at_its_place_is_right(phrase: dict[str, Any]) -> None:
    grade = grade_document(expected(phrase), READ)
    assert (grade.counts["found"], grade.counts["right"], grade.misses) == (1, 1, [])


@pytest.mark.parametrize(
    ("phrase", "miss"),
    [
        ({"text": "It snowed"}, "not found: It snowed"),
        ({"row": ("Year", "12 mm")}, "not found: Year | 12 mm"),
        ({"text": "all day", "page": 2}, "page is 1: all day"),
        ({"text": "all day", "kind": "code"}, "kind is prose: all day"),
        ({"text": "all day", "headings": ("Weather in May",)}, "heading is Report: all day"),
        ({"row": ("1999",), "under": "June"}, "heading is Report > Weather in May: 1999"),
    ],
)
def test_a_phrase_elsewhere_is_not_right_and_is_named(phrase: dict[str, Any], miss: str) -> None:
    grade = grade_document(expected(phrase), READ)
    assert grade.counts["right"] == 0
    assert grade.misses == [miss]


def test_of_several_passages_with_the_words_the_best_one_counts() -> None:
    again = ReadPassage("It rained all day.", "code", ("Elsewhere",))
    grade = grade_document(
        expected({"text": "rained all", "kind": "prose"}), ReadDocument("Report", [again, PROSE])
    )
    assert grade.counts["right"] == 1


def test_what_must_not_be_there_and_a_wrong_title_are_named() -> None:
    grade = grade_document(expected(forbidden=("12 mm", "13 mm"), title=("Weather", "Rain")), READ)
    assert grade.misses == ["title is Report: Weather", "must not be there: 12 mm"]
    assert (grade.counts["forbidden"], grade.counts["titles"], grade.counts["titles_right"]) == (1, 1, 0)


def test_a_file_that_is_rightly_refused_is_asked_nothing_more() -> None:
    file = expected({"text": "Just some text."}, refused="password", title="Text")
    assert grade_document(file, ReadDocument("a.pdf", [], "It needs a Password.")).counts["right"] == 1
    assert grade_document(file, ReadDocument("a.pdf", [], "It is broken.")).counts["right"] == 0


def test_a_file_that_is_read_against_expectation_is_held_to_its_phrases() -> None:
    file = expected({"text": "Just some text."}, refused="libreoffice")
    read = ReadDocument("a.doc", [ReadPassage("Just some text.", "prose")])
    assert grade_document(file, read).counts["right"] == 1


def test_a_file_that_is_not_read_loses_its_phrases() -> None:
    grade = grade_document(expected({"text": "all day"}), ReadDocument("a.pdf", [], "It is broken."))
    assert (grade.counts["unread"], grade.counts["right"]) == (1, 0)
    assert grade.misses == ["not read: It is broken.", "not found: all day"]


@given(st.text(min_size=1).filter(str.strip), st.text())
def test_white_space_between_words_makes_no_difference(words: str, more: str) -> None:
    broken = "\n  ".join(words.split())
    passage = ReadPassage(f"{more} {broken} {more}", "prose")
    phrase = ExpectedPhrase(text=words)
    file = ExpectedFile(name="a", origin="here", licence="ours", phrases=(phrase,))
    assert grade_document(file, ReadDocument(None, [passage])).counts["found"] == 1
