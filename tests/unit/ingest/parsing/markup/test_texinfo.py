"""Texinfo gives what a reader of the manual sees."""

import pytest

from footnote_ingest.parsing.sniff import sniff
from tests.unit.ingest.parsing.here import parsed_here

MANUAL = r"""\input texinfo   @c -*-texinfo-*-
@c A comment.
@setfilename ferry.info
@settitle The Ferry @value{EDITION}
@set EDITION 2
@ifset EDITION
@settitle The Ferry, edition @value{EDITION}
@end ifset
@titlepage
@title Ferry
@author Ann Lee
@author Bob
@end titlepage
@macro pier{name}
the pier \name\
@end macro
@ifnottex
@node Top
@top Overview
@end ifnottex
@iftex
Only on paper.
@end iftex
@menu
* Crossing::  How to sail.
@end menu

@node Crossing, Fares, Top, Top
@chapter The @emph{Crossing}
@cindex sailing
Sail --- ``at once'' --- with @option{--fast} to Malm@"o, gar@,{c}on@footnote{Near the
caf@'e{}.}: see @ref{Fares,,All Fares} or @xref{Top,,, other, The Other Manual}. @c hidden
Write to @email{ann@@example.org, Ann} or look at @uref{https://example.org/pier, the map}.
It costs 5@dots{} @verb{|@{no}|} a@comma{} b.

@table @code
@item --fast
@itemx -f
Sail fast.
@end table
@itemize @bullet
@item
old men
and women
@item children
@enumerate
@item first
@item second
@end enumerate
@end itemize
@section Fares
@multitable @columnfractions .5 .5
@headitem Day @tab Fare
@item @b{Monday}
@tab 5
@end multitable
@example python
@group
def sail(x):
    return @{x@}  @c hidden
@end group
@end example
@verbatim
@section no
@end verbatim
@display
One line
  and another
@end display
@quotation Note
Bring a coat.
@end quotation
@deftypefn {Library Function} int sail (int @var{x}, @
  int @var{y})
@deftypefnx Macro int SAIL
Leaves the pier.
@end deftypefn
@defun land y
Lands.
@end defun
@bye
Nobody reads this.
"""


def test_the_commands_of_a_manual_become_elements() -> None:
    extracted = parsed_here(MANUAL, "ferry.texi")
    assert (extracted.mime, extracted.title) == ("text/x-texinfo", "The Ferry")
    assert extracted.metadata["author"] == "Ann Lee, Bob"
    assert [(element.kind, element.text) for element in extracted.elements] == [
        ("title", "Overview"),
        ("title", "The Crossing"),
        (
            "paragraph",
            "Sail — “at once” — with --fast to Malmö, garçon: see All Fares or See Top in The Other Manual. "
            "Write to Ann (ann@example.org) or look at the map (https://example.org/pier). "
            "It costs 5… @{no} a, b.",
        ),
        ("paragraph", "Near the café."),
        ("list", "--fast"),
        ("list", "-f\nSail fast."),
        ("list", "- old men and women"),
        ("list", "- children"),
        ("list", "1. first"),
        ("list", "2. second"),
        ("title", "Fares"),
        ("table", "Day | Fare\n--- | ---\nMonday | 5"),
        ("code", "def sail(x):\n    return {x}  "),
        ("code", "@section no"),
        ("paragraph", "One line\n  and another"),
        ("paragraph", "Note: Bring a coat."),
        ("list", "Library Function int sail (int x, int y)"),
        ("list", "Macro int SAIL\nLeaves the pier."),
        ("list", "Function: land y\nLands."),
    ]
    assert [element.heading_path for element in extracted.elements][-1] == ("The Crossing", "Fares")
    assert [e.language for e in extracted.elements if e.kind == "code"] == ["python", None]


def test_the_title_page_names_a_manual_without_another_title() -> None:
    assert parsed_here("@title Ferry\n@chapter One\nText.\n", "a.texi").title == "Ferry"


@pytest.mark.parametrize(
    ("text", "name", "mime"),
    [
        (MANUAL, "ferry.txt", "text/x-texinfo"),
        (MANUAL, "ferry", "text/x-texinfo"),
        (MANUAL, "ferry.tex", "text/x-texinfo"),
        ("\\input texinfo-notes\nText.\n", "ferry.txt", "text/plain"),
        ("\\section{Crossing}\n", "ferry.tex", "text/x-tex"),
    ],
)
def test_a_manual_is_told_by_its_first_line(text: str, name: str, mime: str) -> None:
    assert sniff(text.encode(), name).mime == mime


@pytest.mark.parametrize("flag", ["@ifset A\nkept\n@end ifset", "@ifclear B\nkept\n@end ifclear"])
def test_what_depends_on_a_flag_is_kept_or_left_out(flag: str) -> None:
    assert parsed_here(f"@set A 1\nWord\n{flag}\n", "a.texi").text == "Word kept"
    assert parsed_here(f"@set B 1\nWord\n{flag}\n", "a.texi").text == "Word"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("@chapter A\n@end table\ntext", "A\n\ntext"),
        ("@example\ntext", "text"),
        ("@code{text", "text"),
        ("@U{D800}text @U{110000}", "\ufffdtext"),
        ("text} @unknown @b", "text @unknown @b"),
        ("@item text", "text"),
    ],
)
def test_a_broken_manual_keeps_its_words(text: str, shown: str) -> None:
    assert parsed_here(text, "a.texi").text == shown


@pytest.mark.parametrize(("depth", "shown"), [(20, "y"), (21, "x, y")])
def test_arguments_are_collected_twenty_deep(depth: int, shown: str) -> None:
    """A reference shows its label; one that is deeper shows all of its text."""
    text = "@ref{" * depth + "x, y" + "}" * depth
    assert parsed_here(f"Word {text}", "a.texi").text == f"Word {shown}"


def test_of_a_part_of_a_manual_both_sides_of_a_condition_are_read() -> None:
    said = (
        "@ifset rawfile\n@section Usage\n\nType it.\n\n@end ifset\n@ifclear rawfile\nRead it.\n@end ifclear\n"
    )
    part = parsed_here(f"@c part\n{said}", "a.texi").text
    assert "Type it." in part
    assert "Read it." in part
    # A whole manual, and a flag that the file itself sets, have one answer.
    whole = parsed_here(f"\\input texinfo\n{said}@bye\n", "a.texi").text
    assert "Type it." not in whole
    assert "Read it." in whole
    told = parsed_here(f"@c part\n@set rawfile\n{said}", "a.texi").text
    assert "Type it." in told
    assert "Read it." not in told


def test_an_entry_of_the_directory_and_lines_above_the_input_are_no_text() -> None:
    entry = "@format\nSTART-INFO-DIR-ENTRY\n* Ferries: (ferries).  Ships.\nEND-INFO-DIR-ENTRY\n@end format\n"
    manual = (
        f"%%% -*-texinfo-*-\n\\tolerance=2000\n\\input texinfo\n@settitle Ferries\n{entry}\nShips sail.\n"
    )
    assert parsed_here(manual, "a.texi").text == "Ships sail."


def test_an_entry_of_the_directory_without_an_end_takes_nothing() -> None:
    manual = "\\input texinfo\n@settitle Ferries\n\nSTART-INFO-DIR-ENTRY\n\nShips sail.\n"
    assert "Ships sail." in parsed_here(manual, "a.texi").text
