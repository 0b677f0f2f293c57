"""Options and signs in a question and in what may answer it. Pure.

People say "dash" where a manual has `-`, and an option means itself alone: `-M` is not `-m`.
"""

import re

_OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]{0,60}")
_NAMES = {
    "-": "dash hyphen",
    "*": "asterisk star",
    "~": "tilde",
    "!": "exclamation mark",
    "?": "question mark",
    "@": "at sign",
    "#": "hash",
    "$": "dollar sign",
    "%": "percent sign",
    "&": "ampersand",
    "|": "pipe",
    "^": "caret",
    "+": "plus sign",
    "_": "underscore",
}
_SIGN = "".join(re.escape(sign) for sign in _NAMES)
_QUOTED = re.compile(rf"['\"`‘“]([{_SIGN}])['\"`’”]")
_BARE = re.compile(r"(?<=\s)([-~*+])(?=[,.;)])|\b(?:is|as|of|or|a) ([-~*+])(?=\s|\Z)")
"""A sign that stands for itself without quotes: "if FILE is -, it is read"."""


def options_in(text: str) -> frozenset[str]:
    """The options of commands in a text, as they are written."""
    return frozenset(_OPTION.findall(text))


def names_of_signs(text: str) -> str:
    """The names of the signs that a text speaks of, in words; empty where it speaks of none."""
    found = dict.fromkeys(_QUOTED.findall(text))
    found |= dict.fromkeys(first or second for first, second in _BARE.findall(text))
    return " ".join(_NAMES[sign] for sign in found)
