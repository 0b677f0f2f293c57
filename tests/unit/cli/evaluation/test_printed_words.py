"""The words of a LaTeX file that are seen on its page, among those that pandoc tells."""

from pathlib import Path

import pytest

from footnote_cli.evaluation.reference_text import (
    LUA_FILTERS,
    in_its_code_page,
    pandoc,
    printed_words,
    run_pandoc,
    without_own_signs,
)
from footnote_cli.evaluation.words_kept import with_letters_shown

SOURCE = r"""
\newcommand{\DUrole}[2]{\csname DUrole#1\endcsname{#2}}
\begin{figure} The \alpha of a figure is \DUrole{small}{small}. \myhive
"""


def test_are_not_the_names_of_its_commands() -> None:
    told = r"The \alpha of a figure is DUrolesmall small, and the myhive [image]"
    assert printed_words(told, SOURCE) == {
        "the": 2,
        **dict.fromkeys(("of", "a", "figure", "is", "small", "and"), 1),
    }


def test_an_rtf_file_is_compared_in_its_own_code_page() -> None:
    said = "да"
    garbled = said.encode("cp1251").decode("cp1252")
    assert in_its_code_page(garbled, rb"{\rtf1\ansi\ansicpg1251 ") == said
    assert in_its_code_page("café", rb"{\rtf1\ansi\ansicpg1252 ") == "café"
    assert in_its_code_page("→ и", rb"{\rtf1\ansi\ansicpg1251 ") == "→ и"
    assert in_its_code_page("café", rb"{\rtf1\ansi\ansicpg99999 ") == "café"


@pytest.mark.parametrize(
    ("kind", "told", "words"),
    [
        ("odt", "1)  1)  Fruit\n\n    a.  Figs[1] of 2 kinds\n-   Pears", "Fruit Figs of 2 kinds Pears"),
        ("docx", "the trial_court[2] and x^2", "the trial court and x 2"),
        ("latex", "<<figs, echo=FALSE>>= plot(figs)", "plot(figs)"),
        ("notebook", 'figs\n\n    {"model_id":"ca7","version_major":2}\n\npears', "figs pears"),
        ("man", "1.  Figs[1]", "1. Figs[1]"),
    ],
)
def test_what_pandoc_puts_in_by_itself_is_no_word_of_a_file(kind: str, told: str, words: str) -> None:
    assert without_own_signs(kind, told).split() == words.split()


DRAWN = r"""
\begin{picture}(2,1.2) \put(0.04,3){\line(0,1){64}} \put(5,6){Quay 7} \circle{9} \end{picture}
The quay has 64 ships.
"""


def test_where_a_drawing_draws_is_no_word() -> None:
    told = "(2,1.2) (0.04,3)(0,1)64 (5,6)Quay 7 9 The quay has 64 ships."
    assert printed_words(told, DRAWN) == {
        **dict.fromkeys(("7", "the", "has", "64", "ships"), 1),
        "quay": 2,
    }


def test_a_letter_counts_by_its_name_in_tex() -> None:
    assert with_letters_shown(r"\alpha + \sin x \cdot y").split() == ["α", "+", "sin", "x", r"\cdot", "y"]


@pytest.mark.parametrize(
    ("kind", "told"),
    [("docx", "- Figs\n\n1. Pears \ue000\\pi\ue001"), ("latex", "1. Figs\n\n1. Pears \ue000\\pi\ue001")],
)
def test_pandoc_counts_no_list_that_shows_no_numbers_and_marks_equations(
    kind: str, told: str, tmp_path: Path
) -> None:
    program = pandoc()
    if program is None:
        pytest.skip("Pandoc is not installed.")
    # Items that begin with `#.` have no known format; those with `1)` have.
    (path := tmp_path / "a.md").write_text("#. Figs\n\n<!-- -->\n\n1) Pears $\\pi$\n")
    said = run_pandoc(program, "markdown", "plain", path, lua_filter=LUA_FILTERS[kind])
    assert said is not None
    assert [line.split() for line in said.replace(")", ".").splitlines() if line.strip()] == [
        line.split() for line in told.splitlines() if line
    ]
