"""What a manual page makes of the requests of roff: macros, strings and signs of its own, and typed lines."""

from collections.abc import Sequence

import pytest

from tests.unit.ingest.parsing.here import parsed_here

HEAD = ".TH SHIP 1\n.SH NAME\nship \\- sail\n"


def read(body: str) -> Sequence[tuple[str, str]]:
    found = parsed_here(HEAD + body, "ship.1").elements
    return [(element.kind, element.text) for element in found][2:]


def test_a_page_may_set_its_examples_by_a_known_macro() -> None:
    own = ".rn RS Rs\n.de RS\n.nf\n.Rs\n..\n.de RE\n.Re\n.fi\n..\n"
    assert read(f"{own}.SH RULES\nSort all:\n.RS\n:0:\n* ^TOship\n.RE\nIt is sorted.\n")[1:] == [
        ("paragraph", "Sort all:"),
        ("code", ":0:\n* ^TOship"),
        ("paragraph", "It is sorted."),
    ]


def test_a_condition_within_a_branch_does_not_choose_the_other_branch() -> None:
    branches = ".ie n \\{\\\n. ds Q \"\"\n. if (1m=24u) .ds D x\n'br\\}\n.el\\{\\\n. ds Q\n'br\\}\n"
    assert read(f"{branches}.PP\nThe \\*Qferry\\*Q runs.\n")[-1] == ("paragraph", 'The "ferry" runs.')


@pytest.mark.parametrize("test", ["\\n(.g", "\\n[.g]"])
def test_pages_are_read_as_groff_reads_them(test: str) -> None:
    assert read(f".ie {test} .ds Q \\(lq\n.el .ds Q ``\n.PP\n\\*Qferry\n")[-1] == ("paragraph", "“ferry")


def test_a_macro_may_have_another_name() -> None:
    assert ("title", "RULES") in read(".als Head SH\n.Head RULES\nAll.\n")
    assert ("title", "RULES") in read(".rn SH Head\n.Head RULES\nAll.\n")


def test_a_string_may_have_another_name() -> None:
    assert read(".ds Ship ferry\n.als Boat Ship\n.PP\nThe \\*[Boat] runs.\n")[-1][1] == "The ferry runs."


def test_a_page_may_define_a_sign() -> None:
    assert read(".char \\[boat] <=>\n.PP\nA \\[boat] and \\[->].\n")[-1][1] == "A <=> and →."


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("\\f[V]ship --sail home\\f[R]", "code"),
        ("\\f(CWship --sail home\\fR", "code"),
        ("\\f[V]ship\\f[R] sails home", "paragraph"),
        ("\\f[V]ship\\f[R]\nsails home", "paragraph"),
    ],
)
def test_a_paragraph_in_letters_of_a_typewriter_is_code(line: str, kind: str) -> None:
    assert read(f".SH WAYS\nSay:\n.PP\n{line}\n")[-1][0] == kind


@pytest.mark.parametrize(
    ("above", "line", "kind"),
    [
        ("A page includes another by the form", 'include "name"', "code"),
        ("Say:", "sail --home", "code"),
        ("It is old.", 'include "name"', "paragraph"),
        ("Say:", "The ship sails --home.", "paragraph"),
        ("Its office:", "Quay Street 4", "paragraph"),
    ],
)
def test_a_typed_line_that_is_set_in_is_code(above: str, line: str, kind: str) -> None:
    assert read(f".SH WAYS\n{above}\n.RS\n{line}\n.RE\n")[-1] == (kind, line)


@pytest.mark.parametrize(
    ("pairs", "said", "printed"),
    [
        ("\\(*W-", "six \\*(-- seven", "six -- seven"),
        ("~", "pier~6", "pier 6"),
        ("abcd", "ac", "bd"),
        ("!\\[->]", "a!b", "a→b"),
        ("", "pier~6", "pier~6"),
    ],
)
def test_a_page_may_have_characters_printed_for_others(pairs: str, said: str, printed: str) -> None:
    body = f".tr {pairs}\n.ds -- \\(*W-\n.PP\nThus {said}.\n"
    assert read(body)[-1] == ("paragraph", f"Thus {printed}.")


_LINKS_OF_ASCIIDOCTOR = (
    ".de URL\n\\fI\\\\$2\\fP <\\\\$1>\\\\$3\n..\n.als MTO URL\n"
    ".if \\n[.g] \\{\\\n.  mso www.tmac\n.  am URL\n.    ad l\n.  .\n.  am MTO\n.    ad l\n.  .\n"
    ".  LINKSTYLE blue R < >\n.\\}\n"
)


def test_a_definition_may_end_with_a_mark_that_is_set_in() -> None:
    assert read(f"{_LINKS_OF_ASCIIDOCTOR}.SH FERRIES\nThe ferry runs.\n")[-1] == (
        "paragraph",
        "The ferry runs.",
    )


@pytest.mark.parametrize(
    ("maker", "kinds"),
    [('.\\" Generator: Asciidoctor 2.0.15\n', ["title", "list"]), ("", ["title", "title", "paragraph"])],
)
def test_bold_words_above_set_in_text_are_terms_where_asciidoctor_made_the_page(
    maker: str, kinds: Sequence[str]
) -> None:
    found = parsed_here(
        f"{maker}{HEAD}.SH PORTS\n.sp\n\\fBStd Dev\\fP\n.RS 4\nHow it varies.\n.RE\n", "ship.1"
    )
    assert [element.kind for element in found.elements][2:] == kinds


def test_a_further_tag_ends_the_text_of_the_tag_above_it() -> None:
    page = ".TH SAIL 1\n.SH OPTIONS\n.TP\n-a\ntakes all\n.TQ\n-b\ntakes both\n.TP\n-c\n.TQ\n--cut\ncuts\n"
    said = [element.text for element in parsed_here(page, "sail.1").elements if element.kind == "list"]
    assert said == ["-a\ntakes all", "-b\ntakes both", "-c", "--cut\ncuts"]


def test_a_heading_without_words_takes_the_next_line_and_no_later_one() -> None:
    page = ".TH SAIL 1\n.SH\n.B OPTIONS\n.SS\n.SS Flags:\n.TP\n.B -a\ntakes all\n.SH\n.TP\n-b\ntakes both\n"
    read = parsed_here(page, "sail.1").elements
    assert [(element.kind, element.text) for element in read] == [
        ("title", "OPTIONS"),
        ("title", "Flags:"),
        ("list", "-a\ntakes all"),
        ("list", "-b\ntakes both"),
    ]
