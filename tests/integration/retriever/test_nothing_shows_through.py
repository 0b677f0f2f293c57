"""A search tells nothing of what its caller may not see: no score, no rank, no count, no passage."""

from collections.abc import Iterator
from typing import Any

import pytest

from footnote_testing.library import Book
from tests.integration.retriever.conftest import Stack, User

GUESSED, CONTROL = "zephyrine", "quixotry"
QUERIES = (GUESSED, CONTROL, f"{GUESSED} {CONTROL}", f"notes about {CONTROL} and {GUESSED}")


@pytest.fixture
def attacker(stack: Stack, user: User) -> Iterator[User]:
    """A colleague who has uploaded two documents, each with one of two rare words."""
    made = stack.colleague(user)
    filler = [
        Book(f"Other {n}", [f"The pump of plant {n} runs at {n} bar and is looked after."]) for n in range(8)
    ]
    guesses = [Book(word, [f"Notes about {word}."]) for word in (GUESSED, CONTROL)]
    stack.add(made.principal, *filler, *guesses)
    yield made
    made.http.close()


def seen(user: User, query: str, **body: Any) -> dict[str, Any]:
    """All that a search answers, but for its id and its milliseconds."""
    result = user.search(query, explain=True, **body)
    for stage in result["explanation"]:
        stage.pop("ms")
        # A caller may know that the same query was asked before, by this very caller.
        stage["notes"].pop("cached", None)
    return {name: value for name, value in result.items() if name not in ("retrieval_id", "timings_ms")}


@pytest.mark.parametrize("settings", [{}, {"fusion": "sparse_only"}, {"fusion": "rrf"}, {"fusion": "dbsf"}])
def test_whether_a_private_document_holds_a_word(
    stack: Stack, user: User, attacker: User, settings: dict[str, Any]
) -> None:
    before = [seen(attacker, query, settings=settings) for query in QUERIES]
    assert before[0]["passages"][0]["title"] == GUESSED
    secret = [Book(f"Secret {n}", [f"The {GUESSED} of unit {n}."], private=True) for n in range(5)]
    stack.add(user.principal, *secret)
    stack.add(stack.user().principal, *[Book(f"Elsewhere {n}", [f"A {GUESSED}."]) for n in range(5)])
    assert [seen(attacker, query, settings=settings) for query in QUERIES] == before
    assert "Secret 0" in user.titles(GUESSED)


def test_whether_somebody_else_has_asked_the_same(stack: Stack, user: User, attacker: User) -> None:
    """An answer that says `cached`, or comes sooner, would tell what a colleague is looking for."""
    question = f"Where is the {GUESSED} kept?"
    user.search(question)

    def cached(who: User) -> bool:
        (embed,) = (s for s in who.search(question, explain=True)["explanation"] if s["stage"] == "embed")
        return bool(embed["notes"]["cached"])

    assert [cached(attacker), cached(attacker), cached(user)] == [False, True, True]
