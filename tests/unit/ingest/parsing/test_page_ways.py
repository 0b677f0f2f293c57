"""Lines and lists of a page that lead elsewhere go; lines that only look like them stay."""

import pytest

from tests.unit.ingest.parsing.here import parsed_here, titles

PROSE = "The ferry crosses the harbour twice each hour, and it waits for the last train of the evening. " * 3


def page(said: str) -> str:
    return f"<html><head><title>Harbour</title></head><body>{said}</body></html>"


@pytest.mark.parametrize(
    ("line", "gone"),
    [
        (
            "<p>Next: <a href='b'>Signals</a>, Up: <a href='a'>Top</a> [<a href='c'>Index</a>]</p>",
            True,
        ),
        ("<p><a href='a'>Previous</a> | <a href='b'>Next</a></p>", True),
        ("<table><tr><td>Back to <a href='a'>Signals Home</a><td align='right'>$Date$</table>", True),
        ("<p>Next: <a href='b' rel='next'>Signals</a>, Up: <a href='a' rel='up'>Top</a></p>", True),
        ("<p>[ <a href='b'>Signals</a> | <a href='a'>Next Home</a> | <a href='c'>Files</a> ]</p>", True),
        ("<p>[ <a href='b'>Signals</a> | <a href='a'>Next</a> of | <a href='c'>Files</a> ]</p>", False),
        ("<hr><b>Next:</b> <a href='b'>Signals</a> <b>Up:</b> <a href='a'>Top</a> &nbsp;<hr>", True),
        ("<br><a href='b'>Next: Signals.</a><br><a href='a'>Back to top of Tides.</a><hr>", True),
        ("<p><a href='b'>Return to the signals</a></p>", True),
        ("<hr>Read <a href='b'>Next: Signals.</a><hr>", False),
        ("<hr><a href='b'>Next: Signals.</a> tells more.<hr>", False),
        ("<hr><b>Next</b> stop: <a href='b'>Signals</a><hr>", False),
        (
            "<hr>Go to the <a href='a'>first</a>, <a href='b'>next</a>, <a href='c'>last</a> section.<hr>",
            True,
        ),
        ("<hr>Next <a href='a'>Previous</a> <a href='c'>Contents</a><hr>", True),
        ("<p><a href='a'>Harbour</a> » <a href='b'>Tides</a> » Signals</p>", False),
        ("<p>Next: the <a href='b'>Signals</a> of ships.</p>", False),
        ("<p>Up the hill: <a href='b'>Signals</a></p>", False),
        ("<p><a href='b'>Signals</a>, <a href='a'>Tides</a></p>", False),
        ("<table><tr><td>Back to <a href='a'>Signals</a></td><td>costs 20</td></tr></table>", False),
    ],
)
def test_a_line_that_names_the_pages_beside_this_one_is_no_text(line: str, gone: bool) -> None:
    text = parsed_here(page(f"<h2>Tides</h2><p>{PROSE}</p>{line}<p>{PROSE}</p>"), "a.html").text
    assert text.count(PROSE.strip()) == 2
    assert any(name in text for name in ("Signals", "Next", "Back")) is not gone


def test_an_unmarked_list_of_the_headings_is_no_text() -> None:
    listed = "".join(
        f"<h3><a href='#{n}'>{n}. Pier</a></h3><p><a href='#{n}.1'>{n}.1. Boats</a><br></p>" for n in "12"
    )
    said = "".join(f"<h2><a name='{n}'></a>{n}. Pier</h2><p>{PROSE}</p>" for n in "12")
    read = parsed_here(page(f"<h1>Piers</h1><h3>Table of Contents</h3>{listed}{said}"), "a.html")
    assert titles(read) == ["Piers", "1. Pier", "2. Pier"]
    assert "Contents" not in read.text
    assert "Boats" not in read.text
    # A chapter of this name that has text stays, and so do links to other pages.
    kept = parsed_here(page(f"<h1>Piers</h1><h3>Contents</h3><p>{PROSE}</p>{said}"), "a.html")
    assert "Contents" in titles(kept)
    away = listed.replace("#", "b.html#")
    assert "Boats" in parsed_here(page(f"<h1>Piers</h1><h3>Contents</h3>{away}{said}"), "a.html").text


def test_a_list_of_the_parts_of_a_page_is_no_text_where_it_is_marked() -> None:
    named = "<a id='CHILD_LINKS'><strong>Subsections</strong></a>"
    listed = f"{named}<ul class='ChildLinks'><li><a href='a#1'>Boats</a></ul>"
    read = parsed_here(page(f"{listed}<h1>Piers</h1><p>{PROSE}</p><h2>Quay</h2><p>{PROSE}</p>"), "a.html")
    assert "Boats" not in read.text
    assert "Subsections" not in read.text
    assert (
        "Subsections" in parsed_here(page(f"<h1>Piers</h1><h2>Subsections</h2><p>{PROSE}</p>"), "a.html").text
    )


