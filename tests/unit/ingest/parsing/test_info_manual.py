"""Manuals of `info`: what leads the program from node to node is no part of the text."""

import time

from tests.unit.ingest.parsing.here import parsed_here, titles

MANUAL = """This is tides.info, produced by makeinfo version 6.8 from tides.texi.

This manual is for Tides.

INFO-DIR-SECTION Harbour
START-INFO-DIR-ENTRY
* Tides: (tides).               Tells the tides.
END-INFO-DIR-ENTRY

\x1f
File: tides.info,  Node: Top,  Next: Overview,  Up: (dir)

Tides of Ports
**************

All that a harbour has to know.

* Menu:

* Overview::            What it does.
* Quays::               Where to lie, which is told at
                          length.

Details

* Depths::

\x1f
File: tides.info,  Node: Overview,  Next: Quays,  Prev: Top,  Up: Top

1 Overview
**********

You ask it like this:

     tides --port north

It tells the hours.

An hour such as

     noon

\x1f
File: tides.info,  Node: Depths,  Prev: Overview,  Up: Overview

Of The Depth
............

Deep enough for all.
\x1f
Tag Table:
Node: Top\x7f351
Node: Overview\x7f702
\x1f
End Tag Table
"""


def test_nodes_menus_and_tables_are_left_out() -> None:
    extracted = parsed_here(MANUAL, "tides.info")
    assert extracted.title == "Tides of Ports"
    assert titles(extracted) == ["Tides of Ports", "1 Overview", "Of The Depth"]
    assert extracted.elements[-1].heading_path[-1] == "Of The Depth"
    for unread in (
        "File:",
        "Node:",
        "Menu",
        "Where to lie",
        "length",
        "Depths",
        "makeinfo",
        "DIR-ENTRY",
        "Tag Table",
        "***",
    ):
        assert unread not in extracted.text
    for said in (
        "This manual is for Tides.",
        "tides --port north",
        "Details",
        "An hour such as",
        "Deep enough",
    ):
        assert said in extracted.text


def test_a_text_about_info_is_read_as_it_is() -> None:
    text = "File: tides.info,  Node: Top\n\n* Menu:\n\n* Overview::  What it does.\n"
    assert "Overview::" in parsed_here(text, "a.txt").text


def test_time_grows_with_the_text() -> None:
    started = time.process_time()
    parsed_here("\x1f\nFile: a,  Node: b\n\n* Menu:\n" * 20_000 + "x " * 90_000, "a.info")
    assert time.process_time() - started < 6
