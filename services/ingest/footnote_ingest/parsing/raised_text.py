"""Raised and lowered text on a line of plain text. Pure.

On a page, `83,190,556` with a small raised 2 is a number and the mark of a note; joined, it would be another
number. So a raised number is written in raised digits, and it is parted from what would run into it: raised
digits count as digits where text is compared (Unicode NFKC). Powers and units stay together, as in `10⁶ m²`.
"""

import re
from collections.abc import Sequence

RAISED_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_RAISE = str.maketrans("0123456789+-\u2212", RAISED_DIGITS + "⁺⁻⁻")
_LOWER = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_NUMBER = re.compile(r"[+\-\u2212]?\d{1,12}")
_LIST = re.compile(r"\d{1,4}(?:\s?[,;/⁄–-]\s?\d{1,4}){1,20}")
"""Marks of several notes, or a fraction."""

_JOINS = frozenset(
    {*("st", "nd", "rd", "th", "er", "re", "e", "ème", "eme", "nde", "o", "os", "a", "as", "ste", "de")}
    | {*("tm", "sm", "™", "℠", "®", "©", "°", "º", "ª")}
)
"""Ends of numbers such as 1st, and signs behind a name: they belong to it."""

_WORD_BEFORE = re.compile(r"[^\W\d_]{1,40}$")
_NUMBER_BEFORE = re.compile(r"\d[.,%‰°€$£¥]{0,3}$")
_POWER = re.compile(rf"(?<![\w.,])(?:10[{RAISED_DIGITS}]{{1,4}}|2[{RAISED_DIGITS}]{{2,4}})$")
"""Powers of 10 and large ones of 2. Behind any other number, a raised one is a mark."""

_FRACTION = re.compile(r"\s?[/⁄]")
_JOINS_INDEX = re.compile(rf"(?:\d|[\d{RAISED_DIGITS}][/⁄])$")
"""What a lowered number would join: a number, or the stroke of a fraction."""

_LOOKED_AT = 48
"""This many characters before the raised text are looked at."""

_NAMES_OF_UNITS = frozenset(
    {
        *(
            "cm",
            "dm",
            "dam",
            "fm",
            "ft",
            "hm",
            "hr",
            "in",
            "kg",
            "km",
            "mg",
            "mi",
            "min",
            "mm",
            "ms",
            "nm",
            "ns",
        )
    }
    | {*("pc", "pm", "px", "sec", "yd", "μm", "µm", "mile", "metre", "meter", "mol", "rad", "eV", "Pa", "Hz")}
    | {*("sin", "cos", "tan", "cot", "sec", "csc", "log", "ln", "exp", "lg", "sinh", "cosh", "tanh", "mc")}
)
"""Units and functions that a power stands behind."""


def raised(text: str, before: str, after: str = "") -> str:
    """Raised text as it is written behind `before` and ahead of `after`, with a space where it needs one.

    What holds no number and cannot be taken for a part of one stays as it is.
    """
    shown = text.strip()
    before = before[-_LOOKED_AT:]
    if not shown or (not before.strip() and not after[:1].isalnum()):
        return text
    if _NUMBER.fullmatch(shown) or _LIST.fullmatch(shown):
        signed = shown[0] in "+-\u2212"
        written = shown.translate(_RAISE) if signed else _digits_raised(shown)
        gap = mark_gap(before, written, fraction=_FRACTION.match(after) is not None)
        return _between(text, gap + written + _gap_after(before, after))
    if before[-1:].isdecimal() and text[0] == shown[0] and shown[0].isalnum() and shown.lower() not in _JOINS:
        return _between(text, f"^{shown}" if len(shown) == 1 else f"^({shown})")
    return text


def _between(text: str, written: str) -> str:
    """What is written for a text, with the white space at the ends of the text."""
    begin, end = len(text) - len(text.lstrip()), len(text.rstrip())
    return f"{text[:begin] or ''}{written.lstrip() if begin else written}{text[end:]}"


def lowered(text: str, before: str, after: str = "") -> str:
    """Lowered text as it is written behind `before`: an index of letters joins them, as in `H2O`."""
    shown = text.strip()
    if shown.isdecimal() and (_JOINS_INDEX.search(before[-_LOOKED_AT:]) or after[:1].isdecimal()):
        return text.translate(_LOWER)
    return text


def written_runs(runs: Sequence[tuple[str, int]]) -> list[str]:
    """What is written for runs of text that follow each other.

    Each is on its line (0), raised (1) or lowered (-1). Where neighbours are raised, the first says it for
    all of them.
    """
    texts = [text for text, _ in runs]
    before = ""
    at = 0
    while at < len(runs):
        up = runs[at][1]
        end = at + 1
        while up and end < len(runs) and (runs[end][1] == up or not texts[end]):
            end += 1
        whole = "".join(texts[at:end])
        if up and whole:
            after = next((texts[place] for place in range(end, len(runs)) if texts[place]), "")
            write = raised if up > 0 else lowered
            written = write(whole, before.rpartition("\n")[2], "" if whole[-1].isspace() else after[:3])
            if written != whole:
                texts[at:end] = [written, *[""] * (end - at - 1)]
                whole = written
        before = (before + whole)[-_LOOKED_AT:]
        at = end
    return texts


def mark_gap(before: str, mark: str, *, fraction: bool = False) -> str:
    """The space between a text and a raised number behind it: none behind a base, a unit or a sign.

    `fraction` says that a stroke follows, as in 3¹/₂.
    """
    if mark[:1] not in RAISED_DIGITS or not before:
        return ""
    if _NUMBER_BEFORE.search(before):
        return "" if not fraction and _POWER.search(before + mark) else " "
    word = _WORD_BEFORE.search(before)
    # A single letter is a unit or a variable.
    return "" if word is None or len(word[0]) == 1 or word[0] in _NAMES_OF_UNITS else " "


def _digits_raised(text: str) -> str:
    return "".join(char.translate(_RAISE) if char.isdecimal() else char for char in text)


def _gap_after(before: str, after: str) -> str:
    """A number behind a raised one would join it; so would the first word of a note."""
    begins = not before.strip() and after[:1].isalnum()
    return " " if begins or after[:1].isdecimal() else ""
