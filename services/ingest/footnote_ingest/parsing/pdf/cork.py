"""Ligatures and dashes that a PDF says by their places in TeX's encoding of European letters (T1, "Cork").

The fonts that dvips draws letter by letter (Type 3) tell no names. So the ligature in "file" is read as a
control character, which parts the word as a space does.
"""

import re
from collections.abc import Callable

_CONTROL = re.compile(r"[\x10\x11\x15\x16\x1b-\x1f\x88]")
_WITHIN = re.compile(r"[^\W\d_][\x1b-\x1f][^\W\d_]")
"""A ligature within a word tells that the page has some: fonts of formulas have Greek letters there."""

_BEGINS = re.compile(
    r"(?:(?<![^\s(\"'`\u2018\u201c-])(?:\x1c(?:les?|nd|nding|ne|ll|re|ve|nal|rst|elds?|gure|xed|lters?)"
    r"|\x1d(?:ow|ags?|at|oat|ush))|(?<=\bthe )\x1ct|(?<=\bto )\x1c[tx])(?![^\W\d_])"
)
"""A word that begins with one tells the same, such as "file": a page may have no other.

Shorter ones may be two letters of a formula.
"""

_LIGATURE = re.compile(r"(?:(?<=[^\W\d_])[\x1b-\x1f]|[\x1b-\x1f](?=[^\W\d_]))")
_SIGN = re.compile(r"(?<![^\s(\[])\x10(?=\w)|(?<=[\w.,;!?)])\x11(?!\w)|(?<=[\w\s.,)])[\x15\x16](?=[\w\s(])")
_BULLET = re.compile(r"(?:(?<=\n)|\A)\x88(?= )")
_SIGNS = {
    **dict(zip("\x1b\x1c\x1d\x1e\x1f", "\ufb00\ufb01\ufb02\ufb03\ufb04", strict=True)),
    **dict(zip("\x10\x11\x15\x16\x88", "\u201c\u201d\u2013\u2014\u2022", strict=True)),
}
_LETTERS = str.maketrans(
    dict(zip("\ufb00\ufb01\ufb02\ufb03\ufb04", ("ff", "fi", "fl", "ffi", "ffl"), strict=True))
)

_FONT_OF_OTHERS = re.compile(r"(?:^|\+)lin(?:libertine|biolinum)", re.I)
"""Libertine has other ligatures at these places: those of "ft", "tt" and "Qu" have no signs in Unicode."""

_OTHER_LIGATURE = re.compile(r"(?:(?<=[^\W\d_])[\x1b-\x1d]|[\x1b-\x1e](?=[^\W\d_]))")
_OTHER_SIGNS = dict(zip("\x1b\x1c\x1d\x1e", "\ufb01\ufdd0\ufdd1\ufdd2", strict=True))
_OTHER_LETTERS = str.maketrans({"\ufdd0": "ft", "\ufdd1": "tt", "\ufdd2": "Qu"})

_OLD_WITHIN = re.compile(r"[a-z]{2}[\x0b\x0c\x0e\x0f][a-z]|(?<![a-z])[\x0c\x0b][a-z]{2}")
_OLD = re.compile(
    r"(?<=[a-z])[\x0b\x0c\x0e\x0f](?=[a-z])|[\x0b\x0c\x0e\x0f](?=[a-z]{2})|(?<=[a-z]{2})[\x0b\x0c\x0e\x0f]"
    r"|(?<=\bo)\x0b(?![^\W_])|(?<![\n\r])\r(?=[a-z]{2})|(?<=[a-z])\r(?=[a-z])"
)
"""Ligatures in the first encoding of TeX (OT1), whose places are those of Greek letters in formulas."""

_OLD_SIGNS = dict(zip("\x0b\x0c\r\x0e\x0f", "\ufb00\ufb01\ufb02\ufb03\ufb04", strict=True))
_CAPITAL = re.compile(r"(?<=[a-z])[\u019f\u01a9](?![A-Z])")
"""What Calibri and Carlito call their ligatures "ti" and "tt": capitals of Africa, behind a small letter."""


def with_ligatures(text: str, font_name: Callable[[int], str] = lambda at: "") -> str:
    """The text of a page, with a sign for each control character that stands for one. It stays as long.

    `font_name` tells the name of the font at a place, and is asked once. Other fonts of TeX have Greek
    letters, brackets and large signs at these places. So only a page with a ligature within a word is read
    so, and only beside words.
    """
    if _OLD_WITHIN.search(text) is not None:
        text = _OLD.sub(_old_sign, text)
    if _CONTROL.search(text) is None:
        return text
    text = _BULLET.sub(_sign, text)
    other = _OTHER_LIGATURE.search(text)
    if other is not None and _FONT_OF_OTHERS.search(font_name(other.start())) is not None:
        return _SIGN.sub(_sign, _OTHER_LIGATURE.sub(_other_sign, text))
    has_some = _WITHIN.search(text) is not None or _BEGINS.search(text) is not None
    return _SIGN.sub(_sign, _LIGATURE.sub(_sign, text)) if has_some else text


def _other_sign(found: re.Match[str]) -> str:
    return _OTHER_SIGNS[found[0]]


def _old_sign(found: re.Match[str]) -> str:
    return _OLD_SIGNS[found[0]]


def without_ligatures(text: str) -> str:
    """The text with the letters that each ligature is made of."""
    if text.isascii():
        return text
    text = text.translate(_LETTERS).translate(_OTHER_LETTERS)
    return _CAPITAL.sub(_ti_or_tt, text) if "\u019f" in text or "\u01a9" in text else text


def _ti_or_tt(found: re.Match[str]) -> str:
    return "ti" if found[0] == "\u019f" else "tt"


def _sign(found: re.Match[str]) -> str:
    return _SIGNS[found[0]]
