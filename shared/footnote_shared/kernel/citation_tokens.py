"""The tokens of a text on the wire, `[citation:n]`, as the normaliser writes them (spec 2.4). Pure.

A number begins with 1 to 9 and has nine ASCII digits at most. What the normaliser emits is what is found
here. It keeps a grammar of its own, because it knows nothing of Footnote; a test holds the two together. The
page has the same pattern in `footnote-citations.js`.
"""

import re

MOST_DIGITS = 9
"""Digits of a number at most: what has more is no citation."""
NUMBER = rf"[1-9][0-9]{{0,{MOST_DIGITS - 1}}}"
"""The expression of a number, for what finds it in other brackets: `[3]` in a prompt."""
REFERENCE = r"\d{1,4}"
"""The expression of a number that a text of others has in brackets: `[12]` in a paper. One of more digits is
taken for a figure.
"""
TOKEN = re.compile(rf"\[citation:({NUMBER})\]")
"""A token; its group is the number."""
SPACED_TOKEN = re.compile(rf"(?:(?<!\s)\s+)?{TOKEN.pattern}")
"""A token with all white space before it."""


def token_of(n: int) -> str:
    """The token of this number."""
    return f"[citation:{n}]"


def numbers_in(text: str) -> list[int]:
    """The number of each token, in order."""
    return [int(n) for n in TOKEN.findall(text)]


def with_numbers(text: str) -> str:
    """The text as readers and models see it: `[citation:3]` is `[3]`."""
    return TOKEN.sub(r"[\1]", text)


def without_tokens(text: str) -> str:
    """The text without its tokens and the white space before each."""
    return SPACED_TOKEN.sub("", text)
