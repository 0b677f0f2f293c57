"""Macros that a LaTeX file defines for itself are written out where its text uses them."""

import pytest

from footnote_ingest.parsing.markup.latex_macros import write_out
from tests.unit.ingest.parsing.here import parsed_here


def written(definition: str, text: str) -> str:
    """What becomes of a text below a definition."""
    return write_out(f"{definition}\nTEXT {text}").partition("\nTEXT ")[2]


@pytest.mark.parametrize(
    ("definition", "text", "expected"),
    [
        (r"\newcommand{\bee}{honey bee}", r"A \bee{} and \bee.", "A honey bee{} and honey bee."),
        (r"\newcommand\bee{honey bee}", r"The \bee s fly.", "The honey bees fly."),
        (r"\newcommand{\bee}{bee\xspace}", r"A \bee flies.", r"A bee\xspace flies."),
        (r"\newcommand*{\of}[2]{#2 of #1}", r"\of{bees} {hives}", "hives of bees"),
        (
            r"\newcommand{\of}[2][bees]{#2 of #1}",
            r"\of{hives}, \of[ants]{hills}",
            "hives of bees, hills of ants",
        ),
        (r"\def\of#1#2{#2 of #1}", r"\of{bees}{hives}", "hives of bees"),
        (r"\DeclareMathOperator*{\most}{arg\,max}", r"$\most x$", r"$arg\,maxx$"),
        (r"\newcommand{\bi}{\begin{itemize}}", r"\bi \item A", r"\begin{itemize}\item A"),
        (r"\newcommand{\mu}{\mbox{\boldmath $m$}}", r"A \mu.", r"A \mbox{$m$}."),
        (r"\newcommand{\gap}{\quad}", r"\gap wide", r"\quad wide"),
        ("\\newcommand{\\bee}{%\n  bee}", r"A \bee.", "A bee."),
        (r"\NewDocumentCommand\of{s m}{\IfBooleanTF{#1}{all }{some }#2}", r"\of*{x} \of{y}", "all x some y"),
        (r"\NewDocumentCommand\of{m o}{#1\IfValueT{#2}{ (#2)}}", r"\of{x}[y] \of{z}", "x (y) z"),
        (r"\NewDocumentCommand\of{o m}{\IfNoValueF{#1}{#1 }#2}", r"\of[y]{x} \of{z}", "y x z"),
        (r"\NewDocumentCommand\of{m O{bees} +m}{#1#2#3}", r"\of{x}{y} \of{x}[z]{y}", "xbeesy xzy"),
        (r"\newcommand{\role}[2]{\ifcsname #1\endcsname A{#2}\else#2\fi}", r"\role{code}{bees}", "bees"),
    ],
)
def test_a_macro_is_what_it_stands_for(definition: str, text: str, expected: str) -> None:
    assert written(definition, text) == expected


def test_a_macro_may_use_another() -> None:
    definitions = r"\newcommand{\code}[1]{\texttt{#1}} \newcommand{\fct}[1]{\code{#1()}}"
    assert written(definitions, r"\fct{plot}") == r"\texttt{plot()}"


@pytest.mark.parametrize(
    "text",
    [
        r"\verb|\bee|",
        "\\begin{verbatim}\n\\bee\n\\end{verbatim}",
        "% \\bee\n",
        "\n<<x>>=\n\\bee\n@\n",
        r"\newcommand{\bee}{bee}",
        r"\\bee",
    ],
)
def test_code_comments_and_definitions_stay(text: str) -> None:
    assert written(r"\newcommand{\bee}{bee}", text) == text


@pytest.mark.parametrize(
    "definition",
    [
        r"\renewcommand{\section}[1]{#1}",
        r"\newcommand{\bee}{\if x y\fi}",
        r"\newcommand{\bee}{#1}",
        r"\newcommand{\bee}{" + 1_001 * "b" + "}",
        r"\newcommand{\bee}[1]{#1}",
        r"\newcommand{\bee}{b",
        r"\NewDocumentCommand{\bee}{d()}{b}",
        r"\NewDocumentCommand{\bee}{s}{\IfBooleanTF{#1}{b}}",
    ],
    ids=[
        *("of a known command", "a program", "an unknown parameter", "long", "no argument", "not closed"),
        *("another argument", "a test without its ways"),
    ],
)
def test_what_cannot_be_told_stays(definition: str) -> None:
    assert written(definition, r"\bee \section{Bees}") == r"\bee \section{Bees}"


@pytest.mark.parametrize(("depth", "shown"), [(9, "x"), (10, r"\qj")])
def test_macros_are_written_out_nine_deep(depth: int, shown: str) -> None:
    names = "abcdefghijk"
    chain = " ".join(rf"\newcommand{{\q{names[at]}}}{{\q{names[at + 1]}}}" for at in range(depth - 1))
    assert written(rf"{chain} \newcommand{{\q{names[depth - 1]}}}{{x}}", r"\qa") == shown


def test_a_macro_of_itself_and_one_that_doubles_end() -> None:
    assert len(written(r"\newcommand{\a}{\a\a}", r"\a")) < 10_000
    doubling = " ".join(
        rf"\newcommand{{\{a}}}[1]{{\{b}{{#1#1#1#1}}}}" for a, b in zip("wxyz", "xyzq", strict=True)
    )
    assert len(written(doubling, r"\w{" + 100_000 * "b" + "}")) < 2_000_000


def test_a_document_says_what_its_macros_stand_for() -> None:
    source = (
        "\\documentclass{article}\n\\newcommand{\\bee}{honey bee}\n"
        "\\newcommand{\\mysection}[1]{\\section{#1}}\n\\title{The \\bee}\n"
        "\\begin{document}\n\\mysection{Life}\nThe \\bee{} flies.\n\\end{document}\n"
    )
    said = parsed_here(source.encode(), "a.tex")
    assert said.title == "The honey bee"
    assert [(one.kind, one.text) for one in said.elements] == [
        ("title", "Life"),
        ("paragraph", "The honey bee flies."),
    ]


@pytest.mark.parametrize(
    ("upper", "lower"),
    [("Chapter", "Section"), ("doxysection", "doxysubsection"), ("mysection", "mysubsection")],
)
def test_headings_of_a_style_of_its_own_are_told_by_their_names(upper: str, lower: str) -> None:
    said = f"\\{upper}{{Ferries}}\n\n\\{lower}*{{Timetable}}\n\nShips sail."
    assert parsed_here(said, "a.tex").elements[-1].heading_path == ("Ferries", "Timetable")


@pytest.mark.parametrize("name", ["refsection", "setsection", "sectionname", "includechapter", "harbour"])
def test_commands_that_name_no_heading_are_none(name: str) -> None:
    assert parsed_here(f"\\section{{Ferries}} \\{name}{{a}} Ships sail.", "a.tex").elements[
        -1
    ].heading_path == ("Ferries",)


def test_code_of_plain_tex_stays_as_it_is() -> None:
    code = "\\beginexample\nferry> sail( [ 1,\n  2 ] );\n\\endexample"
    said = f"\\Section{{Ferries}}\n\nShips sail.\n\n{code}\n\nWait."
    found = [(e.kind, e.text) for e in parsed_here(said, "a.tex").elements]
    assert found[1:] == [
        ("paragraph", "Ships sail."),
        ("code", "ferry> sail( [ 1,\n  2 ] );"),
        ("paragraph", "Wait."),
    ]
