"""Tables and anchors as GitHub reads them."""

import re
from collections.abc import Iterable, Sequence

_ANCHOR_DROPS = re.compile(r"[^\w\- ]")


def table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; each cell is one line, whatever it holds."""
    lines = [_line(names), "|" + "---|" * len(names), *(_line(row) for row in rows)]
    return "\n".join(lines)


def anchor(heading: str) -> str:
    """The fragment of a link to this heading."""
    return _ANCHOR_DROPS.sub("", heading.lower()).replace(" ", "-")


def one_line(text: str) -> str:
    """The text without breaks."""
    return " ".join(text.split())


def code(text: object) -> str:
    return f"`{text}`"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(one_line(cell).replace("|", "\\|") for cell in cells) + " |"
