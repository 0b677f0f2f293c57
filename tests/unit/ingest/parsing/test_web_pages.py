"""A page gives its content: no menus and footers, the language of code, the address behind "here"."""

from time import process_time

import pytest

from footnote_ingest.parsing.errors import ParseFailed
from tests.unit.ingest.parsing.here import parsed_here, titles

PROSE = "The harbour opens at six in the morning and closes after the last ferry has left the pier. " * 3
CONTENT = f"<h1>Harbour</h1><p>{PROSE}</p><h2>Ferries</h2><p>{PROSE}</p>"


def page(*parts: str) -> str:
    return f"<html><head><title>Harbour</title></head><body>{''.join(parts)}</body></html>"


@pytest.mark.parametrize(
    "furniture",
    [
        "<div class='related'><h3>Navigation</h3><ul><li><a href='a.html'>index</a></ul></div>",
        "<div role='navigation'><a href='a.html'>All pages</a></div>",
        "<aside class='sphinxsidebar'><p>Quick search</p></aside>",
        "<div id='cookie-banner'><p>We use cookies to improve your visit.</p></div>",
        "<footer><p>Copyright 2020 by the port</p></footer>",
        "<table class='navigation'><tr><td>Prev</td><td>Up</td></tr></table>",
        "<a class='next_page' href='b.html'>next-&gt;</a>",
        "<div class='topNav'><ul><li><a href='o.html'>Overview</a></li></ul></div>",
        "<div id='nav-path' class='navpath'><ul><li><a href='o.html'>src</a></li></ul></div>",
        "<p class=MsoToc2><a href='#_Toc1'>Ferries<span>3</span></a></p>",
        "<div id='catlinks' class='catlinks'><a href='c.html'>Categories</a>: <a href='h.html'>Sea</a></div>",
        "<table class='foot'><tr><td>May 1, 2020</td><td>Debian</td></tr></table>",
        "<table class='head'><tr><td>FERRY(1)</td><td>General Commands</td><td>FERRY(1)</td></tr></table>",
    ],
)
def test_what_a_page_marks_as_furniture_is_left_out(furniture: str) -> None:
    alone = parsed_here(page(CONTENT), "a.html")
    for parts in ((furniture, CONTENT), (CONTENT, furniture)):
        assert parsed_here(page(*parts), "a.html").elements == alone.elements


@pytest.mark.parametrize(
    ("foot", "gone"),
    [
        ("<hr><address>Ann Pilot<br>2016-07-31</address>", True),
        ("<p>This document was created by <a href='m.html'>man2html</a>, using Ann Pilot.</p>", True),
        ("<p>This document was created by Ann Pilot, <a href='m.html'>captain</a>.</p>", False),
        ("<address>Ann Pilot</address><p>She knows the tides.</p>", False),
        (f"<address>{'Ann Pilot, of the harbour. ' * 8}</address>", False),
    ],
)
def test_an_address_and_a_program_that_a_page_ends_with_is_no_text(foot: str, gone: bool) -> None:
    said = parsed_here(page(CONTENT, foot), "a.html").text
    assert ("Ann Pilot" not in said) is gone


def test_a_table_of_contents_goes_with_its_name() -> None:
    items = "".join(f"<li><a href='#{name}'>To the {name}</a></li>" for name in ("piers", "ferries", "crew"))
    extracted = parsed_here(page("<h1>Harbour</h1><p>Contents</p><ul>", items, "</ul>", CONTENT), "a.html")
    assert "To the ferries" not in extracted.text
    assert "Contents" not in extracted.text


def test_a_list_of_two_links_into_the_page_is_content() -> None:
    items = "".join(f"<li><a href='#{name}'>To the {name}</a></li>" for name in ("piers", "ferries"))
    assert "To the ferries" in parsed_here(page(CONTENT, "<ul>", items, "</ul>", CONTENT), "a.html").text


def test_a_table_that_is_called_head_is_content_elsewhere() -> None:
    years = (
        "<table class='head'><tr><td>Pier</td><td>2020</td></tr><tr><td>One</td><td>2021</td></tr></table>"
    )
    assert "Pier | 2020" in parsed_here(page(CONTENT, years, CONTENT), "a.html").text
    table = (
        "<table class='head'><tr><td>Pier</td><td>Ships</td></tr><tr><td>One</td><td>Two</td></tr></table>"
    )
    assert "Pier | Ships" in parsed_here(page(CONTENT, table, CONTENT), "a.html").text


