"""A book is called as its package says, or as it begins where that is the name of a project."""

import pytest

from tests.unit.ingest.parsing import sample_files
from tests.unit.ingest.parsing.here import parsed_here

PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title>{}</dc:title></metadata><manifest><item id="b" href="two.xhtml"/><item id="a" href="one%201.xhtml"/>
</manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>"""


@pytest.mark.parametrize(
    ("named", "title"),
    [
        ("harbour-guide", "Ebb"),
        ("harbour_guide-2.0", "Ebb"),
        ("Harbour-Guide", "Harbour-Guide"),
        ("harbour", "harbour"),
        ("well-known ports", "well-known ports"),
        ("-", "-"),
    ],
)
def test_the_name_of_a_project_is_no_title(named: str, title: str) -> None:
    package = PACKAGE.format(named).encode()
    book = sample_files.rezipped(sample_files.book(), {"OEBPS/book.opf": package})
    assert parsed_here(book, "a.epub").title == title


def test_it_is_where_the_book_begins_with_text() -> None:
    chapter = b'<html xmlns="http://www.w3.org/1999/xhtml"><body><p>All rights reserved.</p></body></html>'
    package = PACKAGE.format("harbour-guide").encode()
    parts = {"OEBPS/book.opf": package, "OEBPS/one 1.xhtml": chapter}
    assert parsed_here(sample_files.rezipped(sample_files.book(), parts), "a.epub").title == "harbour-guide"
