"""PDFs that are in a font of one width throughout: text files that were printed, and typewritten reports."""

from collections.abc import Sequence

import pytest

from footnote_ingest.parsing.elements import Extracted
from tests.unit.ingest.parsing.here import parsed_here, titles
from tests.unit.ingest.parsing.pdf.drawn_pdf import drawn, words

TOP, PITCH = 800, 11

SENTENCES = """\
   The station writes the height of the water down four times in an
   hour and sends what it has read to the office in the town.  Who has
   no wire sends it by mail, and who has no mail keeps it in a book
   until somebody comes by."""

RFC = f"""\
                     Reading of Gauges over Wires

Abstract

{SENTENCES}

1.  Introduction

   This memo tells how gauges are read.  It replaces an older one that
   nobody has followed since the wires were laid.  Whoever reads gauges
   may follow it, and whoever does not may do so, too.

1.1.  Words that are Used

   A gauge is a board with marks.  A reader is whoever looks at it and
   writes down what it shows.  An office is where all of it is kept in
   books and where somebody may ask for it.

2.  Messages

{SENTENCES}

3.  Security

   Nobody has thought of it so far, as the wires are far away from any
   place where somebody may listen.  Who lays new ones has to think of
   it again, and so has whoever sends more than heights.
"""


def typed(*pages: str | Sequence[str]) -> bytes:
    """A PDF that prints these texts as they are, a page each."""
    return drawn(
        *[
            [
                words(50, TOP - PITCH * at, line, font="mono")
                for at, line in enumerate(page.split("\n") if isinstance(page, str) else page)
                if line.strip()
            ]
            for page in pages
        ]
    )


def read(*pages: str) -> Extracted:
    return parsed_here(typed(*pages), "a.pdf")


def kinds(text: str) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in read(f"{SENTENCES}\n\n{text}\n\n{SENTENCES}").elements[1:-1]]


def test_sentences_are_no_code_and_numbers_name_sections() -> None:
    found = read(RFC)
    assert "code" not in {one.kind for one in found.elements[1:]}
    assert titles(found) == [
        "Abstract",
        "1. Introduction",
        "1.1. Words that are Used",
        "2. Messages",
        "3. Security",
    ]
    paths = {one.text.split()[0]: one.heading_path for one in found.elements if one.kind == "paragraph"}
    assert paths["A"] == ("1. Introduction", "1.1. Words that are Used")


def test_lines_in_the_middle_above_the_text_are_the_title() -> None:
    assert read(RFC).title == "Reading of Gauges over Wires"
    two = "                     Reading of Gauges over Wires\n                            and Other Ways\n"
    assert read(RFC.replace("                     Reading of Gauges over Wires\n", two)).title == (
        "Reading of Gauges over Wires and Other Ways"
    )
    at_the_edge = RFC.replace("                     Reading", "Reading")
    assert read(at_the_edge).title != "Reading of Gauges over Wires"


def test_a_line_in_capitals_or_underlined_names_a_section() -> None:
    text = "\n".join(line.removeprefix("   ") for line in SENTENCES.split("\n"))
    found = read(f"{text}\n\nHOW IT IS READ\n\n{text}\n\nWhat it costs\n-------------\n{text}")
    assert titles(found) == ["HOW IT IS READ", "What it costs"]
    paths = [one.heading_path for one in found.elements if one.kind == "paragraph"]
    assert paths == [(), ("HOW IT IS READ",), ("What it costs",)]


def test_columns_of_three_cells_are_a_table() -> None:
    table = """\
        DAY       OCT      NOV      DEC

          1      2460     2630     6510
          2     e2230     2950     5490
          3      3950     2100     7330"""
    assert kinds(table) == [
        (
            "table",
            "DAY | OCT | NOV | DEC\n--- | --- | --- | ---\n1 | 2460 | 2630 | 6510\n"
            "2 | e2230 | 2950 | 5490\n3 | 3950 | 2100 | 7330",
        )
    ]


def test_names_and_what_they_mean_are_a_table() -> None:
    rows = (
        ("login", "lets a person in"),
        ("ftp", "fetches a file"),
        ("telnet", "asks a gauge"),
        ("finger", "says who is there"),
    )
    table = "\n".join(f"      {name:<12}{meaning}" for name, meaning in rows)
    ((kind, text),) = kinds(table)
    assert (kind, text.split("\n")[-1]) == ("table", "finger | says who is there")
    assert [kind for kind, _ in kinds("\n".join(table.split("\n")[:3]))] == ["code"]
    steps = "\n".join(f"      {name:<{9 + 2 * at}}{meaning}" for at, (name, meaning) in enumerate(rows))
    assert "table" not in [kind for kind, _ in kinds(steps)]
    lines = table.split("\n")
    # A line in five may be something else.
    assert kinds("\n".join([*lines, "      and others of them"]))[0][0] == "table"
    assert "table" not in [kind for kind, _ in kinds("\n".join([*lines[:3], "      and others of them"]))]


@pytest.mark.parametrize(
    "shown",
    [
        # a drawing, code of a program, a message, a command, and columns of two
        "      login   ftp   telnet\n        |      |       |\n        +------+-------+\n           wire",
        "      int\n      read_gauge(\n          int station,\n          char *name\n      );",
        '      { "station": 12,\n        "height": 3.5 }',
        "      $ gauge --station=12 | sort",
        "      service    path\n      login      unix.so\n      ftp        skey.so",
    ],
)
def test_what_is_laid_out_stays_as_it_is(shown: str) -> None:
    ((kind, text),) = kinds(shown)
    assert kind == "code"
    assert text.split("\n")[-1].strip() == shown.split("\n")[-1].strip()


def test_items_of_a_list_are_items() -> None:
    items = "   *  readers of the board\n   *  the office in the town, which keeps what they wrote"
    assert [kind for kind, _ in kinds(items)] == ["list", "list"]
    assert [kind for kind, _ in kinds("   * Keep the table read_only for others")] == ["list"]


def test_heads_and_feet_of_pages_are_left_out() -> None:
    pages = []
    for number in range(1, 7):
        rows = [""] * 70
        rows[0] = "Memo 12                     Reading of Gauges               March 1995"
        rows[3 : 3 + RFC.count("\n")] = RFC.replace("hour", f"hour {number}").split("\n")[:-1]
        rows[69] = f"Miller                      Experimental                      [Page {number}]"
        pages.append("\n".join(rows))
    found = read(*pages)
    later = [one.text for one in found.elements if one.page != 1]
    assert not any("Experimental" in text or "Memo 12" in text for text in later)


@pytest.mark.parametrize(("others", "kind"), [(1, "paragraph"), (6, "code")])
def test_a_document_with_text_in_another_font_keeps_its_code(others: int, kind: str) -> None:
    typewritten = [
        words(50, TOP - PITCH * at, line.strip(), font="mono")
        for at, line in enumerate(SENTENCES.split("\n") * 6)
    ]
    text = [
        words(50, 500 - PITCH * at, f"Some {at} words of the text, which stand in a font of several widths.")
        for at in range(others)
    ]
    found = parsed_here(drawn([*typewritten, *text]), "a.pdf")
    assert found.elements[0].kind == kind