def test_a_link_that_edits_a_section_is_no_part_of_its_name() -> None:
    heading = "<h2><span>Piers</span><span class='mw-editsection'>[<a href='e'>edit</a>]</span></h2>"
    assert titles(parsed_here(page(CONTENT, heading, f"<p>{PROSE}</p>"), "a.html"))[-1] == "Piers"


def test_a_million_breaks_of_lines_are_room() -> None:
    begun = process_time()
    read = parsed_here(page(CONTENT, "<br/> \n" * 300_000, CONTENT), "a.html")
    assert process_time() - begun < 3
    assert titles(read) == titles(parsed_here(page(CONTENT, CONTENT), "a.html"))


def test_a_box_with_most_of_the_page_is_content_whatever_it_is_called() -> None:
    text = parsed_here(page(f"<div class='sidebar'><p>{PROSE}</p></div><p>Short.</p>"), "a.html").text
    assert PROSE.strip() in text


def test_the_footer_of_an_article_is_content() -> None:
    article = f"<article>{CONTENT}<footer><p>Written by the harbour master himself.</p></footer></article>"
    assert "harbour master" in parsed_here(page(article), "a.html").text


def test_what_stands_around_the_content_without_any_mark_is_left_out() -> None:
    menu = "".join(f"<div><a href='{n}.html'>Place {n}</a></div>" for n in range(5))
    extracted = parsed_here(page(menu, CONTENT * 2), "a.html")
    assert "Place 3" not in extracted.text
    assert titles(extracted)[:2] == ["Harbour", "Ferries"]


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("<pre><code class='language-python'>x = 1</code></pre>", "python"),
        (
            "<div class='highlight-python3 notranslate'><div class='highlight'><pre>x = 1</pre></div></div>",
            "python",
        ),
        ("<pre class='brush: js'>x = 1</pre>", "js"),
        ("<pre class='rust'>x = 1</pre>", "rust"),
        ("<pre data-lang='c++'>x = 1</pre>", "cpp"),
        ("<div class='highlight-default'><pre>x = 1</pre></div>", None),
        ("<pre lang='en'>x = 1</pre>", None),
    ],
)
def test_code_has_the_language_that_the_page_names(code: str, language: str | None) -> None:
    extracted = parsed_here(page(CONTENT, code), "a.html")
    assert [e.language for e in extracted.elements if e.kind == "code"] == [language]


def test_the_address_stands_behind_a_link_that_says_nothing_itself() -> None:
    links = "<a href='https://port.example/t'>here</a>, <a href='https://port.example/u'>the timetable</a>"
    text = parsed_here(page(CONTENT, f"<p>Read it {links}.</p>"), "a.html").text
    assert "Read it here (https://port.example/t), the timetable." in text


def test_marks_within_a_word_of_a_cell_put_no_space_into_it() -> None:
    cells = "<tr><th>Name</th><th>What</th></tr><tr><td><code>-V</code>, <b>--version</b></td><td>x</td></tr>"
    text = parsed_here(page(CONTENT, f"<table>{cells}</table>"), "a.html").text
    assert "-V, --version | x" in text


def test_the_ways_to_other_pages_in_brackets_are_no_text() -> None:
    ways = (
        "<table><tr><td>[<a href='a.html'> &lt;&lt; </a>]</td><td>[<a href='b.html'>Up</a>]</td></tr></table>"
    )
    kept = "<table><tr><td>[<a href='a.html'>1</a>]</td><td>The first note</td></tr></table>"
    text = parsed_here(page(ways, CONTENT, kept), "a.html").text
    assert "<<" not in text
    assert "[1] | The first note" in text


def kinds(html: str) -> list[tuple[str, str]]:
    return [(element.kind, element.text) for element in parsed_here(html, "a.html").elements]


@pytest.mark.parametrize(
    "note",
    [
        "<table><tr><td class='icon'><img alt='Important' src='i.png'></td>"
        "<td>Mind <b>the gap</b>.</td></tr></table>",
        "<table><tr><td class='icon'><div class='title'>Important</div></td>"
        "<td>Mind the gap.</td></tr></table>",
        "<table><tr><td rowspan='2'><img alt='[Important]' src='i.png'></td><th>Important</th></tr>"
        "<tr><td><p>Mind the gap.</p></td></tr></table>",
    ],
)
def test_a_note_that_is_drawn_as_a_table_is_prose(note: str) -> None:
    assert kinds(page(CONTENT, note))[-2:] == [("paragraph", "Important"), ("paragraph", "Mind the gap.")]


