"""Conditions of a manual page (groff(7), `.if`, `.ie`, `.el`), which is read as for a terminal."""

import re

from footnote_ingest.parsing.markup.roff_escapes import unescaped
from footnote_ingest.parsing.markup.roff_page import ManualPage

_REQUEST = re.compile(r"[.'][ \t]*+([^\s\\]{1,20}|\\\}|\\\")?[ \t]*+(.*)", re.S)

_ALWAYS = frozenset({"1", "\\n(.g", "\\n[.g]"})
"""Conditions that hold for whoever reads the page as groff does."""


def request_of(line: str) -> tuple[str, str] | None:
    """The name of a request or macro and what stands behind it; None for a line that has none."""
    found = _REQUEST.match(line)
    if found is None or found[1] is None or found[1].startswith("\\"):
        return None
    return found[1], found[2]


def behind_condition(page: ManualPage, name: str, rest: str) -> tuple[str, str] | None:
    """The request behind a condition; None if the condition does not hold, or no request follows it.

    Text behind a condition that holds is said. Tests of registers count as not met, but for
    the one that says that groff reads the page.
    """
    if name == "el":
        holds = not page.last_condition
    else:
        holds, rest = _met(page, rest)
        if name == "ie":
            page.last_condition = holds
    rest = rest.lstrip()
    if not holds:
        page.skip_depth = max(0, rest.count("\\{") - rest.count("\\}"))
        return None
    inner = rest.removeprefix("\\{").lstrip()
    if inner.startswith((".", "'")):
        return request_of(inner)
    if inner.strip("\\"):
        page.say(unescaped(inner, page.strings))
    return None


def _met(page: ManualPage, told: str) -> tuple[bool, str]:
    """Whether a condition is met, and what stands behind it. One of a number is met if it is 1."""
    negated = told.startswith("!")
    told = told.removeprefix("!")
    if told[:1] in ('"', "'"):
        first, second, rest = (*told[1:].split(told[0], 2), "", "")[:3]
        same = unescaped(first, page.strings) == unescaped(second, page.strings)
        return same is not negated, rest
    condition, _, rest = told.partition(" ")
    met = condition == ("t" if negated else "n") or (condition in _ALWAYS and not negated)
    return met, rest
