"""Tables of a PDF that go on from the foot of one page to the top of the next."""

import re
from dataclasses import replace

from footnote_ingest.parsing.pdf.pieces import Piece
from footnote_ingest.parsing.table_text import columns_of, is_rule

_LEAST_COLUMNS = 2
_CONTINUED = re.compile(r"\b(?:continu(?:ed|es)|cont\W?d|cont\.|fortsetzung|forts\.)", re.I)
_LONGEST_NOTICE = 80
"""What says that a table goes on has at most this many characters: "Table 3 (continued)"."""

_WORDS = frozenset({"image_caption", "paragraph"})


class TablePages:
    """Sees the pieces of a document in their order and tells which tables go on.

    A table goes on if it is the first piece of its page and begins with no header of its own, and the last
    piece of the page before is a table of as many columns, with at most notes below it. A line that says so
    may stand between both.
    """

    def __init__(self) -> None:
        self._page = 0
        self._last: Piece | None = None
        self._header = ""

    def seen(self, piece: Piece) -> Piece:
        """The piece; a table that goes on says so, and its first row is no header unless it repeats one."""
        if piece.kind in _WORDS and len(piece.text) <= _LONGEST_NOTICE and _CONTINUED.search(piece.text):
            return piece
        begins_page = piece.page != self._page
        before, self._page = self._last, piece.page
        if piece.kind != "table":
            # Notes stand at the foot of a page, below the table that goes on.
            if piece.kind != "footnote" or begins_page:
                self._last = None
            return piece
        if begins_page and before is not None and _goes_on(before, piece):
            piece = replace(piece, text=_without_header(piece.text, self._header), goes_on=True)
        else:
            self._header = piece.text.partition("\n")[0]
        self._last = piece
        return piece


def _goes_on(before: Piece, piece: Piece) -> bool:
    columns = _columns(piece.text)
    same = piece.page == before.page + 1 and columns == _columns(before.text) >= _LEAST_COLUMNS
    # A row in bold below a header in bold, in other words, is the header of another table.
    return same and not (piece.begins_bold and before.begins_bold and _first(piece) != _first(before))


def _columns(text: str) -> int:
    return max(map(columns_of, text.split("\n")))


def _first(piece: Piece) -> str:
    return piece.text.partition("\n")[0]


def _without_header(text: str, header: str) -> str:
    first, _, rest = text.partition("\n")
    rule, _, rows = rest.partition("\n")
    return f"{first}\n{rows}" if first != header and is_rule(rule) else text
