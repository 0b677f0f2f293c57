"""Where functions begin in languages without a grammar: at lines that say so, at the edge of the file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from footnote_ingest.parsing.source_code.definitions import Begin


@dataclass(frozen=True, slots=True)
class NamedLines:
    """How lines at the edge begin.

    `begins` is one that a function begins with, and tells its name. `comment` is one that belongs to what
    is below it. `closes` ends a function, and what follows is in none; `outside` is in none itself.
    """

    begins: re.Pattern[str]
    comment: str
    closes: re.Pattern[str] | None = None
    outside: re.Pattern[str] | None = None


_BRACE = re.compile(r"\}")
_FORM = re.compile(r"[(\[]")

NAMED_LINES: dict[str, NamedLines] = {
    "lisp": NamedLines(
        re.compile(
            r"\((?:cl-)?(?:defun|defmacro|defsubst|defmethod|defgeneric|defclass|defstruct|defadvice|deftest"
            r"|ert-deftest|define-minor-mode|define-derived-mode|define-globalized-minor-mode)\*?"
            r"[ \t]{1,9}\(?'?([^\s()\"']{1,120})"
        ),
        ";",
        outside=_FORM,
    ),
    "scheme": NamedLines(
        re.compile(r"\(define(?:-syntax|-macro|\*|-public)?[ \t]{1,9}\(?([^\s()\"']{1,120})"),
        ";",
        outside=_FORM,
    ),
    "perl": NamedLines(re.compile(r"sub[ \t]{1,9}([\w:']{1,120})"), "#", closes=_BRACE),
    "r": NamedLines(
        re.compile(r"[`\"]?([\w.<%+\[-]{1,100}?)[`\"]?[ \t]{0,9}(?:<-|=)[ \t]{0,9}function\b"),
        "#",
        closes=_BRACE,
        outside=re.compile(r"[\w.`]"),
    ),
    "lua": NamedLines(
        re.compile(r"(?:local[ \t]{1,9})?function[ \t]{1,9}([\w.:]{1,120})"),
        "--",
        closes=re.compile(r"end\b"),
    ),
    "tcl": NamedLines(re.compile(r"proc[ \t]{1,9}([^\s{}]{1,120})"), "#", closes=_BRACE),
}
"""By the names of languages. In all of these, people begin a function at the edge, and close it there."""


def named_lines(code: str, language: str) -> Iterator[Begin]:
    """The places in order, as `definitions` tells them."""
    forms = NAMED_LINES[language]
    at = 0
    lead: int | None = None
    inside = closed = False
    for line in code.split("\n"):
        found = forms.begins.match(line)
        start = at if lead is None else lead
        if found is not None:
            yield Begin(start, (found[1],))
            inside, closed = True, line.rstrip(" ;").endswith("}")
        elif inside and _is_outside(line, forms, closed=closed):
            yield Begin(start, ())
            inside = False
        elif inside and forms.closes is not None and forms.closes.match(line) is not None:
            closed = True
        if not line.startswith(forms.comment):
            lead = None
        elif lead is None:
            lead = at
        at += len(line.encode("utf-8")) + 1


def _is_outside(line: str, forms: NamedLines, *, closed: bool) -> bool:
    """Whether a line is in no function: it stands behind the end of one, or begins another thing."""
    if not line.strip() or line.startswith(forms.comment):
        return False
    if closed:
        return not line[0].isspace()
    return forms.outside is not None and forms.outside.match(line) is not None