def test_bold_lines_that_begin_paragraphs_are_headings_below_the_name_of_the_page() -> None:
    names = ["Spring tide", "Neap tide", "Storm tide"]
    drawn = "<p><em><strong><a name='x'></a>{}</strong></em><br>{}</p>"
    said = "".join(drawn.format(name, PROSE) for name in names)
    links = "<p>" + "<br>".join(f"<a href='#x'>{name}</a>" for name in names) + "</p>"
    read = parsed_here(f"<h2>Tides</h2>{links}{said}", "a.html")
    assert titles(read) == ["Tides", *names]
    assert read.title == "Tides"
    assert [e.heading_path for e in read.elements if e.text.startswith("The ferry")] == [
        ("Tides", n) for n in names
    ]
    # Emphasis that begins a sentence, a line that links, and two lines alone are none.
    for other in (drawn.replace("<br>", " "), "<p><b><a href='a'>{}</a></b><br>{}</p>"):
        assert titles(parsed_here(page("".join(other.format(n, PROSE) for n in names)), "a.html")) == []
    assert titles(parsed_here(page("".join(drawn.format(n, PROSE) for n in names[:2])), "a.html")) == []


def test_deep_boxes_are_read() -> None:
    deep = f"<a href='b'>Signals</a>{'<div>' * 1500}Next: <b>tide</b>"
    assert "tide" in parsed_here(page(f"<div>{deep}</div>"), "a.html").text


LINKS = "".join(f"<a href='{n}.html'>Pier {n}</a><br>" for n in range(4))


@pytest.mark.parametrize(
    ("menu", "said", "gone"),
    [
        (LINKS, PROSE, True),
        # Three links, words beside them, and links beside little text are no menu.
        (LINKS[: LINKS.rindex("<a")], PROSE, False),
        (f"{LINKS} which ships call at", PROSE, False),
        (LINKS, PROSE[:40], False),
    ],
)
def test_the_menu_beside_a_page_is_no_text(menu: str, said: str, gone: bool) -> None:
    cells = f"<td>{menu}</td><td><h1>Tides</h1><p>{said}</p></td>"
    read = parsed_here(page(f"<table><tr>{cells}</tr></table>"), "a.html")
    assert ("Pier 1" not in read.text) is gone
    assert "The ferry crosses" in read.text


def test_a_table_in_a_cell_stands_behind_the_table_that_has_a_head() -> None:
    inner = "<table><tr><td>Quay</td><td>5000</td></tr><tr><td>Pier</td><td>1433</td></tr></table>"
    rows = f"<tr><td>host</td><td>any name</td></tr><tr><td>port</td><td>as follows:{inner}</td></tr>"
    head = "<tr><th>Name</th><th>Value</th></tr>"
    read = parsed_here(page(f"<h1>Harbour</h1><table>{head}{rows}</table><p>{PROSE}</p>"), "a.html")
    tables = [element.text for element in read.elements if element.kind == "table"]
    assert [one.splitlines()[-1] for one in tables] == ["port | as follows:", "Pier | 1433"]
    # Without a head it may lay out the page.
    read = parsed_here(page(f"<h1>Harbour</h1><table>{rows}</table><p>{PROSE}</p>"), "a.html")
    assert "table" not in {element.kind for element in read.elements}


SITE = "<a href='a'>Harbour</a><br><a href='b'>Ships</a>"


@pytest.mark.parametrize(
    ("page_text", "gone"),
    [
        (f"<p>{SITE}</p><h1>Tides</h1><p>{PROSE}</p>", True),
        (f"<h1>Tides</h1><p>{SITE}</p><p>{PROSE}</p>", False),
        (f"<p>{SITE} of today</p><h1>Tides</h1><p>{PROSE}</p>", False),
    ],
)
def test_links_line_by_line_above_the_heading_are_the_places_above_the_page(
    page_text: str, gone: bool
) -> None:
    assert ("Ships" not in parsed_here(page(page_text), "a.html").text) is gone


SENTENCE = "The ferry crosses the harbour twice each hour, and it waits for the last train of the evening."


def texts_of(said: str, title: str = "Ferries") -> list[str]:
    page = f"<html><head><title>{title}</title></head><body>{said}<p>{SENTENCE}</p></body></html>"
    return [e.text for e in parsed_here(page, "a.html").elements]


