"""Characters that a terminal or a reader's eye obeys, as signs that can be seen."""

import re

OBEYED = "\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff"
"""A class of an expression: controls but for tab and line feed, embeddings, overrides and isolates of the
reading order, and halves of characters.
"""

_OBEYED_IN_TEXT = re.compile(f"(?!\r)[{OBEYED}]")
_PICTURES = ord("\N{SYMBOL FOR NULL}")


def sign_of(character: str) -> str:
    """What is shown for it: the picture of a control of ASCII, else the replacement character."""
    code = ord(character)
    return chr(_PICTURES + code) if code < ord(" ") else "\N{REPLACEMENT CHARACTER}"


def with_signs(text: str) -> str:
    """The text with a sign for each obeyed character but the carriage return. Its length stays the same.

    Each character is looked at alone, so it makes no difference how a text is cut.
    """
    return _OBEYED_IN_TEXT.sub(lambda found: sign_of(found.group()), text)
