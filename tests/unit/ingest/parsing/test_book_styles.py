"""A paragraph of an e-book is a heading where a style sheet beside the chapter makes it bold."""

import pytest

from footnote_ingest.parsing.book_styles import bold_classes
from tests.unit.ingest.parsing import sample_files
from tests.unit.ingest.parsing.here import parsed_here, titles

BODY = "<p>The ferry leaves at noon, and again at six.</p>"


@pytest.mark.parametrize(
    ("css", "found"),
    [
        ("p.head { font-weight: bold; }", {"head"}),
        (".a, div.b, h2 { color: red; font-weight: 700 }", {"a", "b"}),
        ("/* .a { font-weight: bold } */ .b { font-weight:bolder }", {"b"}),
        (".a { font-weight: normal } .b { font-weight: 400 }", set()),
        (".a p { font-weight: bold } a:hover { font-weight: bold }", set()),
        ("@media print { .a { font-weight: bold } }", {"a"}),
        ("}{ .a { font-weight", set()),
        (".a { font-weight: bold } /* .b { font-weight: bold }", {"a"}),
        pytest.param("/*" * 500_000, set(), id="a million signs of comments"),
    ],
)
def test_the_classes_that_a_style_sheet_makes_bold_are_found(css: str, found: set[str]) -> None:
    assert bold_classes(css) == found


def book(body: str, css: str = "p.strong { font-weight: bold }") -> list[str]:
    chapter = f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{body}</body></html>'
    listed = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata/><manifest><item id="a" href="one.xhtml"/>'
        '<item id="s" href="a.css" media-type="text/css"/>'
        '<item id="t" href="gone.css" media-type="text/css"/>'
        '</manifest><spine><itemref idref="a"/></spine></package>'
    )
    parts = {"OEBPS/book.opf": listed, "OEBPS/one.xhtml": chapter, "OEBPS/a.css": css}
    data = sample_files.rezipped(sample_files.book(), {name: part.encode() for name, part in parts.items()})
    return titles(parsed_here(data, "a.epub"))


@pytest.mark.parametrize(
    ("line", "is_heading"),
    [
        ('<p class="strong">The Times</p>', True),
        ('<p class="x strong"><a name="t"/>The <i>Times</i></p>', True),
        ('<p class="other">The Times</p>', False),
        ('<p class="strong">The ferry goes.</p>', False),
        ('<p class="strong"><a href="#t">The Times</a></p>', False),
        ('<p class="strong">The Times</p><p class="strong">The Fares</p>', False),
    ],
)
def test_a_bold_line_above_text_is_a_heading(line: str, is_heading: bool) -> None:
    assert ("The Times" in book(line + BODY)) is is_heading


def test_a_bold_line_at_the_end_is_none() -> None:
    assert book(f'{BODY}<p class="strong">The End</p>') == []


def test_numbers_tell_the_ranks() -> None:
    lines = '<p class="strong">4.1 Times</p><p class="strong">4.1.1 By day</p>'
    assert book(f"<h1>4. Ferries</h1>{lines}{BODY}") == ["4. Ferries", "4.1 Times", "4.1.1 By day"]