def test_a_table_with_pictures_in_its_rows_is_a_table() -> None:
    rows = "".join(f"<tr><td><img alt='' src='{at}.png'></td><td>Pier {at}</td></tr>" for at in range(3))
    assert kinds(page(CONTENT, f"<table>{rows}</table>"))[-1][0] == "table"


def test_a_picture_that_leads_to_another_page_is_no_text() -> None:
    logo = "<p><a href='index.html'><img alt='Harbour of Ulm' src='logo.png'></a></p>"
    chart = "<p><a href='chart.png'><img alt='Chart of the tides' src='small.png'></a></p>"
    said = parsed_here(page(CONTENT, logo, chart), "a.html").text
    assert "Harbour of Ulm" not in said
    assert "Chart of the tides" in said


def test_code_with_pictures_as_numbers_is_one_piece() -> None:
    code = "<pre>open(it); <img alt='1' src='1.png'>\nclose(it); <img alt='(2)' src='2.png'></pre>"
    assert kinds(page(CONTENT, code))[-1] == ("code", "open(it); (1)\nclose(it); (2)")


def test_what_doxygen_draws_as_tables_is_lines_and_signatures() -> None:
    members = (
        "<table><tr><td><h2>Functions</h2></td></tr>"
        "<tr><td>int&#160;</td><td><a href='#f'>ferry</a> (int fare)</td></tr></table>"
    )
    signature = (
        "<h2><span><a href='#f'>◆&#160;</a></span>ferry</h2>"
        "<table class='memname'><tr><td>int ferry</td><td>(</td><td>int&#160;</td>"
        "<td><em>fare</em></td><td>)</td></tr></table>"
    )
    assert kinds(page(CONTENT, members, signature))[-4:] == [
        ("title", "Functions"),
        ("paragraph", "int ferry (int fare)"),
        ("title", "ferry"),
        ("code", "int ferry(int fare)"),
    ]


def test_a_signature_of_docbook_is_code() -> None:
    signature = (
        "<h2>plot</h2><table class='funcprototype-table'><tr><td><code>plot (</code></td>"
        "<td><var>n</var>, </td></tr><tr><td> </td><td><var>data</var><code>)</code>;</td></tr></table>"
    )
    assert kinds(page(CONTENT, signature))[-1] == ("code", "plot(n, data);")


def test_signatures_in_signatures_are_written_once() -> None:
    """With each inner one written for each around it, these 25 KB took minutes."""
    nested = "<div><table class='memname'><tr><td>int ferry" * 320 + "</td></tr></table></div>" * 320
    said = parsed_here(page(CONTENT, nested), "a.html").text
    assert 1 <= said.count("int ferry") <= 320


def test_the_box_that_shows_the_title_of_a_page_is_its_first_heading() -> None:
    box = "<div class='header'><div class='title'>Harbour</div></div>"
    said = f"{box}<p>{PROSE}</p><h2>Ferries</h2><p>{PROSE}</p>"
    assert titles(parsed_here(page(said), "a.html")) == ["Harbour", "Ferries"]
    assert titles(parsed_here(page(f"<p>Harbour master</p>{CONTENT}"), "a.html")) == ["Harbour", "Ferries"]


def test_what_a_page_shows_above_itself_when_asked_is_no_text() -> None:
    dialog = (
        "<div class='modal' role='dialog'><h4>Search</h4><p>From here you can search these pages.</p></div>"
    )
    assert "From here" not in parsed_here(page(CONTENT, dialog), "a.html").text


def test_what_stands_behind_the_end_of_the_body_is_read() -> None:
    ended = f"<html><body>{CONTENT}</body>\nStrong winds.<h2>Storms</h2><p>{PROSE}</p></body></html>"
    read = parsed_here(ended, "a.html")
    assert titles(read)[-1] == "Storms"
    assert read.text.count(PROSE.strip()) == 1 + CONTENT.count(PROSE.strip())
    assert "Strong winds." in read.text


BAR = "<table bgcolor='#eee'><tr><td><b><font color='black'>{}</font></b></td></tr></table><p>{}</p>"


