"""What may stand out on a page as a name does, and names neither the page nor a section.

Addresses, telephone numbers, amounts, and lines to write on.
"""

import re

_ADDRESS = re.compile(
    r"(?:https?://|www\.)\S+|\S{1,64}@[\w.-]{1,64}|(?:[\w-]{1,40}\.){1,4}(?:com|org|net|gov|edu)(?:/\S{0,80})?",
    re.I,
)
_TELEPHONE = re.compile(r"(?:(?:tele)?(?:phone|tel|fax|ph|call)[.:\s]{0,3})?[+(]?\d[\d\s().-]{6,20}", re.I)
_BLANK = "__"
_CURRENCY = "$€£¥"
_LEAST_LETTERS = 2


def names_nothing(text: str) -> bool:
    """Whether a line is an address, a number, an amount, signs only, or has a blank to fill in."""
    return (
        sum(char.isalpha() for char in text) < _LEAST_LETTERS
        or _BLANK in text
        or text[-1] in _CURRENCY
        or _ADDRESS.fullmatch(text) is not None
        or _TELEPHONE.fullmatch(text) is not None
    )
