"""The words of a LaTeX file that are seen on its page, among those that pandoc tells."""

from footnote_cli.evaluation.reference_text import in_its_code_page, printed_words

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
