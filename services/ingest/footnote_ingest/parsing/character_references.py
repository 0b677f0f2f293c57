"""References to characters as HTML writes them, such as `&eacute;` and `&#233;`."""

import html
import re

_BEYOND = re.compile(r"&#[0-9]{20,}+;?")
"""A reference with so many digits names no character. Python reads no number of some thousand digits."""

_NO_CHARACTER = "\N{REPLACEMENT CHARACTER}"


def without_references(text: str) -> str:
    """The text with the characters in the place of their references, as a browser shows them."""
    return html.unescape(_BEYOND.sub(_NO_CHARACTER, text)) if "&" in text else text
