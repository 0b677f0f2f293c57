"""Words of DocBook that stand outside of paragraphs, and links without words, are read where they stand."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here


def test_words_that_no_paragraph_is_around_are_read_where_they_stand() -> None:
    book = (
        "<article><title>Ports</title><section><title>Tides</title>The sea <emphasis>rises</emphasis> here."
        "<para/>And falls.<programlisting>tide --now</programlisting>So it goes.</section></article>"
    )
    shown = [(e.kind, e.text) for e in parsed_here(book, "ports.xml").elements if e.kind != "title"]
    assert shown == [
        ("paragraph", "The sea rises here."),
        ("paragraph", "And falls."),
        ("code", "tide --now"),
        ("paragraph", "So it goes."),
    ]


@pytest.mark.parametrize(
    "link", ["<ulink url='https://e.org/a'/>", "<link xlink:href='https://e.org/a'></link>"]
)
def test_a_link_without_words_is_shown_as_its_address(link: str) -> None:
    book = (
        "<article xmlns:xlink='http://www.w3.org/1999/xlink'><title>Ports</title><section><title>Tides</title>"
        f"<para>See {link} or <ulink url='https://e.org/b'>this</ulink>.</para></section></article>"
    )
    assert "See https://e.org/a or this." in parsed_here(book, "ports.xml").text
