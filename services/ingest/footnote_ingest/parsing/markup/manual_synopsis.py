"""Synopses of commands and functions in DocBook, and what stands for a reference: `tar(1)`, or an address.

The brackets of `tar [-v] {-c | -x} FILE...` stand in attributes of `arg` and `group` (DocBook 5.1,
cmdsynopsis), and those of functions in the names of elements, and not in the text.
"""

from lxml import etree

from footnote_ingest.parsing.elements import one_line

_AROUND = {"opt": ("[", "]"), "req": ("{", "}"), "plain": ("", "")}
_CHOSEN = frozenset({"arg", "group"})
_ALTERNATIVES = " | "
_REPEATED = "..."
_LINKS = frozenset({"link", "ulink"})
_TARGETS = ("{http://www.w3.org/1999/xlink}href", "url")


def write_references(root: etree._Element) -> None:
    """Write the section of a page in brackets behind its name, and the address of a link without words."""
    for node in list(root.iter()):
        if _name(node) in _LINKS and not len(node) and not (node.text or "").strip():
            node.text = next((node.get(target, "") for target in _TARGETS if node.get(target)), "")
        if _name(node) == "citerefentry":
            parts = {_name(part): one_line("".join(part.itertext())) for part in node}
            if parts.get("refentrytitle") and parts.get("manvolnum"):
                tail = node.tail
                node.clear()
                node.text, node.tail = f"{parts['refentrytitle']}({parts['manvolnum']})", tail


def synopsis_lines(node: etree._Element) -> str:
    """The lines of a `cmdsynopsis` or a `funcsynopsis`."""
    return _of_functions(node) if _name(node) == "funcsynopsis" else _of_command(node)


def _of_functions(node: etree._Element) -> str:
    """What is to be included, and the prototypes with brackets and commas around their parameters."""
    lines: list[str] = []
    for part in node:
        if _name(part) == "funcprototype":
            named = [one_line("".join(one.itertext())) for one in part if _name(one) == "funcdef"]
            given = [
                "void" if _name(one) == "void" else "..." if _name(one) == "varargs" else _parameter(one)
                for one in part
                if _name(one) in ("paramdef", "void", "varargs")
            ]
            lines.append(f"{' '.join(named)}({', '.join(given)});")
        elif _name(part):
            lines.append("".join(part.itertext()).strip())
    return "\n".join(lines)


def _parameter(node: etree._Element) -> str:
    return one_line("".join(node.itertext()))


def _of_command(node: etree._Element) -> str:
    """The words of a `cmdsynopsis` with their brackets; `sbr` ends a line."""
    parts = [node.text or ""]
    for child in node:
        parts += ["\n" if _name(child) == "sbr" else f" {_shown(child)} ", child.tail or ""]
    pieces = "".join(part if part == "\n" else one_line(part) + " " for part in parts if part)
    lines = [one_line(line) for line in pieces.split("\n")]
    return "\n".join(line for line in lines if line)


def _shown(node: etree._Element) -> str:
    """An argument or a group with what stands in it. The XML parser refuses documents deeper than 256."""
    name = _name(node)
    if name == "group":
        said = _ALTERNATIVES.join(filter(None, (_inner(child, plain=True) for child in node if _name(child))))
    elif name == "arg":
        return _inner(node, plain=False)
    else:
        return one_line("".join(node.itertext()))
    return _around(node, said)


def _inner(node: etree._Element, *, plain: bool) -> str:
    """The words of an argument. One of several alternatives has no brackets of its own."""
    if _name(node) not in _CHOSEN:
        return one_line("".join(node.itertext()))
    if _name(node) == "group":
        return _shown(node)
    parts = [node.text or ""]
    for child in node:
        shown = _shown(child) if _name(child) in _CHOSEN else "".join(child.itertext())
        parts += [f" {shown}" if _name(child) in _CHOSEN else shown, child.tail or ""]
    said = one_line("".join(parts))
    return said + _REPEATED * (node.get("rep") == "repeat") if plain else _around(node, said)


def _around(node: etree._Element, said: str) -> str:
    before, behind = _AROUND.get(node.get("choice", "opt"), ("[", "]"))
    return f"{before}{said}{behind}{_REPEATED * (node.get('rep') == 'repeat')}" if said else ""


def _name(node: etree._Element) -> str:
    return etree.QName(node).localname if isinstance(node.tag, str) else ""
