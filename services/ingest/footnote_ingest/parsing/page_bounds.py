"""How much text a page of HTML may hold. This is checked before anything joins the text or splits it.

A text that is split into words takes ten times its memory, and some passes split what each box holds.
"""

from lxml import etree

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.errors import ParseFailed

_LONGEST_PIECE = 9_000_000
"""The parser of the partitioner silently drops a piece of more than 10,000,000 bytes (libxml2)."""


def check_bounds(root: etree._Element, to: Assembler, not_shown: tuple[str, ...]) -> None:
    """Raise ParseFailed for a page with too much text, or with too much of it between two marks.

    The text of elements that are called as in `not_shown` does not count, nor does white space between marks.
    """
    shown = 0
    for node in root.iter():
        for piece in (None if node.tag in not_shown else node.text, node.tail):
            if not piece or piece.isspace():
                continue
            if len(piece) > _LONGEST_PIECE:
                raise ParseFailed(
                    f"The page has more than {_LONGEST_PIECE:,} characters without a mark of HTML between "
                    "them. Split it and upload the pieces.",
                    "too_large",
                )
            shown += len(piece.strip())
    to.check_size(shown)


def said_up_to(node: etree._Element, most: int) -> str:
    """The words of an element, with single blanks; of a longer text the beginning, longer than `most`."""
    pieces: list[str] = []
    long = 0
    for piece in node.itertext():
        pieces.append(piece)
        # A piece of more words than characters are asked for is too long, so its further words stay together.
        long += len(" ".join(piece.split(None, most)))
        if long > most:
            break
    return " ".join("".join(pieces).split())
