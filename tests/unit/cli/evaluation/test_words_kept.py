"""Which words count as kept, as lost and as left out on purpose."""

from collections import Counter

import pytest

from footnote_cli.evaluation.pdf_reference import contents_words, wanted_words, without_underscores
from footnote_cli.evaluation.reference_text import with_written_numbers
from footnote_cli.evaluation.words_kept import (
    WordsKept,
    compared,
    letters_of,
    without_left_out,
    words_of,
)


def wanted(text: str) -> Counter[str]:
    return Counter(words_of(text))


def test_a_word_that_is_there_twice_must_be_kept_twice() -> None:
    found = compared(wanted("rain rain snow"), ["Rain, and", "sun."])
    assert (found.kept, found.lost, found.words) == (1, {"rain": 1, "snow": 1}, 3)


@pytest.mark.parametrize(
    ("equation", "letters"),
    [
        (r"x = \frac{- b \pm \sqrt{b^{2} - 4ac}}{2a}", "xbb24ac2a"),
        (r"\varepsilon_{0}\Gamma \cdot \mathrm{d}\mathbf{A}", "ε0γda"),
        (r"\begin{array}{ll}a & b\end{array}\lim_{n \rightarrow \infty}", "ablimn"),
        ("𝑥₁", "x1"),
    ],
)
def test_an_equation_is_its_letters_and_digits(equation: str, letters: str) -> None:
    assert letters_of(equation) == letters


def test_an_equation_is_kept_by_its_letters_however_it_is_written() -> None:
    found = compared(
        wanted("We know that holds."), ["We know that x=(-b)/(2a) holds."], [r"x = \frac{- b}{2a}"]
    )
    assert (found.kept, found.lost) == (4 + 4, {})


def test_letters_of_words_do_not_stand_for_those_of_an_equation() -> None:
    found = compared(wanted("a box"), ["A box."], ["x + 1"])
    assert (found.kept, found.lost) == (2, {"x": 1, "1": 1})


@pytest.mark.parametrize("told", ["sold 106 m2 or 5562", "sold 10 6 m 2 or 556 2", "sold 10⁶ m² or 556²"])
def test_a_raised_number_is_kept_however_the_reference_sets_it(told: str) -> None:
    found = compared(wanted(told), ["Sold 10⁶ m² or 556 ²."])
    assert (found.words, found.lost) == (wanted(told).total(), {})


def test_a_raised_number_that_is_not_there_is_lost() -> None:
    assert compared(wanted("10 6"), ["10 m²"]).lost == {"6": 1}


REFERENCE = "The orchard 1\nFigs grow.\n\fThe orchard 2\n1. Figs ....... 7\nThe end of the orchard\n"


def lost(text: str) -> WordsKept:
    return WordsKept(10, wanted(text))


@pytest.mark.parametrize(
    ("said", "left_out", "still", "purpose"),
    [
        ("the orchard the orchard the", ["The orchard"], "the", 4),
        ("the orchard 1 2 300", ["The orchard", "page numbers"], "300", 4),
        ("1 2", ["The orchard"], "1 2", 0),
        ("1 2", ["The orchard 1"], "", 2),
        ("1 figs 7 grow", ["table of contents"], "grow", 3),
        ("figs", [], "figs", 0),
    ],
)
def test_what_the_reader_says_it_left_out_is_not_lost(
    said: str, left_out: list[str], still: str, purpose: int
) -> None:
    found = without_left_out(lost(said), contents_words(REFERENCE), left_out, 2)
    assert (found.kept, found.lost, found.left_out) == (10, wanted(still), purpose)


def test_of_a_script_without_spaces_each_character_is_a_word() -> None:
    assert words_of("起動 quiet モード") == ["起", "動", "quiet", "モ", "ー", "ド"]


@pytest.mark.parametrize(
    ("told", "passages", "words"),
    [
        ("a meta-\nanalysis", "A meta-analysis", "a meta analysis"),
        ("a para-\ngraph", "a paragraph", "a paragraph"),
        ("a para-\ngraph", "nothing of it", "a para graph"),
        ("a speci\x1ced \x1ductuation", "a specified fluctuation", "a specified fluctuation"),
        ("a speci\x1ced rule", "no such thing", "a speci ed rule"),
        ("mpfr _rnd _t", "mpfr_rnd_t", "mpfr rnd t"),
    ],
)
def test_pdftotext_is_compared_as_the_passages_write_it(told: str, passages: str, words: str) -> None:
    have = wanted(without_underscores(passages))
    assert wanted_words(without_underscores(told), have) == wanted(words)


@pytest.mark.parametrize(
    ("page", "words"),
    [
        (
            "Figs\nContents\n1 Trees\nA .... 1\nB .... 2\n2 Soil\nC .... 3\n7\n8\nFigs",
            "contents 1 trees a 1 b 2 2 soil c 3 7 8",
        ),
        ("Figs\n\n1.1\nA .... 1\nB .... 2\nC .... 3\n\nFigs grow", "1 1 a 1 b 2 c 3"),
        ("A .... 1\nFigs\nB .... 2", "a 1 b 2"),
        ("A .... 1\nB .... 2\nC .... 3\n\fD .... 4\nFigs\nE .... 5", "a 1 b 2 c 3 d 4 figs e 5"),
    ],
)
def test_a_table_of_contents_reaches_from_its_first_entry_to_its_last(page: str, words: str) -> None:
    assert Counter(contents_words(page)) == wanted(words)


def test_numbers_of_list_items_are_those_of_the_file() -> None:
    source = rb"{\listtext\pard\plain \hich\af0\loch\f0 a)\tab}}\pard {Figs\par {\listtext \f0 2)\tab}Pears}"
    told = "  1. Figs\n\n  2. Pears\n\nAnd 3 more.\n"
    assert wanted(with_written_numbers(told, source)) == wanted("a 2 Figs Pears And 3 more")
    assert with_written_numbers(told, b"no list") == told


def test_underscores_at_the_edges_are_no_part_of_a_word() -> None:
    assert words_of("_deep clone_ of __init__, signed ______ in 20___ by trial_court") == (
        ["deep", "clone", "of", "init", "signed", "in", "20", "by", "trial_court"]
    )
