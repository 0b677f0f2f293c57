"""The numbers of ordered lists: a page shows them, and the text of its items does not hold them."""

import re
from typing import Final

from lxml import etree

from footnote_ingest.parsing.page_elements import HEADINGS

_FORMATS: Final = {"1": "1", "a": "a", "A": "A", "i": "i", "I": "I"}
_WITHOUT_MARKS: Final = re.compile(r"list-style(?:-type)?\s{0,9}:\s{0,9}(?:[^;]{0,60}\s)?none", re.I)
_BOXES: Final = ("p", "div")
"""An item may begin with one of these, within which its words stand."""

_OWN_BLOCKS: Final = frozenset({"pre", "table", "ul", "ol", "dl", *HEADINGS})
"""What is no text of an item that begins with it."""

_NOT_NUMBERED: Final = ("pre", "code", "nav")
"""Within these a list is lines of code or a menu, whose numbers nobody is told."""

_WHOLE: Final = re.compile(r"-?\d{1,6}")
_TOLD: Final = re.compile(r"\s{0,9}\(?(?:\d{1,4}|[A-Za-z])[.)]\s")
_ROMAN: Final = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc")),
    *((50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_MOST_ROMAN: Final = 4_000
_DEEPEST: Final = 6
_LETTERS: Final = 26


def write_numbers(root: etree._Element) -> None:
    """Put its number before each item of an ordered list (HTML, 4.4.5)."""
    for ordered in root.iter("ol"):
        if _WITHOUT_MARKS.search(ordered.get("style", "")) or _is_within(ordered, _NOT_NUMBERED):
            continue
        items = list(ordered.iterchildren("li"))
        step = -1 if ordered.get("reversed") is not None else 1
        number = _whole(ordered.get("start"), len(items) if step < 0 else 1)
        form = _FORMATS.get(ordered.get("type", "1"), "1")
        for item in items:
            number = _whole(item.get("value"), number)
            _write(item, f"{counted(number, form)}. ")
            number += step


def counted(number: int, form: str) -> str:
    """A number in digits (`1`), letters (`a`, `A`) or Roman numerals (`i`, `I`)."""
    if form in "aA" and number > 0:
        said = ""
        while number:
            number, rest = divmod(number - 1, _LETTERS)
            said = chr(ord(form) + rest) + said
        return said
    if form in "iI" and 0 < number < _MOST_ROMAN:
        said = ""
        for worth, sign in _ROMAN:
            times, number = divmod(number, worth)
            said += sign * times
        return said if form == "i" else said.upper()
    return str(number)


def _write(item: etree._Element, lead: str) -> None:
    """Put a number before the first words of an item. One that begins with code or a table has none."""
    node = item
    for _ in range(_DEEPEST):
        if (node.text or "").strip():
            if not _TOLD.match(node.text or ""):
                node.text = lead + (node.text or "").lstrip()
            return
        first = next(iter(node), None)
        if first is None or first.tag not in _BOXES:
            if first is not None and first.tag not in _OWN_BLOCKS and _says_something(item):
                node.text = lead
            return
        node = first


def _says_something(item: etree._Element) -> bool:
    return any(piece.strip() for piece in item.itertext())


def _is_within(node: etree._Element, names: tuple[str, ...]) -> bool:
    return next(node.iterancestors(*names), None) is not None


def _whole(said: str | None, otherwise: int) -> int:
    return int(said) if said is not None and _WHOLE.fullmatch(said.strip()) else otherwise
