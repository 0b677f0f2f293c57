"""Manuals as the program `info` reads them: what only leads it from node to node is no part of the text.

The form is that of https://www.gnu.org/software/texinfo/manual/texinfo/html_node/Info-Format-Specification.html.
"""

import re

_NODE = re.compile(r"\x1f[\f\n]{1,3}File: [^\n]{1,1000}")
_TABLE = re.compile(r"\x1f[\f\n]{1,3}(?:Tag Table|Indirect):")
_END_OF_TABLE = re.compile(r"\x1f[\f\n]{1,3}End Tag Table|\x1f[\f\n]{1,3}(?=File: )|\Z")
_MADE_BY = re.compile(
    r"(?:This is |Info file:? )[^\n]{1,300}(?:\n[^\n]{1,300}){0,2}?(?:\.|-\*-[^\n]{0,80})(?=\n\n)"
)
_DIRECTORY = re.compile(r"^(?:INFO-DIR-SECTION[^\n]{0,300}|START-INFO-DIR-ENTRY|END-INFO-DIR-ENTRY)$", re.M)
_MENU = re.compile(r"^\* Menu:[^\n]{0,300}$", re.M)
_ENTRY = re.compile(r"^\* [^:\n]{1,200}::[^\n]{0,1000}(?:\n {8,60}[^\n]{1,300}){0,5}", re.M)
"""How menus begin, and their entries, which stand behind names of their own in longer ones."""

_SETTINGS = re.compile(r"\x1f\nLocal Variables:\n")
_NOT_A_BREAK = re.compile(r"[^\n]")


def is_info(text: str) -> bool:
    """Whether a text is such a manual, or a part of one: it has the line of a node."""
    return "\x1f" in text and _NODE.search(text) is not None


def without_nodes(text: str) -> str:
    """The text with blanks in the place of lines of nodes, menus, tables and entries of the directory.

    All else keeps its place.
    """
    spans = [found.span() for pattern in (_NODE, _DIRECTORY, _ENTRY) for found in pattern.finditer(text)]
    made = _MADE_BY.match(text)
    if made is not None:
        spans.append(made.span())
    directory = _directory(text)
    if directory is not None:
        spans.append(directory)
    at = 0
    while (table := _TABLE.search(text, at)) is not None:
        end = _END_OF_TABLE.search(text, table.end())
        at = end.end() if end is not None else len(text)
        spans.append((table.start(), at))
    settings = _SETTINGS.search(text)
    if settings is not None:
        spans.append((settings.start(), len(text)))
    at = 0
    for menu in _MENU.finditer(text):
        # A menu may name another one, as its entry.
        if menu.start() >= at:
            at = _end_of_menu(text, menu.end())
            spans.append((menu.start(), at))
    return _blanked(text, sorted(spans)).replace("\x1f", " ")


def _directory(text: str) -> tuple[int, int] | None:
    """The entry that the manual has in the directory of all manuals."""
    begin = text.find("START-INFO-DIR-ENTRY")
    end = text.find("END-INFO-DIR-ENTRY", begin)
    return (begin, end) if 0 <= begin < end else None


def _end_of_menu(text: str, at: int) -> int:
    """A menu goes on while its lines are entries, their further lines, or empty ones."""
    last = at
    while at < len(text):
        begin = at + 1
        at = text.find("\n", begin)
        at = at if at >= 0 else len(text)
        line = text[begin:at]
        if line.startswith("* ") or (line.startswith("    ") and last == begin - 1):
            last = at
        elif line.strip():
            break
    return last


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    parts: list[str] = []
    done = 0
    for begin, end in spans:
        if end > done:
            parts += [text[done:begin], _NOT_A_BREAK.sub(" ", text[max(begin, done) : end])]
            done = end
    return "".join((*parts, text[done:]))
