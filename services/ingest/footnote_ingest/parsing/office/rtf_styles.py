"""Which paragraph styles of an RTF file are headings, by the names in its style sheet."""

import re
from collections.abc import Mapping

_SHEET = "{\\stylesheet"
_SHEET_CHARS = 200_000
"""This much of a file is searched behind the name of its style sheet."""

_STYLE = re.compile(r"\{\\s(\d{1,5})(?!\d)([^{}]{0,2000}+)\}")
_HEADING = re.compile(r"heading (\d)$", re.I)


def heading_styles(data: str) -> Mapping[int, int]:
    """The rank of a heading, from 0, by the number of its style (RTF 1.9.1, "Style Sheet").

    Word writes the rank into each paragraph too; other programs leave it to the style.
    """
    start = data.find(_SHEET)
    found: dict[int, int] = {}
    if start < 0:
        return found
    for style in _STYLE.finditer(data, start, start + _SHEET_CHARS):
        heading = _HEADING.search(style[2].strip().rstrip(";"))
        if heading is not None and heading[1] != "0":
            found[int(style[1])] = int(heading[1]) - 1
    return found
