"""Formulas of OpenDocument texts (MathML 3.0, chapter 3, each in an object of its own) as one line of text.

They are written as equations of Word are (`equations.py`): `(-b±√(b^2-4ac))/(2a)`.
"""

import io
import zipfile
from collections.abc import Callable, Sequence

from lxml import etree

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.office.open_document import TEXT, object_in, object_name
from footnote_ingest.parsing.parser_input import ParserInput

_MATH = "{http://www.w3.org/1998/Math/MathML}"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_SIMPLE = 1
"""An operand of more characters than this is put into brackets."""

_MOST_FORMULAS, _LONGEST = 2_000, 10_000
"""Frames that are looked at, and characters of a formula. A small file may name a large one in each frame."""

_SIGNS = str.maketrans("\ue083\ue09e\ue09f", "+()", "\u2061\u2062\u2063\u2064")
"""How OpenOffice wrote some signs in private places, and signs of what is applied that nobody sees."""


def write_formulas(given: ParserInput, body: etree._Element, to: Assembler) -> None:
    """Put the text of each formula in the place of its frame, which holds it or says where it lies."""
    frames = [node for node in body.iter(f"{_DRAW}object") if node.getparent() is not None]
    if len(frames) > _MOST_FORMULAS:
        to.warnings.append(f"The formulas and charts behind the first {_MOST_FORMULAS:,} were left out.")
    archive = zipfile.ZipFile(io.BytesIO(given.data)) if frames and given.data.startswith(b"PK") else None
    # Many frames may name one object, which is read once.
    read: dict[str, str | None] = {}
    for node in frames[:_MOST_FORMULAS]:
        name, math = object_name(node), node.find(f"{_MATH}math")
        if math is not None:
            text = _formula(math)
        elif archive is not None:
            if name not in read:
                read[name] = _formula(object_in(archive, name))
            text = read[name]
        else:
            text = None
        if text is not None and len(text) > _LONGEST:
            told = f"A formula of more than {_LONGEST:,} characters was left out."
            to.warnings += [told] if told not in to.warnings else []
        elif text is not None:
            _put(node, text)


def _formula(root: etree._Element | None) -> str | None:
    """The text of an object; None if it is no formula."""
    return formula_text(root) if root is not None and root.tag == f"{_MATH}math" else None


def _put(node: etree._Element, text: str) -> None:
    """Write the text where the frame of an object stands, which holds a picture of it too."""
    frame = node.getparent()
    above = frame.getparent() if frame is not None else None
    if frame is None or above is None:
        return
    written = etree.Element(f"{TEXT}span")
    written.text, written.tail = text, frame.tail
    above.replace(frame, written)


def formula_text(math: etree._Element) -> str:
    """The formula as it would be typed. What it says in other forms too, such as its source, is left out."""
    return "".join(_text(child) for child in math).strip()


def _text(node: etree._Element) -> str:
    if not isinstance(node.tag, str) or not node.tag.startswith(_MATH):
        return ""
    name = node.tag.removeprefix(_MATH)
    if name in _LEAVES:
        return " ".join("".join(map(str, node.itertext())).split()).translate(_SIGNS)
    if name == "semantics":
        return _text(node[0]) if len(node) else ""
    written = _WRITTEN.get(name)
    parts = _parts(node)
    if written is None or len(parts) < written[0]:
        return "".join(_text(part) for part in parts)
    return written[1](parts)


def _parts(node: etree._Element) -> list[etree._Element]:
    return [part for part in node if isinstance(part.tag, str)]


def _operand(node: etree._Element, is_simple: Callable[[str], bool] = str.isalnum) -> str:
    """An operand, in brackets where it needs them. It is written once: twice would double with each level."""
    text = _text(node)
    whole = text[:1] in "([{" and text[-1:] in ")]}" and not any(sign in text[1:-1] for sign in "()[]{}")
    return text if len(text) <= _SIMPLE or is_simple(text) or whole else f"({text})"


def _fraction(parts: Sequence[etree._Element]) -> str:
    return "/".join(_operand(part, str.isdecimal) for part in parts[:2])


def _below(parts: Sequence[etree._Element]) -> str:
    return f"{_operand(parts[0])}_{_operand(parts[1])}"


def _above(parts: Sequence[etree._Element]) -> str:
    return f"{_operand(parts[0])}^{_operand(parts[1])}"


def _both(parts: Sequence[etree._Element]) -> str:
    return f"{_operand(parts[0])}_{_operand(parts[1])}^{_operand(parts[2])}"


def _square_root(parts: Sequence[etree._Element]) -> str:
    return f"√({''.join(_text(part) for part in parts)})"


def _root(parts: Sequence[etree._Element]) -> str:
    return f"{_text(parts[1])}√({_text(parts[0])})"


def _fenced(parts: Sequence[etree._Element]) -> str:
    return f"({','.join(_text(part) for part in parts)})"


def _table(parts: Sequence[etree._Element]) -> str:
    rows = [[_text(cell) for cell in _parts(row)] for row in parts]
    return "[" + "; ".join(", ".join(row) for row in rows) + "]"


_LEAVES = frozenset({"mi", "mn", "mo", "mtext", "ms"})
_WRITTEN: dict[str, tuple[int, Callable[[Sequence[etree._Element]], str]]] = {
    "mfrac": (2, _fraction),
    "msub": (2, _below),
    "munder": (2, _below),
    "msup": (2, _above),
    "mover": (2, _above),
    "msubsup": (3, _both),
    "munderover": (3, _both),
    "msqrt": (1, _square_root),
    "mroot": (2, _root),
    "mfenced": (1, _fenced),
    "mtable": (1, _table),
}
"""How an element is written, and how many parts it needs for that."""