@pytest.mark.parametrize(
    "drawn", ["<center><b><u>{}</u></b></center>{}<br>", "<p><strong>{}</strong></p><p>{}</p>", BAR]
)
def test_bold_lines_that_stand_alone_are_headings_where_a_page_has_no_others(drawn: str) -> None:
    names = ["Spring tide", "Neap tide", "Storm tide"]
    said = "".join(drawn.format(name, PROSE) for name in names)
    assert titles(parsed_here(page(said), "a.html")) == names
    assert titles(parsed_here(page(f"<h1>Tides</h1>{said}"), "a.html")) == ["Tides", *names]
    # Two lines may be emphasis, and a page with headings says itself what is one.
    assert titles(parsed_here(page("".join(drawn.format(n, PROSE) for n in names[:2])), "a.html")) == []
    assert titles(parsed_here(page(f"<h1>A</h1><h2>B</h2>{said}"), "a.html")) == ["A", "B"]


def test_bold_sentences_and_links_are_no_headings() -> None:
    lines = ("<b>It sails.</b>", "<b>A</b> ferry", "<b><a href='a'>Ferries</a></b>", "<i>Tides here</i>")
    said = "".join(f"<p>{line}</p><p>{PROSE}</p>" * 3 for line in lines)
    assert titles(parsed_here(page(said), "a.html")) == []


@pytest.mark.parametrize(
    ("line", "gone"),
    [
        ("<p>Go to the <a href='b'>next</a> section or return to the <a href='a'>index</a>.</p>", True),
        ("<p>[<a href='a'>Back to top</a>]</p>", True),
        ("<p>Water.<br><a href='a'>Return to the index</a><br>Wind.</p>", True),
        ("<p>Go to the <a href='b'>harbour</a> and return to the index.</p>", False),
        ("<p>Return to the <a href='a'>index</a> of tides.</p>", True),
        ("<p>You may go <a href='a'>back to the top</a> of the tower.</p>", False),
    ],
)
def test_ways_to_other_pages_are_no_text(line: str, gone: bool) -> None:
    text = parsed_here(page(f"<h2>Tides</h2><p>{PROSE}</p>{line}<p>{PROSE}</p>"), "a.html").text.lower()
    assert ("index" not in text and "top" not in text) is gone
    assert "water" not in line or ("water." in text and "wind." in text)


def test_a_page_of_one_endless_piece_of_text_is_refused_with_its_reason() -> None:
    with pytest.raises(ParseFailed, match="without a mark of HTML"):
        parsed_here(f"<p>{'ferry ' * 1_600_000}</p>", "a.html")


def test_a_page_with_more_text_than_is_read_is_refused_before_it_is_parted_into_words() -> None:
    lines = ("ferry " * 100).join(["<br>"] * 40_000)
    with pytest.raises(ParseFailed, match="more than 20,000,000 characters of text"):
        parsed_here(f"<div><a href='a'>Pier</a>{lines}</div>", "a.html")


def test_a_long_script_is_no_text_of_a_page() -> None:
    held = f"<script>{'sail();' * 3_000_000}</script>"
    assert "last ferry" in parsed_here(page(CONTENT, held), "a.html").text


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        ("<tr><td>&#160;</td><td><ul><li>The ferry sails.</li></ul></td></tr>", "list"),
        ("<tr><td>&#160;</td><td><p>The ferry sails.</p></td><td></td></tr>", "paragraph"),
        ("<tr><td>Pier</td><td><p>The ferry sails.</p></td></tr>", "table"),
        ("<tr><th>Pier</th><th></th></tr><tr><td><p>The ferry sails.</p></td><td></td></tr>", "table"),
    ],
)
def test_a_table_that_only_sets_margins_is_no_table(rows: str, kind: str) -> None:
    read = parsed_here(page(CONTENT, f"<table>{rows}</table>", f"<p>{PROSE}</p>"), "a.html")
    assert [e.kind for e in read.elements if "ferry sails" in e.text] == [kind]


