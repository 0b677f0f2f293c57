"""LaTeX gives what a reader of the printed page sees."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote_ingest.parsing.sniff import sniff
from tests.unit.ingest.parsing.here import parsed_here

GUIDE = r"""% A comment.
\documentclass[11pt]{article}
\usepackage{hyperref}
\newcommand{\pkg}[1]{\textbf{#1}}
\title{The \pkg{Ferry}\\ to Malm\"o}
\author{Ann \and Bob\thanks{Paid.}}
\begin{document}
\maketitle
\section*{Crossing}\label{sec:crossing}
Sail --- at 5\,\% off --- from ``the \textbf{pier}''\footnote{Near the
  caf\'e.} (see~\ref{sec:crossing}), % hidden
  \href{https://example.org/pier}{the map} and \verb|a_b %|. Stra\ss e, gar\c con, $x_1 + 2$.

The speed is
\begin{equation}\label{eq:speed}
v = \frac{s}{t}
\end{equation}
in knots.
\subsection[Fares]{All \emph{Fares}}
\begin{itemize}
  \item old men
    and women
  \item[child] half
\end{itemize}
\begin{enumerate}
\item first
\item second
\end{enumerate}
\begin{table}[htb]
  \centering
  \begin{tabular}{l|r}
    \toprule
    Day & Fare \\ \midrule
    Monday & 5 \\
    \multicolumn{2}{c}{closed at noon} \\
    \bottomrule
  \end{tabular}
  \caption{What it costs \cite{fares}}
\end{table}
\begin{lstlisting}[language=Python, numbers=left]
def sail():
    return "\section{no}" % 1
\end{lstlisting}
\begin{verbatim}
$ ferry --all % stays
\end{verbatim}
\input{chapters/prices}
\end{document}
"""


def test_the_commands_of_a_page_become_elements() -> None:
    extracted = parsed_here(GUIDE, "ferry.tex")
    assert (extracted.mime, extracted.title) == ("text/x-tex", "The Ferry to Malmö")
    assert extracted.metadata["author"] == "Ann , Bob"
    assert [(element.kind, element.text) for element in extracted.elements] == [
        ("title", "Crossing"),
        (
            "paragraph",
            "Sail — at 5 % off — from “the pier” (see ), "
            "the map (https://example.org/pier) and a_b %. Straße, garçon, x_1 + 2.",
        ),
        ("paragraph", "Paid."),
        ("paragraph", "Near the café."),
        ("paragraph", r"The speed is v = \frac{s}{t} in knots."),
        ("title", "All Fares"),
        ("list", "- old men and women"),
        ("list", "child\nhalf"),
        ("list", "1. first"),
        ("list", "2. second"),
        ("table", "Day | Fare\n--- | ---\nMonday | 5\nclosed at noon |"),
        ("paragraph", "What it costs"),
        ("code", 'def sail():\n    return "\\section{no}" % 1'),
        ("code", "$ ferry --all % stays"),
        ("paragraph", "chapters/prices"),
    ]
    assert [e.language for e in extracted.elements if e.kind == "code"] == ["python", None]
    assert extracted.elements[-1].heading_path == ("Crossing", "All Fares")


def test_code_whose_environment_another_file_explains_is_code() -> None:
    code = "\\begin{code}\nfare = 2 * y^b # {\n\\end{code}"
    text = f"\\section{{Fares}}\n{code}\n\\begin{{coda}}\nlast words\n\\end{{coda}}"
    assert [(e.kind, e.text) for e in parsed_here(text, "one.tex").elements][1:] == [
        ("code", "fare = 2 * y^b # {"),
        ("paragraph", "last words"),
    ]


def test_a_chapter_without_a_preamble_and_a_chunk_of_sweave_are_read() -> None:
    text = (
        "\\chapter{One}\nWords.\n<<echo=FALSE>>=\nx <- c(1, 2) % 3\n@\nMore.\n\\begin{verbatim}\nto the end"
    )
    assert [(e.kind, e.text) for e in parsed_here(text, "one.Rnw").elements] == [
        ("title", "One"),
        ("paragraph", "Words."),
        ("code", "x <- c(1, 2) % 3"),
        ("paragraph", "More."),
        ("code", "to the end"),
    ]


def test_a_text_that_begins_with_a_class_is_latex_whatever_its_name() -> None:
    assert sniff(b"% x\n\\documentclass{article}\n", "paper.txt").mime == "text/x-tex"
    assert sniff(b"Write \\documentclass{article} first.\n", "paper.txt").mime == "text/plain"


PIECES = (
    *(
        "{0} {1}\n\n",
        "\\section{{{0}}} {1}\n",
        "\\emph{{{0} {1}\n",
        "{0}}} {1}\n\n",
        "\\foo[x]{{{0}}}{{{1}}}\n",
    ),
    *(
        "\\begin{{itemize}}\\item[{0}] {1}\n",
        "\\begin{{tabular}}{{ll}}{0} & {1} \\\\\n",
        "\\end{{tabular}}{0}\n",
    ),
    *("\\begin{{verbatim}}\n{0}\n\\end{{verbatim}}{1}\n", "\\footnote{{{0}}} {1}\n", "\\caption{{{0}}}{1}\n"),
    *("$ {0} $ {1}\n", "\\[ {0} {1}\n", "\\verb|{0}| {1}\n", "\\item {0}\n\n{1}\n", "\\'{{e}} {0} \\% {1}\n"),
    *(
        "\\title{{{0}",
        "\\footnote{{{0}\n",
        "\\begin{{quote}}{0}\n",
        "\\end{{itemize}}{0}\n",
        "\\href{{u}}{{{0}}}",
    ),
)


@settings(max_examples=80, deadline=None)
@given(chosen=st.lists(st.sampled_from(PIECES), min_size=1, max_size=9))
def test_no_word_is_lost(chosen: list[str]) -> None:
    text = "".join(piece.format(f"w{at}a", f"w{at}b") for at, piece in enumerate(chosen))
    extracted = parsed_here(f"Word\n\n{text}", "a.tex")
    shown = f"{extracted.text} {extracted.title}"
    asked = [f"w{at}{letter}" for at in range(len(chosen)) for letter in "ab" if f"w{at}{letter}" in text]
    assert [word for word in asked if word not in shown] == []


@settings(max_examples=100, deadline=None)
@given(
    pieces=st.lists(
        st.sampled_from(
            (
                *"ab \n{}[]$%&~`'-\\|@<=",
                "\\begin{tabular}",
                "\\end{tabular}",
                "\\item",
                "\\section",
                "\\title{",
                *(
                    "\\begin{enumerate}",
                    "\\end{enumerate}",
                    "\\begin{document}",
                    "\\footnote{",
                    "\\href{",
                    "\\(",
                ),
                *("\\multicolumn{3}{c}", "\\caption{", "\\verb", "\\begin{align}", "\n<<>>=\n", "\\c"),
            )
        ),
        max_size=60,
    )
)
def test_any_text_is_read(pieces: list[str]) -> None:
    assert parsed_here("".join(pieces) + "\n\n\\end{document}\n\nWord \\'e", "a.tex") is not None


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "{",
            "}",
            "$",
            "$\\$",
            "\\a[",
            "\\a[{]}",
            "\\item[",
            "\\begin{a}",
            "\\end{a}",
            "\\begin{tabular}{l}",
        ),
        *(
            "{\\begin{a}",
            "\\label{",
            "\\title{",
            "\\footnote{x",
            "\\verb|",
            "\\(",
            "\\def\\a",
            "%",
            "\n<<",
            "&",
        ),
        *("\\begin{align}", "\\begin{enumerate}\\item[\\item[x]] ", "\\section{", "\\\\", " \n", "-", "'"),
    ],
)
def test_repeated_marks_are_read(pattern: str) -> None:
    """The size would keep a reader busy for minutes whose work grows with the square of it."""
    text = "Word\n\n" + pattern * (100_000 // len(pattern))
    assert "Word" in parsed_here(text, "a.tex").text
    assert "Word" in parsed_here(f"\\documentclass{{a}}{text}\\begin{{document}}Word", "a.tex").text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Lost.\n\\begin{document}\nKept.", "Kept."),
        ("\\documentclass{article}Lost.\\begin{document}Kept.", "Kept."),
        ('First.\n\nwrite("\\\\begin{document}") and so on.', "First."),
    ],
)
def test_a_document_begins_where_a_line_says_so(source: str, text: str) -> None:
    assert parsed_here(source, "a.tex").elements[0].text == text


def test_the_measure_of_a_shift_is_no_text() -> None:
    source = (
        "\\documentclass{article}\n\\title{B\\kern-.05em{\\large I}\\kern -.025em B\\TeX ing}\n"
        "\\begin{document}\n\\maketitle\n"
        "It \\raise.5ex\\hbox{rises} by \\vskip 1em {2} feet.\n\\end{document}\n"
    )
    extracted = parsed_here(source.encode(), "a.tex")
    assert extracted.title == "BIBTeXing"
    assert extracted.elements[-1].text == "It rises by 2 feet."


def test_the_head_of_a_theorem_is_said() -> None:
    text = (
        "\\documentclass{amsart}\n\\newtheorem{thm}{Theorem}[section]\n\\newtheorem*{fact}{Known Fact}\n"
        "\\declaretheorem[name=Axiom]{ax}\n\\begin{document}\n"
        "\\begin{thm}[Fermat]\\label{t} No such numbers.\\end{thm}\n\\begin{fact}It rains.\\end{fact}\n"
        "\\begin{ax} All is.\\end{ax}\n\\begin{lemma*}Small.\\end{lemma*}\n"
        "\\begin{proof}[Proof of \\emph{Fermat}] Long.\\end{proof}\n\\begin{proof} Short.\\end{proof}\n"
        "\\begin{verbatim}\n\\begin{thm}[Kept] a\n\\end{verbatim}\n\\end{document}\n"
    )
    told = parsed_here(text, "a.tex")
    assert [element.text for element in told.elements] == [
        "Theorem (Fermat). No such numbers.",
        "Known Fact. It rains.",
        "Axiom. All is.",
        "Lemma. Small.",
        "Proof of Fermat. Long.",
        "Proof. Short.",
        "\\begin{thm}[Kept] a",
    ]
