"""Accents that a PDF draws as signs of their own: TeX's first fonts (OT1) have no accented letters.

A PDF of theirs holds `cr`, a grave accent and `eme`, so nobody who looks for "crème" finds it.
"""

import re
import unicodedata

_MARKS = {
    "´": "\u0301",
    "`": "\u0300",
    "¨": "\u0308",
    "˜": "\u0303",
    "ˆ": "\u0302",
    "¸": "\u0327",
    "ˇ": "\u030c",
    "˘": "\u0306",
    "˚": "\u030a",
    "˝": "\u030b",
    "˙": "\u0307",
    "¯": "\u0304",
}
"""The combining form of each accent."""

_ACCENTED = re.compile(
    r"[´¨¸ˇ˘˚˝˙¯][A-Za-zıȷ]"
    # Before a word these stand for the tilde of a home folder and the caret of a control key.
    r"|(?<=[A-Za-z])[˜ˆ][A-Za-z]|[˜ˆ][ıȷ]|(?<![^\W_])ˆ[aeio](?=[a-z]{2})"
    # A grave accent may also be a quotation mark of code, which comes in pairs.
    r"|(?<=[A-Za-z])`[aeiou](?![A-Za-z]{0,40}`)"
    r"|`[aeiou](?![A-Za-z`])"
)
_DOTLESS = str.maketrans("ıȷ", "ij")


def with_accents(text: str) -> str:
    """The text, in which each accent before a letter is one letter with it, where Unicode has that letter."""
    return _ACCENTED.sub(_composed, text)


def _composed(found: re.Match[str]) -> str:
    apart = found.group()
    composed = unicodedata.normalize("NFC", apart[1].translate(_DOTLESS) + _MARKS[apart[0]])
    return composed if len(composed) == 1 else apart
