"""A manual page gives what a reader of it sees, by the macros of man and of mdoc."""

import pytest

from footnote_ingest.parsing.table_text import rows_to_text
from tests.unit.ingest.parsing.here import parsed_here

MAN = r""".\" A comment.
.TH FERRY "1" "May 2020"
.ds Ha the Harbour
.de XX
.B secret
..
.SH NAME
ferry \- cross \*(Ha
.SH OPTIONS
.TP
\fB\-a\fR, \fB\-\-all\fR
take all\(emand
.I more
.IP "\(bu" 2
A point.
.if t .B not for terminals
.ie n \{\
Shown here.
.\}
.el \{\
.B Shown elsewhere.
.\}
.SS "Fares of a day"
.nf
ferry --fare \e
  5
.fi
.TS
tab(;) box;
l l.
Day;Fare
Monday;5
.TE
"""

MDOC = r""".Dd $Mdocdate: May 3 2020 $
.Dt FERRY 8
.Sh NAME
.Nm ferry
.Nd cross the harbour
.Sh DESCRIPTION
.Nm
takes
.Op Fl a Ar place .
.Bl -tag -width Ds
.It Fl c Ar fare
Pay it; see
.Xr port 5 .
.El
.Bd -literal -offset indent
$ ferry -c 5
.Ed
"""


def shown(text: str, name: str = "ferry.1") -> list[tuple[str, str]]:
    return [(element.kind, element.text) for element in parsed_here(text, name).elements]


def test_the_macros_of_man_become_structure() -> None:
    assert shown(MAN) == [
        ("title", "NAME"),
        ("paragraph", "ferry - cross the Harbour"),
        ("title", "OPTIONS"),
        ("list", "-a, --all\ntake all—and more"),
        ("list", "•\nA point. Shown here."),
        ("title", "Fares of a day"),
        ("code", "ferry --fare \\\n  5"),
        ("table", rows_to_text([["Day", "Fare"], ["Monday", "5"]])),
    ]
    extracted = parsed_here(MAN, "ferry.1")
    assert (extracted.title, extracted.mime) == ("ferry(1)", "text/troff")
    assert extracted.elements[-1].heading_path == ("OPTIONS", "Fares of a day")


def test_the_macros_of_mdoc_become_structure() -> None:
    assert shown(MDOC, "ferry.8") == [
        ("title", "NAME"),
        ("paragraph", "ferry - cross the harbour"),
        ("title", "DESCRIPTION"),
        ("paragraph", "ferry takes [-a place]."),
        ("list", "-c fare\nPay it; see port(5)."),
        ("code", "$ ferry -c 5"),
    ]


@pytest.mark.parametrize("name", ["ferry.1", "ferry", "ferry.m", "ferry.txt", "ferry.8.in"])
def test_a_manual_page_is_told_by_its_text(name: str) -> None:
    assert parsed_here(MAN, name).mime == "text/troff"


def test_prose_about_the_macros_is_no_manual_page() -> None:
    assert parsed_here("The macro is\n.TH and begins a page.\n", "notes.txt").mime == "text/plain"


@pytest.mark.parametrize(
    "line",
    [
        "\\" * 200_000,
        ".B " + '"' * 200_000,
        "\\f[" * 70_000,
        ".if n " * 30_000,
        ".PP\n\\fBA" + " b" * 100_000 + "!\\fR\n.PP\nC.",
    ],
)
def test_a_huge_line_of_marks_is_read(line: str) -> None:
    assert parsed_here(f".TH A 1\n.SH B\nWords.\n{line}\n", "a.1").text.startswith("B\n\nWords.")


def test_what_is_left_out_ends_where_the_page_says() -> None:
    page = (
        ".TH FERRY 1\n.SH NAME\nferry\n.if n .ig ++\nsecret\n.++x\nsecret\n.++\nIt sails.\n"
        ".de XX YY\n.B secret\n.YY\n.ig\nsecret\n..\nIt lands.\n"
    )
    extracted = parsed_here(page.encode(), "ferry.1")
    assert [element.text for element in extracted.elements] == ["NAME", "ferry It sails. It lands."]


def test_what_is_set_about_equations_is_no_text() -> None:
    page = ".TH FERRY 1\n.SH NAME\nferry\n.EQ\ndelim $$\nx sub 1\n.EN\ndelim is a word.\n"
    extracted = parsed_here(page.encode(), "ferry.1")
    assert extracted.elements[-1].text == "ferry x sub 1 delim is a word."
    assert extracted.warnings == ("Equations stand as their source for `eqn`: 1.",)
    assert parsed_here(page.replace(".EQ", ".XX"), "ferry.1").warnings == ()


