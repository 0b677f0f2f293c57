"""Manual pages in DocBook show their synopses and references as such pages do."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here

PAGE = """<?xml version="1.0"?>
<refentry><refnamediv><refname>sail</refname><refpurpose>leave the harbour</refpurpose></refnamediv>
<refsynopsisdiv>{}</refsynopsisdiv><refsect1><title>Description</title><para>{}</para></refsect1></refentry>
"""


def code_of(synopsis: str) -> list[str]:
    page = PAGE.format(synopsis, "Ships leave.")
    return [e.text for e in parsed_here(page, "sail.xml").elements if e.kind == "code"]


@pytest.mark.parametrize(
    ("inside", "line"),
    [
        ("<command>sail</command>\n <arg>-v</arg>\n <arg choice='plain'>now</arg>", "sail [-v] now"),
        ("<command>sail</command> <arg choice='req' rep='repeat'>ship</arg>", "sail {ship}..."),
        (
            "<command>sail</command><group choice='req'><arg>-a</arg>"
            "<arg>-b <replaceable>n</replaceable></arg></group>"
            "<sbr/><command>sail</command> <arg>--tide=<replaceable>high</replaceable></arg>",
            "sail {-a | -b n}\nsail [--tide=high]",
        ),
        (
            "<command>sail</command> <arg><group><option>-a</option><option>-b</option></group> port</arg>",
            "sail [[-a | -b] port]",
        ),
    ],
)
def test_a_command_has_its_brackets(inside: str, line: str) -> None:
    assert code_of(f"<cmdsynopsis>{inside}</cmdsynopsis>") == [line]


def test_functions_have_brackets_around_their_parameters() -> None:
    prototype = "<funcprototype><funcdef>int <function>{}</function></funcdef>{}</funcprototype>"
    two = "<paramdef>char *<parameter>ship</parameter></paramdef><varargs/>"
    functions = prototype.format("sail", two) + prototype.format("moor", "<void/>")
    synopsis = (
        f"<funcsynopsis><funcsynopsisinfo>#include &lt;sea.h&gt;</funcsynopsisinfo>{functions}</funcsynopsis>"
    )
    assert code_of(synopsis) == ["#include <sea.h>\nint sail(char *ship, ...);\nint moor(void);"]


def test_a_reference_has_its_section_in_brackets() -> None:
    cited = "<citerefentry>\n<refentrytitle>tide</refentrytitle>\n<manvolnum>8</manvolnum></citerefentry>"
    page = PAGE.format("<synopsis>sail</synopsis>", f"Ships ask {cited} first.")
    assert parsed_here(page, "sail.xml").elements[-1].text == "Ships ask tide(8) first."


def test_a_prefix_that_only_the_type_of_the_document_declares_is_read() -> None:
    included = "Ships leave.</para><xi:include href='more.xml'/><para>Ships come."
    extracted = parsed_here(PAGE.format("<synopsis>sail</synopsis>", included), "sail.xml")
    assert [e.text for e in extracted.elements][-2:] == ["Ships leave.", "Ships come."]
    assert [e.text for e in extracted.elements if e.kind == "title"] == ["sail", "Description"]


def test_an_entity_may_have_a_name_of_one_letter() -> None:
    page = PAGE.format("<synopsis>sail</synopsis>", "Use &s; now.")
    page = page.replace("<refentry>", "<!DOCTYPE refentry [<!ENTITY s 'sail'>]><refentry>")
    assert parsed_here(page, "sail.xml").elements[-1].text == "Use sail now."
