"""Code within a line of LaTeX, by signs and names that the file chooses."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here


def said(body: str, preamble: str = "") -> str:
    source = f"\\documentclass{{article}}\n{preamble}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    return parsed_here(source, "a.tex").text


@pytest.mark.parametrize("mark", "+|!")
def test_an_address_may_stand_between_two_signs(mark: str) -> None:
    assert said(f"See \\url{mark}\\citet{{Me}}{mark} there.") == "See \\citet{Me} there."


def test_an_address_that_nothing_ends_is_none() -> None:
    assert said("See \\url+here.\n\nAnd + so on.") == "See +here.\n\nAnd + so on."


@pytest.mark.parametrize(
    "short",
    [
        "\\MakeShortVerb{\\|}",
        "\\MakeShortVerb*{\\|}",
        "\\lstMakeShortInline[style=x]|",
        "\\lstMakeShortInline{|}",
    ],
)
def test_signs_that_the_file_chooses_hold_code(short: str) -> None:
    assert said("Say |\\sail{home}| and $5$.", short) == "Say \\sail{home} and 5."


def test_such_signs_mean_nothing_else_in_code_in_comments_and_before() -> None:
    body = "A|b.\n\n\\verb+|x|+ and 1 % |y\n\n\\begin{verbatim}\n|a| \\b\n\\end{verbatim}\n\nIt is |\\c|."
    read = said(body.replace("A|b", "A b"), "\\MakeShortVerb{\\|}")
    assert read == "A b.\n\n|x| and 1\n\n|a| \\b\n\nIt is \\c."
    assert (
        "c"
        in said("It is |\\c|.\n\n\\DeleteShortVerb{\\|}It is |c|.", "\\MakeShortVerb{\\|}").rpartition("|c|")[
            1
        ]
    )


def test_code_of_one_language_has_a_command_of_its_own() -> None:
    assert said("Say \\py|x[\\a]| now.", "\\newmintinline[py]{python}{}") == "Say x[\\a] now."
    assert said("Say \\rubyinline|x| now.", "\\newmintinline{ruby}{}") == "Say x now."


def test_an_at_sign_is_text_of_a_macro() -> None:
    assert said("Its \\kw{defn} is.", "\\newcommand\\kw[1]{\\texttt{@#1}}") == "Its @defn is."
    assert said("Its \\kw{defn} is.", "\\newcommand\\kw[1]{\\@sail #1}") == "Its defn is."


def test_arguments_may_be_long() -> None:
    assert said("\\kw{a}{b}", "\\NewDocumentCommand{\\kw}{+m m}{#2 before #1}") == "b before a"


@pytest.mark.parametrize(
    "setting",
    [
        r"\setkeys{Gin}{width=0.7\textwidth}",
        r"\captionsetup{font=small}",
        r"\titleformat{\section}{\bf}{x}{1em}{}",
        r"\titlespacing{\section}{0pt}{1pt}{2pt}",
        r"\tolerance=1000 ",
        r"\setmonofont[Scale=0.7]{Mono}",
    ],
)
def test_settings_in_the_midst_of_a_text_are_no_words(setting: str) -> None:
    assert said(f"It {setting}sails.") == "It sails."


@pytest.mark.parametrize("name", ["url", "href", "path", "nolinkurl"])
def test_a_per_cent_sign_in_an_address_hides_nothing_behind_it(name: str) -> None:
    shown = "{ships}" if name == "href" else ""
    text = said(f"See \\{name}{{https://example.org/a%20b}}{shown} there.\n\n\\section{{Piers}}\n")
    assert "https://example.org/a%20b" in text
    assert text.split("\n")[-1] == "Piers"


def test_a_comment_ends_the_line_of_an_address_and_stands_in_other_arguments() -> None:
    assert said("See \\emph{a ship % and no quay}\n} there.") == "See a ship there."
    assert said("See \\url{https://example.org/%\n} there.").startswith("See https://example.org/")
