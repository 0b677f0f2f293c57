"""Which title a PDF has: that of its properties, if it is one, or what its first page prints."""

from collections.abc import Sequence

from footnote_ingest.parsing.court_captions import is_caption
from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.pdf.printed_title import (
    title_in_capitals,
    title_in_table,
    title_in_the_middle,
)
from footnote_ingest.parsing.pdf.title import (
    fuller,
    is_doubtful,
    largest_words,
    manual_page,
    newer,
    own_title,
)
from footnote_ingest.parsing.pdf.title_as_printed import as_printed, reworded
from footnote_ingest.parsing.pdf.typed_pages import typed_title


def chosen_title(
    told: str | None, filename: str, top: Sequence[PdfLine], drawn: Sequence[PdfLine], body: float
) -> str | None:
    """The title of a document; None without one.

    `told` is that of its properties. `top` are the lines of its first page without what is left out, and
    `drawn` those as they are drawn. `body` is the size of its text, in points.
    """
    own = own_title(told)
    largest = largest_words(top, body)
    # The name of a court, which many of its papers have, is a title only if there is no other.
    names = [name for name in (largest, own) if name and not is_caption(name)]
    named = own if own and own in names and not is_doubtful(own, filename) else None
    if named:
        named = reworded(as_printed(fuller(newer(named, top, body), top, body), top), largest, top)
    shown = named or manual_page(top) or next(iter(names), None)
    return (
        shown
        or typed_title(drawn)
        or title_in_table(top)
        or title_in_capitals(top)
        or title_in_the_middle(top)
        or largest
        or own
    )