@pytest.mark.parametrize(
    ("title", "heading", "told"),
    [
        ("3. Ferries — Harbours 9.1 documentation", "3. Ferries", "3. Ferries"),
        ("Ferries: Harbour Manual", "Ferries", "Ferries"),
        ("Ferry (Harbour API)", "Ferry", "Ferry"),
        ("Harbour Docs: Ferries", "Ferries", "Ferries"),
        ("Harbour | Ferries", "Ferries", "Ferries"),
        ("Ferries — Harbours 9.1 documentation", "All ferries", "Ferries"),
        ("Ferries — Harbours 9.1 weather", "All ferries", "Ferries — Harbours 9.1 weather"),
        ("Ferries (Harbour)", "2.1 Ferries", "Ferries"),
        ("Ferry (Harbours 9.1 API)", "Class Ferry", "Ferry"),
        ("Ferry: Harbour Reference Manual", "The ferry", "Ferry"),
        ("ferries — sea &lt;b class='x'&gt;9.1&lt;/b&gt;", "All ferries", "ferries — sea 9.1"),
        ("&lt;no title&gt; — Harbour Manual", "Ferries", "Harbour Manual"),
        ("-", "Ferries", "Ferries"),
        ("Ferries of the north", "Ferries", "Ferries of the north"),
        ("Index — Harbours 9.1 documentation", "Index", "Index — Harbours 9.1 documentation"),
    ],
)
def test_the_name_of_the_site_is_no_part_of_the_title(title: str, heading: str, told: str) -> None:
    page = f"<html><head><title>{title}</title></head><body><h1>{heading}</h1><p>{SENTENCE}</p></body></html>"
    assert parsed_here(page, "a.html").title == told


def test_of_two_first_headings_none_is_the_title() -> None:
    page = (
        f"<title>Ferries: Harbours</title><h1>Ferries</h1><p>{SENTENCE}</p><h1>Trains</h1><p>{SENTENCE}</p>"
    )
    assert parsed_here(page, "a.html").title == "Ferries: Harbours"


@pytest.mark.parametrize(
    "furniture",
    [
        '<p>[<a href="a.html">Up</a>]</p>',
        '<table><tr><td>Back to <a href="/">home</a></td><td>Up to <a href="/map">the map</a></td>'
        "<td>29 Dec 2003</td></tr></table>",
        '<table><tr><td class="NavBarCell1"><a href="o.html">Overview</a></td><td>Harbour</td></tr></table>',
        '<div class="chlinktop"><span>Goto Chapter: </span><a href="chap0.html">Top</a></div>',
        '<p><img src="dot.gif" alt="*"><img src="logo.png" alt="[R logo]"></p>',
        '<center><span class="legend">[<a href="graph.html">legend</a>]</span></center>',
    ],
)
def test_signs_and_ways_are_no_text(furniture: str) -> None:
    assert texts_of(f"<h1>Ferries</h1><p>{SENTENCE} North.</p>{furniture}") == [
        "Ferries",
        f"{SENTENCE} North.",
        SENTENCE,
    ]


def test_pictures_with_words_and_sentences_in_brackets_stay() -> None:
    picture = '<p><img src="a.png" alt="Map of the harbour"></p>'
    said = f'{picture}<p>[<a href="a.html">Ferry</a>]</p><p>{SENTENCE}</p>'
    assert texts_of(said)[:2] == ["Map of the harbour", "[Ferry]"]


def test_when_a_program_made_a_page_is_no_text() -> None:
    page = f"<h1>Ferries</h1><p>{SENTENCE}</p><p>This document was generated on March 11, 2023.</p>"
    assert [e.text for e in parsed_here(page, "a.html").elements] == ["Ferries", SENTENCE]
    people = page.replace("generated on March 11, 2023", "written on board")
    assert len(parsed_here(people, "a.html").elements) == 3


def test_the_places_above_a_page_with_marks_between_them_are_no_text() -> None:
    trail = "<p><a href='a'>Harbour</a> » <a href='b'>Tides</a> » Signals</p>"
    assert texts_of(f"{trail}<h1>Signals</h1>")[0] == "Signals"
    menu = "<p><a href='a'>Harbour</a> and <a href='b'>Tides</a> » Signals of ships</p>"
    assert texts_of(f"{menu}<h1>Signals</h1>")[0] != "Signals"


@pytest.mark.parametrize(
    ("way", "gone"),
    [
        ("Return to the <a href='i'>Harbour 2 index page</a>.", True),
        ("Return to the <a href='i'>harbour of the old town</a>.", False),
    ],
)
def test_a_line_that_leads_to_the_index_of_something_is_no_text(way: str, gone: bool) -> None:
    assert ("Return" not in " ".join(texts_of(f"<p>{SENTENCE}</p><p>{way}</p>"))) is gone


def test_a_page_that_is_nothing_but_a_table_of_contents_says_what_it_lists() -> None:
    links = "".join(f"<li><a href='{at}.html'>{at}. Pier</a></li>" for at in range(1, 6))
    listed = f"<h1>Table of Contents</h1><ul class='toc'>{links}</ul>"
    assert "3. Pier" in parsed_here(page(listed), "toc.html").text
    assert "3. Pier" not in parsed_here(page(f"<h1>Harbour</h1><p>{PROSE}</p>{listed}"), "toc.html").text
