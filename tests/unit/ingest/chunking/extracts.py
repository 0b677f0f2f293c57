"""Extracted documents, made from pieces."""

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Extracted, Kind
from footnote_ingest.parsing.markup.markdown import mark_markdown

Piece = tuple[Kind, str] | tuple[Kind, str, int]


def made_of(
    *pieces: Piece, family: str = "plain", title: str | None = None, paged: bool = False
) -> Extracted:
    """The third part of a piece is the level of a title, or its page if `paged`."""
    to = Assembler(text_limit=10_000_000, element_limit=1_000_000)
    for kind, text, *rest in pieces:
        number = rest[0] if rest else None
        to.add(kind, text, level=None if paged else number, page=number if paged else None)
    made = to.finish(title=title)
    return Extracted(
        made.text,
        made.elements,
        title=title,
        family=family,
        metadata={"subject": title or ""} if family == "eml" else {},
    )


def markdown(text: str) -> Extracted:
    to = Assembler(text_limit=10_000_000, element_limit=1_000_000, whole=text)
    mark_markdown(to, text)
    return to.finish()
