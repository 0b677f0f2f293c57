"""The text of a page as a person sees it."""

import pytest

from footnote_ingest.parsing.pdf.page_chars import places_in_utf_16
from footnote_ingest.parsing.pdf.page_text import PdfPageText


def test_a_soft_hyphen_that_a_page_draws_is_a_hyphen() -> None:
    text = "raxml \u00adf a \u00ad\u00adhelp"
    page = PdfPageText(text, lambda at: False)
    assert page.plain(text, 0) == "raxml -f a --help"
    assert page.shown(text, 0) == "raxml -f a --help"


@pytest.mark.parametrize(
    ("text", "places"), [("abc", []), ("\u00e9\uffff", []), ("a\U0001d465 b", [0, 1, 3, 4, 5])]
)
def test_places_are_those_of_utf_16_behind_a_letter_that_takes_two(text: str, places: list[int]) -> None:
    assert places_in_utf_16(text) == places
