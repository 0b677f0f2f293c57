"""How sentences open that lean on another one, turn it, or send the reader elsewhere. Pure rules."""

from functools import cache

from footnote_agent.engines.cue_words import OPENING_CHARS, WORD, openings_of, spoken_words, word_tables

FIRST_WORDS = 4
"""Words of a sentence among which one stands that leans on what is said before it."""


def points_back(text: str) -> bool:
    """Whether a sentence opens with words that lean on the sentence before it, in any of the languages."""
    first = WORD.search(text)
    if first is None or not first.group()[0].isupper():
        return False
    opening = " ".join(spoken_words(text[:OPENING_CHARS])) + " "
    word = first.group().lower().replace("’", "'").partition("'")[0]
    return word in _pointing() or opening.startswith(_pointing_phrases())


def leans_back(text: str) -> bool:
    """Whether the first words of a sentence lean on what is said before it, as `points_back` or less plainly.

    "To fix this", "In the first case", "If it does not": behind another sentence they say something else.
    """
    opening = spoken_words(text[:OPENING_CHARS])[:FIRST_WORDS]
    return points_back(text) or not (_pointing() | _leaning()).isdisjoint(opening)


def goes_on(text: str) -> bool:
    """Whether a sentence opens with a word that turns what was said before, or says more of it."""
    first = WORD.search(text)
    return first is not None and first.group()[0].isupper() and first.group().lower() in _turning()


def points_elsewhere(text: str) -> bool:
    """Whether a sentence opens with a word that sends the reader elsewhere, in any of the languages."""
    spoken = " ".join(spoken_words(text[:OPENING_CHARS])) + " "
    return spoken.startswith(_sending())


@cache
def _pointing() -> frozenset[str]:
    return frozenset(word for table in word_tables().values() for word in table["pointing"].split())


@cache
def _leaning() -> frozenset[str]:
    return frozenset(word for table in word_tables().values() for word in table["leaning"].split())


@cache
def _turning() -> frozenset[str]:
    return frozenset(word for table in word_tables().values() for word in table["turning"].split())


@cache
def _sending() -> tuple[str, ...]:
    return openings_of("sending")


@cache
def _pointing_phrases() -> tuple[str, ...]:
    return openings_of("pointing_phrases")
