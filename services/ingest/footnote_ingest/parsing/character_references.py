"""References to characters as HTML writes them, such as `&eacute;` and `&#233;`."""

import html
import re

_BEYOND = re.compile(r"&#[0-9]{20,}+;?")
"""A reference with so many digits names no character. Python reads no number of some thousand digits."""

_CONTROL = re.compile(
    "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\ufffe\\uffff]"
    r"|&#(?:x0*+(?:[0-8bcef]|1[0-9a-f]|fff[ef])(?![0-9a-f])"
    r"|0*+(?:[0-8]|1[124-9]|2\d|3[01]|6553[45])(?!\d));?",
    re.I,
)
"""Characters that XML does not have (XML 1.0, 2.2), and references to them.

The parser of HTML reads them, and then no text beside them can be changed.
"""

_NO_CHARACTER = "\N{REPLACEMENT CHARACTER}"


def without_references(text: str) -> str:
    """The text with the characters in the place of their references, as a browser shows them."""
    return html.unescape(_BEYOND.sub(_NO_CHARACTER, text)) if "&" in text else text


def without_control_characters(text: str) -> str:
    """A page of HTML without characters that a tree of elements may not hold."""
    return _CONTROL.sub("", text)
