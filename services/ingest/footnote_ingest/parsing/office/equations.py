"""Equations of Word (Office Math, ECMA-376 part 1, clause 22.1) as one line of text."""

from collections.abc import Callable

from lxml import etree

_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
EQUATION = f"{_MATH}oMath"
_INTEGRAL = "∫"
_SIMPLE = 1
"""An operand of more characters than this is put into brackets."""


def equation_text(equation: etree._Element) -> str:
    """The equation as it would be typed: `x=(-b±√(b^2-4ac))/(2a)`."""
    return "".join(_text(child) for child in equation).strip()


def _text(node: etree._Element) -> str:
    if not isinstance(node.tag, str) or not node.tag.startswith(_MATH):
        return ""
    name = node.tag.removeprefix(_MATH)
    if name == "t":
        return node.text or ""
    if name.endswith("Pr"):
        return ""
    written = _WRITTEN.get(name)
    return written(node) if written is not None else "".join(_text(child) for child in node)


def _part(node: etree._Element, name: str) -> str:
    found = node.find(f"{_MATH}{name}")
    return _text(found) if found is not None else ""


def _operand(node: etree._Element, name: str) -> str:
    text = _part(node, name)
    return text if len(text) <= _SIMPLE or text.isdecimal() else f"({text})"


def _property(node: etree._Element, name: str, default: str) -> str:
    found = next(node.iter(f"{_MATH}{name}"), None)
    return found.get(f"{_MATH}val", default) if found is not None else default


def _fraction(node: etree._Element) -> str:
    return f"{_operand(node, 'num')}/{_operand(node, 'den')}"


def _scripts(node: etree._Element) -> str:
    below, above = _part(node, "sub"), _part(node, "sup")
    return (f"_{_operand(node, 'sub')}" if below else "") + (f"^{_operand(node, 'sup')}" if above else "")


def _scripted(node: etree._Element) -> str:
    return _operand(node, "e") + _scripts(node)


def _root(node: etree._Element) -> str:
    return f"{_part(node, 'deg')}√({_part(node, 'e')})"


def _many(node: etree._Element) -> str:
    return f"{_property(node, 'chr', _INTEGRAL)}{_scripts(node)} {_part(node, 'e')}"


def _delimited(node: etree._Element) -> str:
    inner = _property(node, "sepChr", "|").join(_text(child) for child in node.findall(f"{_MATH}e"))
    return f"{_property(node, 'begChr', '(')}{inner}{_property(node, 'endChr', ')')}"


def _function(node: etree._Element) -> str:
    return f"{_part(node, 'fName')}({_part(node, 'e')})"


def _matrix(node: etree._Element) -> str:
    rows = [[_text(cell) for cell in row] for row in node.findall(f"{_MATH}mr")]
    return "[" + "; ".join(", ".join(row) for row in rows) + "]"


_WRITTEN: dict[str, Callable[[etree._Element], str]] = {
    "f": _fraction,
    "sSub": _scripted,
    "sSup": _scripted,
    "sSubSup": _scripted,
    "rad": _root,
    "nary": _many,
    "d": _delimited,
    "func": _function,
    "m": _matrix,
}
