"""A page of HTML around what another system gives as HTML."""

import html


def html_page(title: str, body: str) -> bytes:
    """The page. The title is text and is escaped; the body is HTML and stays as it is."""
    head = html.escape(title)
    page = f"<html><head><meta charset=utf-8><title>{head}</title></head><body>{body}</body></html>"
    return page.encode("utf-8", "replace")
