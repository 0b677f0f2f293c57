"""Code in a LaTeX file stays as it is written, whatever environment or command the file has for it."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here

MACRO = "\\newcommand{\\bee}{honey bee}\n"


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("\\lstinline|a % \\bee|", "a % \\bee"),
        ("\\lstinline[language=C, style=x]|a_b \\bee|", "a_b \\bee"),
        ("\\lstinline{f(\\bee, {1})}", "f(\\bee, {1})"),
        ("\\lstinline[language=C]{a & b}", "a & b"),
        ("\\mintinline{python}{d = {\\bee: 1}}", "d = {\\bee: 1}"),
        ("\\mintinline[breaklines]{python}|a ~ \\bee|", "a ~ \\bee"),
        ("\\verb|\\bee|", "\\bee"),
        ("\\Verb[fontsize=x]+a~b+", "a~b"),
    ],
)
def test_code_within_a_line_stays(written: str, code: str) -> None:
    read = parsed_here(f"{MACRO}\\section{{Fares}}\nType {written} and \\bee.", "a.tex")
    assert [e.text for e in read.elements][1:] == [f"Type {code} and honey bee."]


@pytest.mark.parametrize("command", ["lstinline", "mintinline{c}", "Verb"])
def test_code_within_a_line_that_nothing_ends_hides_no_words(command: str) -> None:
    read = parsed_here(f"\\section{{Fares}}\nType \\{command}|it and sail.", "a.tex")
    assert read.text.endswith("it and sail.")


@pytest.mark.parametrize(
    ("definition", "name", "behind", "language"),
    [
        ("\\lstnewenvironment{fares}[1][]{\\lstset{language=Python, #1}}{}", "fares", "[frame=x]", "python"),
        ("\\lstnewenvironment{fares}[1]{\\lstset{caption=#1}}{}", "fares", "{A caption}", None),
        ("\\DefineVerbatimEnvironment{fares}{Verbatim}{fontsize=\\small}", "fares", "", None),
        ("\\newminted{python}{linenos}", "pythoncode", "", "python"),
        ("\\newminted[fares]{c}{linenos}", "fares", "", "c"),
        ("\\newtcblisting{fares}[1][]{listing only, minted language=ruby, #1}", "fares", "[x]", "ruby"),
        ("\\DeclareTCBListing{fares}{O{}}{listing options={language=bash}}", "fares", "", "bash"),
        ("\\newenvironment{fares}{\\small\\verbatim}{\\endverbatim}", "fares", "", None),
        (
            "\\newenvironment{fares}{\\VerbatimEnvironment\\begin{Verbatim}}{\\end{Verbatim}}",
            "fares",
            "",
            None,
        ),
    ],
)
def test_an_environment_of_code_that_the_file_defines_is_code(
    definition: str, name: str, behind: str, language: str | None
) -> None:
    code = "x = {\\bee} % a_b & c\n  y = 2"
    listed = f"\\begin{{{name}}}{behind}\n{code}\n\\end{{{name}}}"
    text = f"{MACRO}{definition}\n\\section{{Fares}}\nSo:\n{listed}\nPay."
    read = parsed_here(text, "a.tex").elements
    assert [(e.kind, e.text) for e in read if e.heading_path] == [
        ("title", "Fares"),
        ("paragraph", "So:"),
        ("code", code),
        ("paragraph", "Pay."),
    ]
    assert [e.language for e in read if e.kind == "code"] == [language]
    # What defines it is no text of the page.
    assert [e.text for e in read if not e.heading_path] == []


def test_an_environment_of_prose_that_the_file_defines_is_prose() -> None:
    defined = "\\newenvironment{fares}{\\begin{quote}}{\\end{quote}}\n"
    text = f"{defined}\\section{{A}}\n\\begin{{fares}}Pay \\emph{{it}}.\\end{{fares}}"
    assert [(e.kind, e.text) for e in parsed_here(text, "a.tex").elements][1:] == [("paragraph", "Pay it.")]


@pytest.mark.parametrize(
    ("definition", "use", "said"),
    [
        ("\\NewDocumentCommand{\\of}{m m}{#2 of #1}", "\\of{bees}{hives}", "hives of bees"),
        (
            "\\NewDocumentCommand\\of{O{bees} m}{#2 of #1}",
            "\\of{hives}, \\of[ants]{hills}",
            "hives of bees, hills of ants",
        ),
        ("\\DeclareDocumentCommand{\\bee}{}{honey bee}", "A \\bee.", "A honey bee."),
        ("\\NewDocumentCommand{\\of}{d() m}{\\IfValueTF{#1}{a}{b}}", "\\of{hives}", "hives"),
        ("\\newcommand\\of[2]{#2 of #1}", "\\of{bees}{hives}", "hives of bees"),
    ],
)
def test_a_command_of_a_document_is_what_it_stands_for(definition: str, use: str, said: str) -> None:
    read = parsed_here(f"\\section{{A}}\n{definition}\n\n{use}", "a.tex").elements
    assert [e.text for e in read][1:] == [said]


@pytest.mark.parametrize(
    "text",
    [
        "\\lstinline{" * 20_000,
        "\\mintinline" * 20_000,
        "\\newminted{a}" * 5_000,
        "\\lstnewenvironment{a}{" * 5_000,
        "\\NewDocumentCommand{\\a}{m}{\\a{#1}}" * 5_000,
        "\\NewDocumentCommand\\a{" + "m" * 50_000,
    ],
)
def test_definitions_and_code_without_ends_are_read(text: str) -> None:
    assert parsed_here(f"\\section{{A}}\nWords.\n\n{text}", "a.tex").text.startswith("A\n\nWords.")
