"""Sentences of a PDF that go on in the next column or on the next page, past what stands between.

A figure, a table, a caption or a footnote that parts a sentence is moved behind it.
"""

import re
from dataclasses import replace

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Kind
from footnote_ingest.parsing.pdf.line_breaks import parts_no_words
from footnote_ingest.parsing.pdf.pieces import Piece

_FLOATS: frozenset[Kind] = frozenset({"table", "image_caption", "footnote"})
_TEXTS: frozenset[Kind] = frozenset({"paragraph", "list"})
_HYPHENATED = re.compile(r"[^\W\d_][-\u2010\u00ad]$")
_WORD = re.compile(r"\S+\s*")
_MOST_HELD = 40
"""This many pieces may stand between the two parts of a sentence."""

_MOST_PAGES = 2
"""A sentence goes on at most this many pages later: a figure may fill the page between."""

_SAME_SIZE = 0.6
"""Both parts of a sentence are in one size, to this many points; the words of a figure are not."""


class Flow:
    """Takes the pieces of a document as they stand and hands them on as they are read."""

    def __init__(self, to: Assembler) -> None:
        self._to = to
        self._open: Piece | None = None
        self._goes_on = False
        self._held: list[Piece] = []

    def add(self, piece: Piece) -> None:
        """The next piece."""
        if self._open is not None and _continues(self._open, piece, self._held):
            self._join(self._open, piece)
        elif self._open is not None and len(self._held) < _MOST_HELD and _may_wait(piece, self._open):
            self._held.append(piece)
        else:
            self.finish()
            self._take(piece, goes_on=False)

    def finish(self) -> None:
        """Hand on what waits, in the order in which it stands."""
        if self._open is not None:
            self._hand_on(self._open, goes_on=self._goes_on)
        self._open = None
        self._release()

    def _take(self, piece: Piece, *, goes_on: bool) -> None:
        """Keep a text whose sentence goes on, and hand on any other piece with what waited for it."""
        if piece.kind in _TEXTS and piece.unfinished:
            self._open, self._goes_on = piece, goes_on
        else:
            self._hand_on(piece, goes_on=goes_on)
            self._open = None
            self._release()

    def _join(self, before: Piece, after: Piece) -> None:
        head, tail = joined_word(before.text, after.text)
        if not tail:
            self._take(replace(after, text=head, kind=before.kind, page=before.page), goes_on=self._goes_on)
        elif before.page == after.page:
            gap = "" if parts_no_words(head, tail) else "\n"
            whole = replace(after, text=f"{head}{gap}{tail}", kind=before.kind)
            self._take(whole, goes_on=self._goes_on)
        else:
            self._hand_on(replace(before, text=head), goes_on=self._goes_on)
            self._take(replace(after, text=tail, kind=before.kind), goes_on=True)

    def _hand_on(self, piece: Piece, *, goes_on: bool) -> None:
        goes_on = goes_on or piece.goes_on
        self._to.add(piece.kind, piece.text, page=piece.page, level=piece.level, goes_on=goes_on)

    def _release(self) -> None:
        held, self._held = self._held, []
        for piece in held:
            self._hand_on(piece, goes_on=False)


def joined_word(before: str, after: str) -> tuple[str, str]:
    """Two parts of a text, of which the first has the whole of a word that a hyphen had parted."""
    if _HYPHENATED.search(before) is None or not after[:1].islower():
        return before, after
    word = _WORD.match(after)
    end = word.end() if word is not None else 0
    return before[:-1] + after[:end].rstrip(), after[end:]


def _may_wait(piece: Piece, before: Piece) -> bool:
    """Whether a piece may be part of a float that stands within a sentence."""
    if piece.level is not None or piece.page - before.page > _MOST_PAGES:
        return False
    # A single line of code is what the words above it say, not a figure.
    if piece.kind == "code" and "\n" not in piece.text:
        return False
    return piece.kind in _FLOATS or abs(piece.size - before.size) > _SAME_SIZE


def _continues(before: Piece, piece: Piece, held: list[Piece]) -> bool:
    """Whether a piece is the rest of a sentence that another one begins."""
    if piece.kind != "paragraph" or abs(piece.size - before.size) > _SAME_SIZE:
        return False
    overleaf = before.page < piece.page <= before.page + _MOST_PAGES
    if not overleaf and not any(one.kind in _FLOATS for one in held):
        return False
    if not before.fills and _HYPHENATED.search(before.text) is None:
        return False
    first = piece.text[:1]
    return first.islower() or ((first.isalnum() or first in '("\u201c\u2018') and not piece.indented)
