"""What packages of LaTeX print: contracts and slides; and arguments that stand apart."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here


def read(source: str) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in parsed_here(source, "a.tex").elements]


CONTRACT = r"""\documentclass{scrartcl}
\begin{document}
\section{Overview}
\begin{contract}
\Clause{title={Name, Form}}
The club is pointless. It has no home.
\Clause{title=Purpose,dummy}
Nuts.
\end{contract}
\section{Members}
\begin{contract}
\SubClause{title={Amendment to \emph{it}}}
Old nuts.
\Clause{dummy}
End.
\end{contract}
\end{document}
"""


def test_clauses_of_a_contract_are_counted_through_the_document() -> None:
    assert read(CONTRACT) == [
        ("title", "Overview"),
        ("title", "§ 1 Name, Form"),
        ("paragraph", "The club is pointless. It has no home."),
        ("title", "§ 2 Purpose"),
        ("paragraph", "Nuts."),
        ("title", "Members"),
        ("title", "§ 2a Amendment to it"),
        ("paragraph", "Old nuts."),
        ("title", "§ 3"),
        ("paragraph", "End."),
    ]
    assert parsed_here(CONTRACT, "a.tex").elements[-1].heading_path == ("Members", "§ 3")


SLIDES = r"""\documentclass[t]{beamer}
\begin{document}
\section{Ships}
\begin{frame}<1->[fragile]{Two \emph{Masts}}
\begin{itemize}[<+->]
\item<1-> A sail
\only<2>{\item a rope}
\end{itemize}
\begin{block}{Note}
It sails.
\end{block}
\end{frame}
\begin{frame}
\frametitle{Oars}
Row.
\end{frame}
\end{document}
"""


def test_the_name_of_a_slide_stands_behind_its_beginning_or_in_it() -> None:
    assert read(SLIDES) == [
        ("title", "Ships"),
        ("title", "Two Masts"),
        ("list", "- A sail"),
        ("list", "- a rope"),
        ("paragraph", "Note"),
        ("paragraph", "It sails."),
        ("title", "Oars"),
        ("paragraph", "Row."),
    ]


def test_what_looks_like_a_slide_of_another_document_stays() -> None:
    assert read(r"\section{A} \foo<1-2> says $a\lt<2>$.")[1][1].startswith("<1-2> says")


@pytest.mark.parametrize(
    "source",
    [
        "\\section {Ships}\nSail.",
        "\\section*\n  {Ships}\nSail.",
        "\\part [S] {Ships}\nSail.",
        "\\chapter\t[S]{Ships}\nSail.",
        "\\addpart*{Ships}\nSail.",
    ],
)
def test_the_argument_of_a_heading_may_stand_behind_blanks_or_in_the_next_line(source: str) -> None:
    assert read(source) == [("title", "Ships"), ("paragraph", "Sail.")]


def test_the_title_may_stand_behind_a_blank() -> None:
    head = "\\documentclass {article}\n\\title {Ships}\n\\author\n{Ann}\n"
    source = f"{head}\\begin{{document}}\n\\part{{Masts}}\nSail.\n"
    found = parsed_here(source, "a.tex")
    assert (found.title, found.metadata["author"]) == ("Ships", "Ann")


def test_an_argument_does_not_stand_behind_an_empty_line() -> None:
    assert ("title", "Ships") not in read("\\section\n\n{Ships}\nSail.")
