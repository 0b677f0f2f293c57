"""The text of a page as a person sees it."""

from footnote_ingest.parsing.pdf.page_text import PdfPageText


def test_a_soft_hyphen_that_a_page_draws_is_a_hyphen() -> None:
    text = "raxml \u00adf a \u00ad\u00adhelp"
    page = PdfPageText(text, lambda at: False)
    assert page.plain(text, 0) == "raxml -f a --help"
    assert page.shown(text, 0) == "raxml -f a --help"
