"""Equations of Word (Office Math, ECMA-376 part 1, clause 22.1) as one line of text.

Where there is no usual way to type something, it is written as in Unicode Technical Note 28 (UnicodeMath):
`n¦k` is a fraction without its bar, and a sign over or under a group stands before it, as in `⏟(a+b)`.
"""

from collections.abc import Callable

from lxml import etree

_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
EQUATION = f"{_MATH}oMath"
_INTEGRAL = "∫"
_SIMPLE = 1
"""An operand of more characters than this is put into brackets."""

_HAT, _BRACE_BELOW = "\u0302", "⏟"
"""What an accent and a sign over or under a group are, where the file leaves that out (22.1.2.20)."""

_OPENING = frozenset("([{")
_LINE_ABOVE, _LINE_BELOW = "\u0305", "\u0332"


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
    """An operand, in brackets where it needs them. It is written once: twice would double with each level."""
    text = _part(node, name)
    simple = len(text) <= _SIMPLE or text.isdecimal() or _is_in_brackets(node, name)
    return text if simple else f"({text})"


def _is_in_brackets(node: etree._Element, name: str) -> bool:
    """Whether an operand is nothing but an expression with brackets of its own."""
    operand = node.find(f"{_MATH}{name}")
    parts = [part for part in operand if part.tag != f"{_MATH}ctrlPr"] if operand is not None else []
    if len(parts) != 1 or parts[0].tag != f"{_MATH}d":
        return False
    return _property(parts[0].find(f"{_MATH}dPr"), "begChr", "(") in _OPENING


def _property(node: etree._Element | None, name: str, default: str) -> str:
    found = next(node.iter(f"{_MATH}{name}"), None) if node is not None else None
    return found.get(f"{_MATH}val", default) if found is not None else default


def _fraction(node: etree._Element) -> str:
    if _property(node.find(f"{_MATH}fPr"), "type", "") == "noBar":
        return f"{_operand(node, 'num')}¦{_operand(node, 'den')}"
    return f"{_operand(node, 'num')}/{_operand(node, 'den')}"


def _scripts(node: etree._Element) -> str:
    below, above = _operand(node, "sub"), _operand(node, "sup")
    return (f"_{below}" if below else "") + (f"^{above}" if above else "")


def _scripted(node: etree._Element) -> str:
    return _operand(node, "e") + _scripts(node)


def _root(node: etree._Element) -> str:
    return f"{_part(node, 'deg')}√({_part(node, 'e')})"


def _many(node: etree._Element) -> str:
    sign = _property(node.find(f"{_MATH}naryPr"), "chr", _INTEGRAL)
    return f"{sign}{_scripts(node)} {_part(node, 'e')}"


def _delimited(node: etree._Element) -> str:
    about = node.find(f"{_MATH}dPr")
    inner = _property(about, "sepChr", "|").join(_text(child) for child in node.findall(f"{_MATH}e"))
    return f"{_property(about, 'begChr', '(')}{inner}{_property(about, 'endChr', ')')}"


def _function(node: etree._Element) -> str:
    return f"{_part(node, 'fName')}({_part(node, 'e')})"


def _accented(node: etree._Element) -> str:
    return _operand(node, "e") + _property(node.find(f"{_MATH}accPr"), "chr", _HAT)


def _lined(node: etree._Element) -> str:
    above = _property(node.find(f"{_MATH}barPr"), "pos", "bot") == "top"
    return _operand(node, "e") + (_LINE_ABOVE if above else _LINE_BELOW)


def _grouped(node: etree._Element) -> str:
    return _property(node.find(f"{_MATH}groupChrPr"), "chr", _BRACE_BELOW) + _operand(node, "e")


def _limited(node: etree._Element) -> str:
    sign = "_" if node.tag == f"{_MATH}limLow" else "^"
    return f"{_operand(node, 'e')}{sign}{_operand(node, 'lim')}"


def _scripted_before(node: etree._Element) -> str:
    return f"{_scripts(node)} {_operand(node, 'e')}"


def _below_each_other(node: etree._Element) -> str:
    return "; ".join(_text(line) for line in node.findall(f"{_MATH}e"))


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
    "acc": _accented,
    "bar": _lined,
    "groupChr": _grouped,
    "limLow": _limited,
    "limUpp": _limited,
    "sPre": _scripted_before,
    "eqArr": _below_each_other,
    "m": _matrix,
}
