"""The characters, links and headings of a manual page are those that a reader of it sees."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here

HEAD = ".TH FERRY 1\n.SH NAME\nferry\n"


def behind_head(page: str) -> list[tuple[str, str]]:
    read = parsed_here(f"{HEAD}.SH USE\n{page}", "ferry.1").elements[3:]
    return [(element.kind, element.text) for element in read]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (r"Malm\[o ad], \[a aa], \[u0065_0301] and \(vc", "Malmö, á, é and č"),
        (r"\[char39]quay\N'39' of \C'em'", "'quay' of —"),
        (r"caf\o'e\(aa' and \o'=/'", "café and =/"),
        (r"\[ferry] and \[u110000] \W", r"\[ferry] and � W"),
        ("non\u2010stop and non\u00adstop and non\\[hy]stop", "non-stop and non-stop and non-stop"),
        (r"\h'-04'\(bu\h'+03'sail\h'\w'abc'u'ing", "• sailing"),
        ("all a\\\nshore", "all ashore"),
        ("\\fBall\\fR\\c\naboard", "allaboard"),
        (".ie n \\{\\\n\\h'-04'\\(bu\\h'+03'\\c\n.\\}\n.el \\{\\\n.IP \\(bu 2\n.\\}\nsail", "• sail"),
        ("the quay \\e\nand more", "the quay \\ and more"),
    ],
)
def test_every_character_is_shown(line: str, said: str) -> None:
    assert behind_head(f"{line}\n") == [("paragraph", said)]


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (
            ".UR https://a.example\nthe timetable\n.UE ,\nand\n.MT a@b.example\n.ME .\n",
            ("paragraph", "the timetable <https://a.example>, and a@b.example."),
        ),
        (".TP\n.UR https://a.example\nTimes\n.UE :\nAll.\n", ("list", "Times <https://a.example>:\nAll.")),
        (".UR #fares\nfares\n.UE .\n", ("paragraph", "fares.")),
    ],
)
def test_a_link_has_its_words_then_its_address_and_what_follows_at_once(
    page: str, expected: tuple[str, str]
) -> None:
    assert behind_head(page) == [expected]


def test_a_bold_line_above_text_that_is_set_in_is_its_heading_or_its_term() -> None:
    page = (
        '.SS "int sail (int quay)"\nSails.\n.PP\n\\fBParameters\\fP\n.RS 4\n\\fIquay\\fP the quay\n.RE\n.PP\n'
        "\\fB\\-\\-all\\fR, \\fB\\-a\\fR\n.RS 4\nAll of them.\n.RE\n"
    )
    read = parsed_here(HEAD + ".SH USE\n" + page, "a.1").elements[3:]
    assert [(e.kind, e.text, e.heading_path[2:]) for e in read] == [
        ("title", "int sail (int quay)", ()),
        ("paragraph", "Sails.", ()),
        ("title", "Parameters", ("Parameters",)),
        ("paragraph", "quay the quay", ("Parameters",)),
        ("list", "--all, -a\nAll of them.", ("Parameters",)),
    ]


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("sail.quay\n.RS 4\nA quay.\n.RE\n", [("list", "sail.quay\nA quay.")]),
        ("Sail to\n.RS\nA quay.\n.RE\n", [("paragraph", "Sail to"), ("paragraph", "A quay.")]),
        ("Sail to:\n.RS 4\nA quay.\n.RE\n", [("paragraph", "Sail to:"), ("paragraph", "A quay.")]),
    ],
)
def test_a_plain_term_is_one_where_docbook_sets_its_text_in(
    page: str, expected: list[tuple[str, str]]
) -> None:
    assert behind_head(page) == expected


def test_a_long_declaration_is_headed_by_its_name_and_stays_whole() -> None:
    declared = "int ferry::sail (" + ", ".join(f"int number_of_quay_{at}" for at in range(20)) + ")"
    read = parsed_here(f'{HEAD}.SH USE\n.SS "{declared}"\nSails.\n', "a.1").elements[3:]
    assert [(e.kind, e.text) for e in read] == [
        ("title", "int ferry::sail"),
        ("paragraph", declared),
        ("paragraph", "Sails."),
    ]
    assert read[-1].heading_path == ("USE", "int ferry::sail")


def test_the_line_below_a_section_without_a_name_is_its_name() -> None:
    assert behind_head(".SH\nFares \\& more\nPay.\n")[-2:] == [
        ("title", "Fares  more"),
        ("paragraph", "Pay."),
    ]


@pytest.mark.parametrize(
    "lines",
    [
        "a\\\n" * 100_000,
        "a\\c\n" * 100_000,
        ".Bl -column\n" * 20_000,
        ".UR x\n.UE y\n" * 50_000,
        ".Oo\n" * 50_000,
        ".Op " * 40_000,
        "\\o'" * 50_000,
        "\\[" + "a " * 100_000,
        "\\w'" * 50_000,
        ".Fo a\n" + ".Fa b\n" * 50_000,
    ],
)
def test_a_page_of_open_ends_is_read(lines: str) -> None:
    assert parsed_here(f".TH A 1\n.SH B\nWords.\n{lines}\n", "a.1").text.startswith("B\n\nWords.")


@pytest.mark.parametrize(
    ("section", "kind"), [("AUTHORS", "paragraph"), ("COPYRIGHT AND LICENSE", "paragraph"), ("FILES", "code")]
)
def test_what_is_said_of_people_and_rights_is_no_code(section: str, kind: str) -> None:
    page = f"{HEAD}.SH {section}\n.nf\nAnn Mole\nFerry is a trademark of the port.\n.fi\n"
    last = parsed_here(page, "ferry.1").elements[-1]
    assert (last.kind, last.text) == (kind, "Ann Mole\nFerry is a trademark of the port.")


def test_a_string_may_hold_a_font() -> None:
    page = ".ds T< \\\\FC\n.ds T> \\\\F[\\n[.fam]]\nCall \\*(T<ferry\\*(T> now.\n"
    assert behind_head(page) == [("paragraph", "Call ferry now.")]