@pytest.mark.parametrize(
    ("heading", "found"),
    [
        ('<h2>Tides <a href="#top">⬆</a></h2>', [("title", "Tides")]),
        ('<h2>Tides <a href="up.html">⬆</a></h2>', [("title", "Tides ⬆")]),
        ('<h2><img alt="" src="sun.png"> Tides</h2>', [("title", "Tides")]),
        ('<h2><img alt="A sun" src="sun.png"> Tides</h2>', [("title", "Tides"), ("image_caption", "A sun")]),
        ('<h2><input type="checkbox"> Tides <img src="sun.png"> of May</h2>', [("title", "Tides of May")]),
        (
            '<p><img alt="A sun" src="sun.png"> Tides</p>',
            [("image_caption", "A sun"), ("paragraph", "Tides")],
        ),
    ],
)
def test_a_picture_in_a_heading_takes_nothing_from_it(heading: str, found: list[tuple[str, str]]) -> None:
    text = (
        "The ferry crosses the harbour twice each hour, and it waits for the last train of the evening. " * 3
    )
    page = f"<html><body><p>{text}</p>{heading}<p>{text}</p></body></html>"
    assert [(e.kind, e.text) for e in parsed_here(page, "a.html").elements][1:-1] == found


def test_a_small_page_whose_cells_go_over_many_rows_costs_no_more_than_its_size() -> None:
    cell = "<tr><td colspan=100 rowspan=100>part {}</td></tr>"
    page = f"<h1>Parts</h1><table>{''.join(cell.format(at) for at in range(1000))}</table>"
    begun = process_time()
    table = parsed_here(f"<html><body>{page}</body></html>", "a.html").elements[-1]
    assert (table.kind, table.text.count("\n")) == ("table", 1000)
    assert process_time() - begun < 10


@pytest.mark.parametrize(("name", "is_heading"), [("Example", True), ("Example 1", False)])
def test_a_bold_line_above_the_example_of_a_manual_is_a_heading(name: str, is_heading: bool) -> None:
    bold = "".join(f"<p><b>{one}</b></p><p>{PROSE}</p>" for one in ("Return Value", "Parameters", "Remarks"))
    found = parsed_here(page("<h1>ferry</h1>", bold, f"<p><b>{name}</b></p><pre>ferry(1);</pre>"), "a.html")
    assert (found.elements[-1].heading_path[-1] == name) is is_heading


@pytest.mark.parametrize(("named", "stays"), [("logo", False), ("title", True)])
def test_the_name_of_the_site_makes_a_menu_no_content(named: str, stays: bool) -> None:
    menu = (
        f"<div role='navigation'><h1 class='{named}'><a href='i.html'>Ferries</a></h1><p>All ways</p></div>"
    )
    assert ("All ways" in parsed_here(page(CONTENT, menu), "a.html").text) is stays


@pytest.mark.parametrize(
    ("last", "stays"),
    [
        ("Built with Sphinx and a theme.", False),
        ("Powered by steam.", False),
        ("Built by hand.", True),
        (f"Built with care. {PROSE}", True),
    ],
)
def test_with_what_a_long_page_was_made_is_no_content(last: str, stays: bool) -> None:
    long = f"<h1>Harbour</h1>{f'<p>{PROSE}</p>' * 4_000}<div>{last}</div>"
    assert (last[:12] in parsed_here(page(long), "a.html").text) is stays


def test_the_head_of_a_site_with_its_menu_is_left_out() -> None:
    menu = "<nav><a href='b.html'>Boats</a></nav>"
    read = parsed_here(page(f"<header><h2><a href='/'>Port</a></h2>{menu}</header>", CONTENT), "a.html")
    assert titles(read) == ["Harbour", "Ferries"]
    own = parsed_here(page(f"<header><h1>Tides</h1>{menu}</header><h2>Noon</h2><p>{PROSE}</p>"), "a.html")
    assert titles(own) == ["Tides", "Noon"]


@pytest.mark.parametrize("sign", ["\x01", "&#1;", "&#x0001F;", "\ufffe", "&#65534"])
def test_a_sign_that_markup_may_not_hold_is_left_out(sign: str) -> None:
    """Nothing could be written beside it, so that the page was not read at all."""
    item = f"<ol><li>{sign} The ferry leaves.<img alt='&#2; A boat'></ol><pre>a<img alt='&#3;1'></pre>"
    read = parsed_here(page(CONTENT, item), "a.html")
    assert "1. The ferry leaves." in read.text
    assert sign not in read.text


def test_what_is_nested_too_deep_to_be_asked_is_text() -> None:
    shown = "<p>The tide turns.</p><nav>Menu</nav><p style='display: none'>Hidden</p>"
    said = parsed_here(page(CONTENT, "<div>" * 200 + shown + "</div>" * 200), "a.html").text
    assert "The tide turns." in said
    assert "Menu" not in said
    assert "Hidden" not in said
