"""Each word by which other languages are read does its work, and the numbers of that reading have cases.

The words are listed again in `language_words.toml`, so that none is lost.
"""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from footnote_resolver.verification.dates import Day, moments
from footnote_resolver.verification.foreign import contradicted
from footnote_resolver.verification.languages import LANGUAGES, Language, Words, language_of
from footnote_resolver.verification.numerals import spelled_numbers

TABLES: dict[str, Any] = tomllib.loads(Path(__file__).with_name("language_words.toml").read_text("utf-8"))
MONTHS: dict[str, str] = TABLES.pop("months")
ENGLISH: list[str] = TABLES.pop("english").split()
COMMON: dict[str, list[str]] = {name: table["common"].split() for name, table in TABLES.items()}
BY_NAME = {language.name: language for language in LANGUAGES}

each_language = pytest.mark.parametrize("name", TABLES)


def own_words(name: str) -> list[str]:
    """Function words that no other language has."""
    others = {word for other, words in COMMON.items() if other != name for word in words}
    return [word for word in COMMON[name] if word not in others and word not in ENGLISH]


@each_language
def test_two_function_words_tell_a_language(name: str) -> None:
    first, second, *_ = own_words(name)
    assert language_of(first) is None
    for word in COMMON[name]:
        assert language_of(f"{word} {first if word != first else second}") is BY_NAME[name], word


def test_two_words_of_english_are_english() -> None:
    for word in ENGLISH:
        name = next(name for name, words in COMMON.items() if word not in words)
        first, second, *_ = own_words(name)
        other = "the" if word != "the" else "and"
        assert language_of(f"{word} {other} {first} {second}") is None, word


def test_of_as_many_words_english_comes_first() -> None:
    german = "der Hund und die Katze"
    assert language_of("der die the and", beside=german) is None
    assert language_of("der the", beside="die and") is None
    assert language_of("der the", beside=german) is BY_NAME["german"]


@each_language
def test_a_negation_makes_a_clause_its_contrary(name: str) -> None:
    for word in TABLES[name]["negations"].split():
        assert contradicted(BY_NAME[name], "radio kanal", [f"radio {word} kanal"]) == "contrary", word


@each_language
def test_a_negation_ends_where_another_clause_is_joined(name: str) -> None:
    negation = TABLES[name]["negations"].split()[-1]
    for word in TABLES[name]["joins"].split():
        said = f"motor {negation} lampe {word} radio kanal"
        assert contradicted(BY_NAME[name], "radio kanal", [said]) is None, word


@each_language
def test_opposites_contradict_each_other(name: str) -> None:
    for sides in TABLES[name]["opposites"]:
        one, other = ([word.removesuffix("-") for word in side.split()] for side in sides)
        for this, that in [*((word, other[0]) for word in one), *((one[0], word) for word in other)]:
            assert contradicted(BY_NAME[name], f"radio kanal {this}", [f"radio kanal {that}"]) == "contrary"


@each_language
def test_numbers_are_read_in_words(name: str) -> None:
    text = " ".join(own_words(name)[:2])
    for value, word in enumerate(TABLES[name]["cardinals"].split(), start=2):
        assert [one.value for one in spelled_numbers(f"{text} {word}", ordinals=False)] == [value], word


@pytest.mark.parametrize("number", MONTHS)
def test_months_are_read(number: str) -> None:
    for name in MONTHS[number].split():
        assert moments(f"12. {name} 2026").days == {Day(2026, int(number), 12)}, name


MADE_UP = Language(
    "made up",
    common=frozenset(),
    negations=frozenset({"not"}),
    joins=frozenset({"and"}),
    cardinals={},
    opposites=((Words(frozenset({"up"}), ()), Words(frozenset({"down"}), ())),),
)


@pytest.mark.parametrize(
    ("claim", "said", "contrary"),
    [
        # A clause that shares half of the words is compared.
        ("alpha bravo gamma delta", "alpha bravo not", True),
        ("alpha bravo gamma delta omega", "alpha bravo not", False),
        # A word is compared without its last three letters, and by five at least.
        ("abcdefgh", "abcdexyz not", True),
        ("abcdefgh", "abcdxxyz not", False),
        ("abcdefghijk", "abcdefghxyz not", True),
        ("abcdefghijk", "abcdefgxxyz not", False),
        ("abcdef", "abcdex not", True),
        ("abcdef", "abcdxx not", False),
        # A word that is compared has three letters.
        ("abc alpha bravo", "abc not lemma delta", False),
        ("abc", "abc not", True),
        ("ab", "ab not", False),
    ],
)
def test_a_contrary_is_found_in_a_clause_of_the_same_words(claim: str, said: str, contrary: bool) -> None:
    assert (contradicted(MADE_UP, claim, [said]) == "contrary") is contrary


def test_a_clause_is_no_contrary_that_shares_less_than_half_of_the_words() -> None:
    """Five words of eleven, of which each has five letters."""
    claim = [letter * 5 for letter in "abcdefghijk"]
    assert contradicted(MADE_UP, " ".join(claim), [" ".join([*claim[:5], "not"])]) is None
    assert contradicted(MADE_UP, " ".join(claim[:10]), [" ".join([*claim[:5], "not"])]) == "contrary"


def test_words_of_the_clause_before_count_half() -> None:
    """Both sentences then fit the claim equally, and one of them agrees with it."""
    assert contradicted(MADE_UP, "alpha bravo gamma", ["bravo, gamma, alpha not", "alpha bravo"]) is None
    assert contradicted(MADE_UP, "alpha bravo gamma", ["bravo, gamma, alpha", "alpha bravo not"]) is None
