"""A text whose name says nothing is read as the markup that it is written in, and plain text stays plain."""

import pytest

from footnote_ingest.parsing.sniff import sniff

MARKDOWN = "# Ferry\n\nSee the [times](https://example.org/t).\n\n## Fares\n\nFive.\n"
FENCED = "Run this:\n\n```sh\nferry --all\n```\n"
RULED = "Fares\n\n| Day | Fare |\n|-----|------|\n| Monday | 5 |\n"
RST = "Ferry\n=====\n\nRun this::\n\n    ferry --all\n\nThen go.\n"
ORG = "#+TITLE: Ferry\n\n* Fares\n\nFive.\n"
ADOC = "Ferry\n=====\n\nSee link:fares.html[the fares].\n\n----\n$ ferry\n----\n\n== Times\n\nNoon.\n"
ADOC_ANCHORS = "[[ferry]]\nFerry\n-----\n\nGo.\n\n[[times]]\nTimes\n~~~~~\n\nNoon.\n"
RST_ROLES = "Call :func:`cross` at noon.\n\n.. note:: Mind the tide.\n"

PLAIN = {
    "stars": "Take two *stars* and **more** of them.\n\n* a point\n* another\n",
    "underlined": "Ferry\n=====\n\nWords about it.\n\nFares\n-----\n\nFive.\n",
    "tildes under titles": "Version 1\n~~~~~~~~~\nFirst.\n\nVersion 2\n~~~~~~~~~\nSecond.\n",
    "settings": "# Ferry\n\nfare = 5\n\n## Times\n\nfirst = 6\nlast = 9\n\n# More\n\nboats = 2\n\n## End\n",
    "comments": "# one\n# two\n\n# three\n# four\n",
    "brackets": "See [1] and [2](there). Mail (a) or [b].\n",
    "colons": "Use std::\nand c::d here.\n",
    "bars": "a | b | c\nd | e | f\n",
    "backticks": "Use `a' or ``b'' and `c`.\n",
    "a frame": "\n----\nFerry\n----\n\nWords.\n\n----\nFares\n----\n\n== More ==\n",
    "a log": "10:00 start [ok]\n10:01 end [ok]\n",
    "a wiki": "[[ferry]]\n\nGo to [[times]] and [[fares]].\n\n[[times]]\n\nNoon.\n",
    "an open fence": "words\n\n```\nmore words\n",
}


@pytest.mark.parametrize("name", ["notes.txt", "README", "", "README.Debian", "docs/CHANGES.old"])
@pytest.mark.parametrize(
    ("text", "mime"),
    [
        (MARKDOWN, "text/markdown"),
        (FENCED, "text/markdown"),
        (RULED, "text/markdown"),
        (RST, "text/x-rst"),
        (ADOC_ANCHORS, "text/asciidoc"),
        (RST_ROLES, "text/x-rst"),
        (ORG, "text/org"),
        (ADOC, "text/asciidoc"),
    ],
)
def test_a_markup_is_recognised_by_its_signs(name: str, text: str, mime: str) -> None:
    assert sniff(text.encode(), name).mime == mime
    assert sniff(text.encode(), name, complete=False).mime == mime


@pytest.mark.parametrize("kind", PLAIN)
def test_plain_text_is_not_taken_for_a_markup(kind: str) -> None:
    assert sniff(PLAIN[kind].encode(), "notes.txt").mime == "text/plain"


def test_the_ending_decides_where_it_names_a_markup_or_another_kind() -> None:
    assert sniff(MARKDOWN.encode(), "a.rst").mime == "text/x-rst"
    assert sniff(RST.encode(), "a.md").mime == "text/markdown"
    assert sniff(MARKDOWN.encode(), "a.log").mime == "text/plain"
    assert sniff(b"#!/bin/sh\n" + FENCED.encode(), "run").mime == "text/x-source-code"


def test_a_declared_markup_counts_where_the_name_says_nothing() -> None:
    assert sniff(b"words", "upload", "text/x-rst").mime == "text/x-rst"


def test_what_makeinfo_writes_is_plain_text() -> None:
    text = "1 Ferry\n*****\n\nSee *note The Pier::\n\n     make install\n\n1.1 Fares\n=========\n\nFive.\n"
    assert sniff(text.encode(), "README").mime == "text/plain"
    assert sniff(text.replace("*note ", "").encode(), "README").mime == "text/x-rst"


def test_anchors_in_headings_are_of_asciidoc() -> None:
    text = "== [[ferry]]Ferry\n\nIt crosses.\n\n=== [[fares]]Fares\n\nFive.\n\n=== Times\n\nNoon.\n"
    assert sniff(text.encode(), "a.txt").mime == "text/asciidoc"
    assert (
        sniff(text.replace("[[ferry]]", "").replace("[[fares]]", "").encode(), "a.txt").mime == "text/plain"
    )
