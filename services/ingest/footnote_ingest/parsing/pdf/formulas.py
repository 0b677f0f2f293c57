"""Displayed formulas of a PDF, whose parts it draws as short lines at many heights.

They are kept together as one paragraph, so that the sentences around them stay whole.
"""

import re

from footnote_ingest.parsing.pdf.lines import PdfLine

_WORD = re.compile(r"[^\W\d_]{3,40}")
_NAMES = frozenset(
    {
        *("lim", "log", "exp", "sin", "cos", "tan", "det", "max", "min", "sup", "inf", "mod", "deg", "dim"),
        *("ker", "gcd", "arg", "cot", "sec", "csc", "cosh", "sinh", "tanh", "limsup", "liminf", "arcsin"),
        *("arccos", "arctan"),
    }
)
_SIGN = re.compile("[=<>≤≥≠≈≡∼≅∈∉⊂⊆⊃⊇∪∩→↦⇒⇔±×÷·∘∗∂∇∞∑∏∫∮√⋃⋂⨄⋀⋁Α-Ωα-ω−]")
_NUMBERED = re.compile(r"\(\d{1,3}(?:\.\d{1,3})?[a-z]?\)\s")
_LONGEST = 60
_INDENT = 1.5
"""A formula that follows text stands further to the right than the text, by this many heights of its font."""

_NEAR = 3.0
"""Parts of a formula lie no further apart than this, in heights of the larger font."""


def is_formula_part(line: PdfLine) -> bool:
    """Whether a line has no words but names of functions, as parts of a formula have."""
    if len(line.text) > _LONGEST or line.turned or line.is_table or line.mono or line.bold:
        return False
    return all(word[0].lower() in _NAMES for word in _WORD.finditer(line.text))


def has_sign(line: PdfLine) -> bool:
    """Whether a sign of a formula is in a line."""
    return _SIGN.search(line.text) is not None


def same_formula(before: PdfLine, line: PdfLine) -> bool:
    """Whether two lines that follow each other may be parts of one formula."""
    near = _NEAR * max(before.size, line.size)
    return is_formula_part(before) and is_formula_part(line) and abs(before.bottom - line.top) <= near


def begins_formula(before: PdfLine, line: PdfLine) -> bool:
    """Whether a line is the first part of a formula below text."""
    apart = line.left - before.left > _INDENT * line.size or _NUMBERED.match(line.text) is not None
    return apart and has_sign(line) and is_formula_part(line) and not is_formula_part(before)
