r"""What some packages of LaTeX print: contracts (scrjura) and slides (Beamer).

`\Clause{title=Purpose}` is printed as "§ 2 Purpose": numbers are counted, because texts are cited by them.
"""

import re

from footnote_ingest.parsing.markup.latex_source import LatexSource

_TITLE = re.compile(r"(?:^|,)\s*title\s*=\s*")
_OVERLAY = re.compile(r"(\\(?:begin\{[A-Za-z]{1,30}\}|[A-Za-z]{1,30}))<[\d,+.|@a-z :-]{1,40}>")
_SLIDES = re.compile(r"\\begin\{frame\}|\\frametitle\b|\\documentclass(?:\[[^\]]{0,300}\])?\{beamer\}")


class Clauses:
    """Counts the clauses of a document: 1, 2, and 2a for a part of the second."""

    def __init__(self) -> None:
        self._number = self._part = 0

    def following(self, *, is_part: bool) -> str:
        """The number of the next clause, or of the next part of this one, with its sign."""
        self._part = self._part + 1 if is_part else 0
        self._number += not is_part
        letter = chr(ord("a") + min(self._part, 26) - 1) if is_part else ""
        return f"§ {self._number}{letter}"


def clause_title(source: LatexSource, at: int, close: int) -> tuple[int, int]:
    """Where the title of a clause begins and ends, whose options stand between two braces; empty for none."""
    named = _TITLE.search(source.text[at + 1 : close])
    if named is None:
        return close, close
    begin = at + 1 + named.end()
    if begin in source.closing:
        return begin + 1, source.closing[begin]
    comma = source.text.find(",", begin, close)
    return begin, comma if comma >= 0 else close


def without_overlays(text: str) -> str:
    """The text without what says on which slides something is shown, if it has slides."""
    return _OVERLAY.sub(r"\1", text) if _SLIDES.search(text) is not None else text
