"""Identifiers are found as they are written, and not by the pieces that they fall into."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote_shared.embedding.identifiers import identifiers_in
from footnote_shared.embedding.sparse import embed_document, embed_query
from footnote_shared.kernel.vector_values import TERMS_VERSION
from tests.unit.shared.ranked_by_terms import ahead

_QUERIES = json.loads(Path(__file__).with_name("identifier_queries.json").read_text("utf-8"))


def test_a_hundred_identifiers_come_before_a_text_that_has_their_pieces() -> None:
    """Each query has a passage with the identifier, and a decoy that has all of its pieces twice."""
    queries = [(one["query"], one["passage"], one["decoy"]) for one in _QUERIES]
    assert len(queries) == 100
    assert not any(ahead(queries, version=1))
    assert all(ahead(queries, version=TERMS_VERSION))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Error ERR-4042, seen in v1.2.3.", ["err-4042", "v1.2.3"]),
        ("C++ (or C#)", ["c++", "c#"]),
        ("see app/main.py:", ["app/main.py", "main.py"]),
        ("<anna@mail.example.org>", ["anna@mail.example.org", "mail.example.org"]),
        ("std::vector and --no-cache", ["std::vector", "--no-cache"]),
        ("Section 4.2.7.", ["4.2.7"]),
        ("Die Meldung ERR-4042\u8bf7\u770bERR-7", ["err-4042", "err-7"]),
        ("TCP/IP", ["tcp/ip"]),
    ],
)
def test_these_are_identifiers(text: str, found: list[str]) -> None:
    assert identifiers_in(text) == found


@pytest.mark.parametrize(
    "text",
    ["", "a well-known and/or case", "e.g. at 5 p.m.", "...", "--", "C", "end. Next", "dash - dash", "1 2 3"],
)
def test_prose_has_none(text: str) -> None:
    assert identifiers_in(text) == []


@given(st.text(alphabet="aB1 .-_/@:+#&\\\u4e2d\n"))
def test_an_identifier_is_found_in_whatever_words_stand_around_it(text: str) -> None:
    assert "err-4042" in identifiers_in(f"{text} ERR-4042, {text}")
    assert all(2 <= len(one) <= 200 and one == one.casefold() for one in identifiers_in(text))


@given(st.text())
def test_a_text_has_the_terms_of_any_of_its_identifiers(text: str) -> None:
    named = f"{text} ERR-4042 {text}"
    asked = set(embed_query("ERR-4042").indices) - set(embed_query("ERR-4042", 1).indices)
    assert asked
    assert asked <= set(embed_document(named).indices)
    assert asked <= set(embed_document(named, "de").indices)
    assert not asked & set(embed_document(named, version=1).indices)


def test_the_first_version_has_the_terms_of_words_alone() -> None:
    text = "Error ERR-4042 in app/main.py"
    words = embed_document(text, version=1)
    assert set(words.indices) < set(embed_document(text).indices)
    weights = dict(zip(words.indices, words.values, strict=True))
    both = embed_document(text)
    assert weights.items() <= dict(zip(both.indices, both.values, strict=True)).items()


def test_a_query_has_a_bounded_number_of_identifiers() -> None:
    text = " ".join(f"A-{number}" for number in range(400))
    assert len(set(embed_query(text).indices) - set(embed_query(text, 1).indices)) == 64
