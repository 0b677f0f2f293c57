"""The pieces that a PDF page falls into: headings, paragraphs, tables, captions and the like."""

from dataclasses import dataclass

from footnote_ingest.parsing.elements import Kind


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a page, with the level of a heading and the size of its font in points.

    `unfinished` says that its last sentence goes on elsewhere, and `fills` that its last line reaches as far
    as the others. `indented` says that its first line does not reach as far to the left as the next.
    `begins_bold` says that the first row of a table is bold, and `goes_on` that the table is the rest of the
    one before it, from the page before.
    """

    kind: Kind
    text: str
    page: int
    level: int | None = None
    size: float = 0.0
    unfinished: bool = False
    fills: bool = False
    indented: bool = False
    begins_bold: bool = False
    goes_on: bool = False
