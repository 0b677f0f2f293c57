"""The words of a LaTeX file that are seen on its page, among those that pandoc tells."""

from footnote_cli.evaluation.reference_text import printed_words

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
