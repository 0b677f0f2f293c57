"""Headings that name a part of a text and not the whole, such as "1. Introduction"."""

import re
from typing import Final

_PART: Final = re.compile(
    r"\W{0,3}(?:\d|(?:introduction|overview|preface|abstract|summary|contents|table of contents|installation|"
    r"install|usage|description|features|license|background|about|getting started|chapter|section|part)\b)",
    re.I,
)


def names_part(heading: str) -> bool:
    """Whether a heading begins with a number or with what parts of texts are called."""
    return _PART.match(heading) is not None
