"""A page gives its content: no menus and footers, the language of code, the address behind "here"."""

import pytest

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
    ],
)
def test_what_a_page_marks_as_furniture_is_left_out(furniture: str) -> None:
    alone = parsed_here(page(CONTENT), "a.html")
    for parts in ((furniture, CONTENT), (CONTENT, furniture)):
        assert parsed_here(page(*parts), "a.html").elements == alone.elements


def test_a_table_of_contents_goes_with_its_name() -> None:
    items = "".join(f"<li><a href='#{name}'>To the {name}</a></li>" for name in ("piers", "ferries", "crew"))
    extracted = parsed_here(page("<h1>Harbour</h1><p>Contents</p><ul>", items, "</ul>", CONTENT), "a.html")
    assert "To the ferries" not in extracted.text
    assert "Contents" not in extracted.text


def test_a_list_of_two_links_into_the_page_is_content() -> None:
    items = "".join(f"<li><a href='#{name}'>To the {name}</a></li>" for name in ("piers", "ferries"))
    assert "To the ferries" in parsed_here(page(CONTENT, "<ul>", items, "</ul>", CONTENT), "a.html").text


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
