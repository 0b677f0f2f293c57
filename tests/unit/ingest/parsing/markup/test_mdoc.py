"""A page in mdoc says what its macros stand for, spaced and listed as it is printed."""

import pytest

from footnote_ingest.parsing.table_text import rows_to_text
from tests.unit.ingest.parsing.here import parsed_here


def mdoc(page: str, section: str = "USE") -> list[tuple[str, str]]:
    head = f".Dd May 3 2020\n.Dt FERRY 3\n.Os\n.Sh NAME\n.Nm ferry\n.Nd boats\n.Sh {section}\n"
    read = parsed_here(head + page, "ferry.3").elements[2:]
    return [(element.kind, element.text) for element in read[1:]]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('.Fn sail "const char *quay" "int fare" .', "sail(const char *quay, int fare)."),
        ("See\n.Fn port ,\n.In ferry.h .", "See port(), <ferry.h>."),
        ('.Fo sail\n.Fa "int quay"\n.Fa fare\n.Fc ,', "sail(int quay, fare),"),
        (".Lb libm ,\n.Lb libferry", "Math Library (libm, -lm), library “libferry”"),
        (".Pf ( Ar quay )\n.No boat Ap s", "(quay) boat's"),
        (".Fl Fl fare Ns = Ns Ar sum", "--fare=sum"),
        (".Fl a | b", "-a | -b"),
        (".Fl a b", "-a -b"),
        (".Oo\n.Fl a\n.Oc Ns Ar x", "[-a]x"),
        (".Op Fl a Ar x .", "[-a x]."),
        ('.Li \\&Ns\n.Em "Op" .', "Ns Op."),
        (
            ".St -p1003.1-2008 ,\n.St -isoC-99",
            "IEEE Std 1003.1-2008 (“POSIX.1”), ISO/IEC 9899:1999 (“ISO C99”)",
        ),
        (".At v7\n.At V.4\n.Bx 4.3 tahoe", "Version 7 AT&T UNIX AT&T System V Release 4 UNIX 4.3BSD-Tahoe"),
        (".Fx 9.0 .", "FreeBSD 9.0."),
        (
            ".Lk https://a.example the timetable .\n.Mt a@b.example",
            "the timetable <https://a.example>. a@b.example",
        ),
        (".Sm off\n.Ar host : port\n.Sm on\nand", "host:port and"),
        (".Ex -std", "The ferry utility exits 0 on success, and >0 if an error occurs."),
        (
            ".Rv -std sail land",
            "The sail() and land() functions return the value 0 if successful; otherwise the value -1 is "
            "returned and the global variable errno is set to indicate the error.",
        ),
        (".Ar\n.Ar a b ...", "file ... a b ..."),
        ('See\n.%T "Ferries, a tour" .', "See Ferries, a tour."),
        (".Ar ( x )\n.Ql ( Va > ,", "(x) (‘>’,"),
        (".Sq :\\&\nor \\*(Ge 1", "‘:’ or ≥ 1"),
        (
            ".Rs\n.%A A. Lee\n.%D 1999\n.%A B. Ott\n.%T Quays\n.%R No. 4\n.Re",
            "A. Lee and B. Ott, Quays, No. 4, 1999.",
        ),
    ],
)
def test_words_of_mdoc_are_said_as_it_prints_them(lines: str, said: str) -> None:
    assert mdoc(lines + "\n") == [("paragraph", said)]


def test_a_synopsis_of_functions_is_code() -> None:
    page = (
        '.In ferry.h\n.Ft int\n.Fn sail "const char *quay" "int fare"\n.Ft "struct quay *"\n'
        '.Fo land\n.Fa "int fare"\n.Fa "int quay"\n.Fc\n.Sh USE\nIt sails.\n'
    )
    assert mdoc(page, "SYNOPSIS")[:1] == [
        (
            "code",
            "#include <ferry.h>\n"
            "int sail(const char *quay, int fare);\nstruct quay *land(int fare, int quay);",
        )
    ]


def test_a_synopsis_has_each_call_for_itself() -> None:
    assert mdoc(".Nm\n.Op Fl a\n.Nm\n.Fl b\n", "SYNOPSIS") == [
        ("paragraph", "ferry [-a]"),
        ("paragraph", "ferry -b"),
    ]


def test_a_list_in_columns_is_a_table() -> None:
    page = (
        '.Bl -column "Day" "Fare"\n.It Sy Day Ta Sy Fare\n.It Monday Ta Fl a\nand more\n'
        ".It Tuesday\t5\n.It Wednesday\n.Ta\nfree\n.El\nIt sails.\n"
    )
    rows = [["Day", "Fare"], ["Monday", "-a and more"], ["Tuesday", "5"], ["Wednesday", "free"]]
    assert mdoc(page) == [("table", rows_to_text(rows)), ("paragraph", "It sails.")]


def test_items_are_marked_as_their_list_is() -> None:
    page = (
        ".Bl -enum\n.It\nPay.\n.It\nSail:\n.Bl -bullet\n.It\nfar\n.El\n.It\nLand.\n.El\n"
        ".Bl -tag\n.It Xo\n.Fl a\n.Ar x\n.Xc\nAll.\n.El\n"
    )
    assert mdoc(page) == [
        ("list", "1.\nPay."),
        ("list", "2.\nSail:"),
        ("list", "•\nfar"),
        ("list", "3.\nLand."),
        ("list", "-a x\nAll."),
    ]