HEAD = ".TH FERRY 1\n.SH NAME\nferry\n"


def behind_head(page: str) -> list[tuple[str, str]]:
    return shown(HEAD + ".SH USE\n" + page)[3:]


def test_examples_in_a_macro_of_the_page_are_code() -> None:
    defined = '.de SAMPLE\n.br\n.RS\n.nf\n..\n.de ENDSAMPLE \\" the end\n.fi\n.RE\n..\n'
    assert behind_head(defined + "Call it so:\n.SAMPLE\nferry -a\n  -b\n.ENDSAMPLE\nIt sails.\n") == [
        ("paragraph", "Call it so:"),
        ("code", "ferry -a\n  -b"),
        ("paragraph", "It sails."),
    ]


def test_a_macro_of_the_page_says_its_words_with_those_of_the_call() -> None:
    defined = '.de OPT\n.TP\n\\fB\\-\\-\\\\$1\\fR \\\\$2\n..\n.de Sp \\" space\n.if n .sp\n..\n.\\"\n'
    assert behind_head(f'{defined}.OPT fare "of a day"\nPay it.\n.Sp\nThen sail.\n') == [
        ("list", "--fare of a day\nPay it. Then sail.")
    ]


def test_what_a_page_defines_for_itself_does_not_change_the_macros_that_are_known() -> None:
    assert behind_head(".de nf\n..\n.de B\nsecret\n..\n.nf\nferry\n.fi\n.B It sails.\n") == [
        ("code", "ferry"),
        ("paragraph", "It sails."),
    ]


def test_macros_that_call_each_other_come_to_an_end() -> None:
    twice = "".join(f".de M{at}\n" + f"word\n.M{at + 1}\n" * 90 + "..\n" for at in range(9))
    assert parsed_here(
        f"{HEAD}.SH USE\n{twice}.M0\n.de ME2\n.ME2\n..\n.ME2\nThe end.\n", "a.1"
    ).text.endswith("The end.")


def test_a_table_whose_layout_is_left_out_shows_its_rows_alone() -> None:
    assert behind_head(".TS\nallbox;\nferry [OPTIONS]\tPIER\n.TE\n") == [
        ("table", rows_to_text([["ferry [OPTIONS]", "PIER"]])),
    ]


def test_a_cell_of_a_table_may_hold_several_lines() -> None:
    rows = "Day;T{\nThe fare\n.B of\na day\nT};Pier\n_\nMonday;5;\\^\n.T&\nl s s.\nTuesday\n"
    assert behind_head(f".TS\ntab(;) box;\nl l l\nl l l.\n{rows}.TE\nIt sails.\n") == [
        ("table", rows_to_text([["Day", "The fare of a day", "Pier"], ["Monday", "5", ""], ["Tuesday"]])),
        ("paragraph", "It sails."),
    ]


def test_a_synopsis_has_its_options_in_brackets() -> None:
    page = ".SY ferry\n.OP \\-\\-fare number\n.OP \\-a\n.I pier\n.YS\n.SY ferry\n.B \\-\\-help\n.YS\n"
    assert behind_head(page) == [
        ("paragraph", "ferry [--fare number] [-a] pier"),
        ("paragraph", "ferry --help"),
    ]


def test_the_braces_of_a_condition_are_no_text() -> None:
    assert behind_head(".if \\n(.H>23 .if \\n(.V>19 \\\n\\{\\\n.    ds a b\n.\\}\nIt sails.\n") == [
        ("paragraph", "It sails.")
    ]


def test_spaces_and_quotes_that_an_escape_stands_for_part_no_words() -> None:
    page = '.RB [ \\-r\\~\\c\n.IR root ]\n.PP\n.ds L" ""\n.IP "\\*(L"fare\\*(L" (a day)" 4\nPay it.\n'
    assert behind_head(page) == [("paragraph", "[-r root]"), ("list", '"fare" (a day)\nPay it.')]


def test_a_condition_on_two_strings_is_looked_at() -> None:
    page = '.ds x a\n.if \'\\*x\'a\' It sails.\n.if !"a"a" secret\n.ie "a"b" secret\n.el It lands.\n'
    assert behind_head(page) == [("paragraph", "It sails. It lands.")]


def test_addresses_stand_behind_what_they_are_of() -> None:
    page = '.URL https://a.example "Timetable" .\n.MTO a@b.example "Ann Lee" ","\n.URL https://c.example\n'
    assert behind_head(page) == [
        ("paragraph", "Timetable <https://a.example>. Ann Lee <a@b.example>, https://c.example")
    ]


