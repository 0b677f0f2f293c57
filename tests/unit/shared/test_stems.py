"""Stems of words."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from footnote_shared.kernel.stems import stem


@pytest.mark.parametrize(
    "forms",
    [
        "refund refunds refunded refunding",
        "policy policies",
        "vaccine vaccines vaccinated vaccination",
        "increase increases increased increasing",
        "general generally",
    ],
)
def test_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len({stem(word) for word in forms.split()}) == 1


@pytest.mark.parametrize("words", ["news new", "universe university", "import port", "test testament"])
def test_other_words_keep_apart(words: str) -> None:
    one, other = words.split()
    assert stem(one) != stem(other)


@pytest.mark.parametrize("word", ["2019", "x", "rna", "häuser", "発売日", ""])
def test_numbers_and_foreign_words_stay(word: str) -> None:
    assert stem(word) == word


def test_threads_do_not_disturb_each_other() -> None:
    words = [
        f"{letters}{ending}" for letters in ("refund", "market", "vaccin") for ending in ("ing", "ed", "s")
    ]
    stem.cache_clear()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(stem, words * 200))
    assert found == [word[:6] for word in words] * 200


@pytest.mark.parametrize(
    ("language", "forms"),
    [("de", "vertrag verträge vertrags"), ("fr", "payer payez payé"), ("es", "revisar revisa revisado")],
)
def test_each_language_has_its_own_stems(language: str, forms: str) -> None:
    assert len({stem(word, language) for word in forms.split()}) == 1


@pytest.mark.parametrize("language", ["xx", "", None, "en"])
def test_words_of_a_language_without_a_stemmer_count_as_english(language: str | None) -> None:
    assert stem("warranties", language) == stem("warranty")
