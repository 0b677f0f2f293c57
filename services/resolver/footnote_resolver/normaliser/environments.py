"""The environments of TeX that hold formulas or code: `\\begin{align} ... \\end{align}`."""

import re

from footnote_resolver.normaliser.regions import Closing, Until
from footnote_resolver.normaliser.window import SEND, Wait

_NAMES = (
    "Bmatrix",
    "Verbatim",
    "Vmatrix",
    "align",
    "alignat",
    "aligned",
    "alignedat",
    "array",
    "bmatrix",
    "cases",
    "dcases",
    "displaymath",
    "eqnarray",
    "equation",
    "flalign",
    "gather",
    "gathered",
    "lstlisting",
    "math",
    "matrix",
    "minted",
    "multline",
    "pmatrix",
    "rcases",
    "smallmatrix",
    "split",
    "tikzpicture",
    "verbatim",
    "vmatrix",
)
_begin = re.compile(r"\\begin\{([A-Za-z]{1,16}\*?)\}")
_begin_so_far = re.compile(r"\\(?:b|be|beg|begi|begin(?:\{[A-Za-z]{0,16}\*?)?)?\Z")
_unfinished = re.compile(r"\\(?:b|be|beg|begi|begin|e|en|end)(?:\{[A-Za-z]{0,16}\*?)?\Z")


def _closing(name: str) -> Closing:
    mark = rf"\end{{{name}}}"
    return Closing(re.compile(rf"{re.escape(mark)}|\\[^\ne]|\n"), mark, len(mark) - 1)


_CLOSINGS = {name: _closing(name) for base in _NAMES for name in (base, f"{base}*")}


def environment_at(text: str, i: int, *, ended: bool) -> tuple[str, Until] | Wait | None:
    """The beginning of an environment at the backslash at `i`, and what it holds; None if it is none."""
    begun = _begin.match(text, i)
    if begun is None:
        return SEND if not ended and _begin_so_far.match(text, i) else None
    closing = _CLOSINGS.get(begun[1])
    return (begun[0], Until(closing)) if closing else None


def may_become_environment(text: str) -> bool:
    """Whether the text ends within what begins or ends an environment."""
    return _unfinished.search(text, max(0, len(text) - 32)) is not None
