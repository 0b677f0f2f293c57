"""Comparing columns with what a person typed, whatever the size of the letters.

The `lower` of SQLite knows ASCII alone, and that of PostgreSQL the letters of its locale. So the other
letters that were typed are replaced in the column by their small ones, which both do alike.
"""

import unicodedata
from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Text, func, or_

_OTHERS = {"\u03c3": "\u03c2", "\u00df": "\u1e9e"}
"""Another letter that counts as a small one: the sigma that ends a word, a capital that few fonts have."""

_DOTTED, _DOT = "\u0130", "\u0307"
"""The Turkish capital I with a dot. The dot of its small letter is a sign of its own, the second."""


def folded(column: Any, typed: str) -> tuple[ColumnElement[str], str]:
    """The column and the text, both in small letters, to be compared with each other."""
    text = "".join(map(_small, typed))
    forms = {form: _small(form) for letter in text if not letter.isascii() for form in _forms_of(letter)}
    shown = column
    if _DOT in text:
        shown = func.replace(shown, _DOTTED, _small(_DOTTED), type_=Text)
    if forms:
        shown = func.translate(shown, "".join(forms), "".join(forms.values()), type_=Text)
    return func.lower(shown), text


def has_name(columns: Sequence[Any], typed: str) -> ColumnElement[bool]:
    """Whether one of the columns has the text in it: as it was typed, or composed as file names are kept."""
    texts = dict.fromkeys((typed, composed(typed)))
    pairs = [folded(column, text) for text in texts for column in columns]
    return or_(*(shown.contains(wanted, autoescape=True) for shown, wanted in pairs))


def composed(typed: str) -> str:
    """The text in the form in which names of files and folders are kept: an accent is part of its letter."""
    return unicodedata.normalize("NFC", typed)


def _forms_of(small: str) -> list[str]:
    """The other letters that may stand in the place of a small one."""
    return [one for one in (small.upper(), _OTHERS.get(small, "")) if len(one) == 1 and one != small]


def _small(letter: str) -> str:
    """A letter by itself. The sigma at the end of a Greek word is the same letter as any other."""
    return "\u03c3" if letter == "\u03c2" else letter.lower()
