"""Markdown: HTML that stands in it, and code in the items of its lists."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here

HEAD = """<p align="center">
  <img src="logo.svg" alt="logo" />
  <h1 align="center">Ferry</h1>
  <p>Sails at noon.</p>
</p>

<p><a href="https://example.org"><img src="https://img.example.org/badge.svg"></a></p>

<br/>

## Use

It sails.
"""


def shown(text: str) -> list[tuple[str, str]]:
    return [(element.kind, element.text) for element in parsed_here(text.encode(), "a.md").elements]


def test_a_heading_in_a_piece_of_html_is_one_and_names_the_file() -> None:
    extracted = parsed_here(HEAD.encode(), "a.md")
    assert extracted.title == "Ferry"
    assert [e.heading_path for e in extracted.elements if "noon" in e.text] == [("Ferry",)]
    assert [e.heading_path for e in extracted.elements if "sails." in e.text] == [("Ferry", "Use")]


def test_code_in_an_item_is_code_between_the_words_of_the_item() -> None:
    text = "1. Write this:\n\n   ```yaml\n   a: 1\n   ```\n\n   And save.\n2. Go."
    found = shown(text)
    assert [kind for kind, _ in found] == ["list", "code", "list", "list"]
    assert found[0] == ("list", "1. Write this:")
    assert "a: 1" in found[1][1]
    assert found[2:] == [("list", "And save."), ("list", "2. Go.")]


def test_comments_are_in_no_element_and_all_else_keeps_its_place() -> None:
    text = (
        "<!-- a note\nof two lines -->\n\n# Title <!-- seen by none -->\n\n"
        "Words <!-- one --> and `<!-- code -->`.\n\n"
        "- item <!-- two -->\n\n```html\n<!-- kept -->\n```\n\n<!-- not closed\n"
    )
    told = parsed_here(text, "a.md")
    assert len(told.text) == len(text)
    said = [(element.kind, " ".join(element.text.split())) for element in told.elements]
    assert said == [
        ("title", "# Title"),
        ("paragraph", "Words and `<!-- code -->`."),
        ("list", "- item"),
        ("code", "```html <!-- kept --> ```"),
        ("paragraph", "<!-- not closed"),
    ]
    assert told.elements[0].heading_path == ("Title",)
    for element in told.elements:
        assert element.text.split()[0] == text[element.char_start :].split()[0]


def test_a_text_of_comments_alone_stays() -> None:
    assert parsed_here("<!-- words -->\n", "a.md").elements


def test_html_that_stands_as_it_is_written_is_code() -> None:
    text = "So:\n\n<pre>\nferry sail\n\n  --now\n</pre>\n\n"
    text += "<div>\n<p>Words</p><pre class='x'>a = 1</pre>\n</div>\n"
    assert shown(text) == [
        ("paragraph", "So:"),
        ("code", "<pre>\nferry sail\n\n  --now\n</pre>"),
        ("paragraph", "<div>\n<p>Words</p>"),
        ("code", "<pre class='x'>a = 1</pre>"),
        ("paragraph", "</div>"),
    ]
    assert shown("<pretty>\nwords\n</pretty>\n") == [("paragraph", "<pretty>\nwords\n</pretty>")]
    assert shown("<pre>\nnot closed\n") == [("paragraph", "<pre>\nnot closed")]


def test_badges_behind_a_heading_are_no_part_of_its_name() -> None:
    text = "# Ferry [![Build Status][a-img]][a-url] [![b][c]][d]\n\nIt sails.\n"
    assert parsed_here(text, "a.md").title == "Ferry"
    assert parsed_here("# Ferry [a][b]\n\nIt sails.\n", "a.md").title == "Ferry [a][b]"


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("Ferry [![Build Status](b.svg)](https://a.example) ![Donate](d.png)", "Ferry"),
        ("[![Build Status](b.svg)](https://a.example)", "Build Status"),
        ("![Logo](l.png) Ferry `1.2`", "Ferry 1.2"),
        ("![Ferry](l.png)", "Ferry"),
        ("[![Ferry](l.png)](https://a.example) ![of Kiel](k.png)", "Ferry of Kiel"),
    ],
)
def test_pictures_name_a_heading_only_where_it_has_no_words(heading: str, title: str) -> None:
    assert parsed_here(f"# {heading}\n\nIt sails.\n", "a.md").title == title


ROWS = "<tr><th>Port</th><th>Opens</th></tr>\n\n<tr><td><b>Kiel</b></td><td>6|7</td></tr>"


def test_a_table_in_html_is_a_table() -> None:
    assert shown(f"Times:\n\n<table>\n{ROWS}\n</table>\n\nSail.\n") == [
        ("paragraph", "Times:"),
        ("table", "| Port | Opens |\n| --- | --- |\n| Kiel | 6\\|7 |"),
        ("paragraph", "Sail."),
    ]


def test_a_blank_of_no_width_behind_a_table_hides_no_table() -> None:
    table = shown(f"Times:\n\n<table>\n{ROWS}\n</table>\n\nSail.\n")
    assert shown(f"Times:\n\n<table>\n{ROWS}\n</table>\u200b\n\nSail.\n") == table


@pytest.mark.parametrize(
    "table",
    [
        "<table><tr><td><img src='a.png'></td><td><img src='b.png'></td></tr></table>",
        "<table><tr><td>only</td></tr><tr><td>boxes</td></tr></table>",
        f"<table>{ROWS.replace(chr(10), '')}",
        f"<table><tr><td>{ROWS}</td><td><table>{ROWS}</table></td></tr></table>",
    ],
)
def test_a_table_that_only_lays_out_stays_as_it_is(table: str) -> None:
    assert parsed_here(f"{table}\n\nSail.\n", "a.md").text.rstrip() == f"{table}\n\nSail."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('<span id="quay"></span>\n\nThe quay.', "The quay."),
        ("The <a name='quay'></a>quay.", "The quay."),
        ("(quay-of-ships)=\nThe quay.", "The quay."),
        ("[![Tests](https://img.shields.io/a.png)](https://a.org) The quay.", "Tests The quay."),
        ("[![Tests](https://a.org/status.svg)][tests]", "Tests"),
        ("Ships &mdash; and quays&nbsp;&#8230;", "Ships — and quays\xa0…"),
        # What says words, shows a picture or is code stays.
        ('The <a href="b">quay</a>.', 'The <a href="b">quay</a>.'),
        ("f(quay)=\n2", "f(quay)=\n2"),
        ("[![The quay](quay.png)](large.png)", "[![The quay](quay.png)](large.png)"),
        ("Write `&mdash;` and `<a id='b'></a>`.", "Write `&mdash;` and `<a id='b'></a>`."),
        ("1 &lt; 2 &such; 3", "1 &lt; 2 &such; 3"),
        ("![python](https://img.shields.io/py.svg) It", "python It"),
        ("![A ship](ship.svg) It", "![A ship](ship.svg) It"),
        ('<a href="u"><img src="colab-badge.svg" alt="Open in Colab"/></a> It', "Open in Colab It"),
        (
            '<a href="u"><img src="ship.png" alt="A ship"/></a> It',
            '<a href="u"><img src="ship.png" alt="A ship"/></a> It',
        ),
    ],
)
def test_anchors_labels_and_addresses_of_badges_are_seen_by_none(text: str, said: str) -> None:
    assert [element.text for element in parsed_here(f"# Ships\n\n{text}\n", "a.md").elements][1:] == [said]
    code = f"```html\n{text}\n```"
    assert shown(code) == [("code", code)]


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("Tides[⬆](#contents)", "Tides"),
        ("Tides of [May](#may)", "Tides of May"),
        ("[C++](#c) and tides", "C++ and tides"),
        ("Tides[⬆](up.md)", "Tides⬆"),
    ],
)
def test_an_arrow_back_to_the_contents_is_no_part_of_a_heading(heading: str, name: str) -> None:
    read = parsed_here(f"# Ships\n\n## {heading}\n\nThey rise.\n", "a.md")
    assert read.elements[-1].heading_path == ("Ships", name)


def test_a_link_to_a_place_in_the_page_is_its_words() -> None:
    text = (
        '# Harbour\n\n[Tides](#tides) and [piers](#piers "All piers"), `[code](#x)`, [there](a.md#x).\n\n'
        "## Tides [↑](#top)\n\nHigh at noon.\n"
    )
    extracted = parsed_here(text, "a.md")
    assert extracted.elements[1].text == "Tides and piers, `[code](#x)`, [there](a.md#x)."
    assert extracted.elements[-1].heading_path == ("Harbour", "Tides")


def test_a_link_whose_words_would_be_a_mark_of_a_block_stays() -> None:
    assert "[# tides](#tides)" in parsed_here("Harbour\n\n[# tides](#tides)\n", "a.md").text


def test_a_release_that_is_a_link_is_named_without_its_brackets() -> None:
    changes = "# Changes\n\n## [0.3.0] - 2018-11-01\n\nFaster.\n\n## [Unseen]\n\nNo link.\n\n[0.3.0]: https://e.org/v\n"
    paths = [e.heading_path[-1] for e in parsed_here(changes, "CHANGES.md").elements if e.kind == "title"]
    assert paths == ["Changes", "0.3.0 - 2018-11-01", "[Unseen]"]