def test_a_reference_of_mdoc_is_one_sentence() -> None:
    page = MDOC + ".Pp\n.Rs\n.%A Ann Lee\n.%T Ferries of\n.%D 1999\n.Re\nIt sails.\n"
    assert shown(page, "ferry.8")[-1] == ("paragraph", "Ann Lee, Ferries of, 1999. It sails.")


@pytest.mark.parametrize(
    ("named", "title"),
    [
        ("FERRY", "ferry(1)"),
        ("Ports::Ferry", "Ports::Ferry(1)"),
        ('"The Ferry"', "The Ferry(1)"),
        ("ferry", "ferry(1)"),
    ],
)
def test_only_a_name_in_capitals_is_written_small(named: str, title: str) -> None:
    assert parsed_here(f".TH {named} 1\n.SH NAME\nferry\n", "a.1").title == title


@pytest.mark.parametrize(
    ("head", "section", "title"),
    [
        ("DBD::CSV 3pm", "DBD::CSV - tables in files", "DBD::CSV(3pm)"),
        ("DBI 3pm", "DBI \\- databases", "DBI(3pm)"),
        ("LS 1", "ls, dir - list files", "ls(1)"),
        ("XTERM 1", "the terminal", "xterm(1)"),
        ("Xnest 1", "xnest - a server", "xnest(1)"),
    ],
)
def test_a_page_is_called_as_it_calls_itself(head: str, section: str, title: str) -> None:
    assert parsed_here(f".TH {head}\n.SH NAME\n{section}\n.SH USE\nIt is used.\n", "a.1").title == title


def test_lines_that_are_drawn_with_blanks_stay_as_they_are() -> None:
    drawn = "    v off=0    v off=1\n ++++----++++  ... +++\n      ^off=-1\n"
    page = f".TH A 1\n.SH USE\nThe offset is\n{drawn}\nand that is all.\n"
    read = parsed_here(page, "a.1")
    assert [(e.kind, e.text) for e in read.elements[1:]] == [
        ("paragraph", "The offset is"),
        ("code", drawn.strip("\n")),
        ("paragraph", "and that is all."),
    ]
    # Prose whose lines begin with a blank by chance is a paragraph.
    prose = parsed_here(".TH A 1\n.SH USE\nIt is\n used by.  Two\n and more.\n", "a.1")
    assert [e.text for e in prose.elements[1:]] == ["It is used by.  Two and more."]


@pytest.mark.parametrize(
    ("line", "is_heading"),
    [
        ("\\fI\\fBOPEN option group\\fP\\fP", True),
        ("\\fBWays to the quay\\fR", True),
        (".B Ways to the quay", True),
        ("\\fIWays to the quay\\fR", False),
        (".B ferry --all", False),
        (".B Ferry -a quay", False),
        (".B Note: no ways", False),
        (".B Ways are closed.", False),
        (".B Ways", False),
        (".I Ways to the quay", False),
    ],
)
def test_a_bold_line_that_stands_alone_is_a_heading(line: str, is_heading: bool) -> None:
    page = f".TH A 1\n.SH USE\nIt is used.\n.PP\n{line}\n.PP\nThe text below.\n"
    said = parsed_here(page, "a.1").elements
    assert (said[-1].heading_path == ("USE", said[2].text)) is is_heading
    # What goes on in the same paragraph is emphasis, and what is bold in a synopsis is typed.
    within = parsed_here(page.replace(f"{line}\n.PP\n", f"{line}\n"), "a.1")
    typed = parsed_here(page.replace("SH USE", "SH SYNOPSIS"), "a.1")
    assert [e.kind for read in (within, typed) for e in read.elements].count("title") == 2


@pytest.mark.parametrize(
    ("shown", "kind"),
    [
        ("ferry -k quay", "code"),
        ("ferry", "paragraph"),
        ("The ferry leaves", "paragraph"),
        ("ferry -k quay\nferry", "paragraph"),
    ],
)
def test_a_line_set_in_that_begins_with_the_name_of_the_page_is_typed(shown: str, kind: str) -> None:
    page = f".TH FERRY 1\n.SH USE\nTo begin, type\n\n.RS\n{shown}\n.RE\n\nand wait.\n"
    assert [e.kind for e in parsed_here(page, "ferry.1").elements] == [
        "title",
        "paragraph",
        kind,
        "paragraph",
    ]
