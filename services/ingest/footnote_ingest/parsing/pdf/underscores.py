"""Underscores that a page draws as short rules: old fonts of TeX have no sign for them."""

from collections.abc import Callable, Sequence

from footnote_ingest.parsing.pdf.rules import Rule

_WIDE = (0.15, 0.7)
"""How wide an underscore is, in heights of its font; a wider one is a line to write on."""

_LOW = 0.2
"""It is drawn this near to the base line, in heights of the font: the bar of a fraction is higher."""

_BESIDE = 0.12
"""It reaches over the letters beside it by at most this many heights of the font."""

_NARROWEST, _WIDEST = 1.0, 12.0
"""How wide it is in points at least and at most, whatever the font is."""

_MOST = 2_000

Letter = tuple[int, float, float, float, float]
"""A letter: its place in the page's text, where it begins and ends, its base line and its size."""


def with_underscores(
    text: str, rules: Sequence[Rule], letter_at: Callable[[float, float, int], Letter | None]
) -> str:
    """The text of a page with `_` for the space between two letters in which a short rule lies.

    `letter_at` tells the letter that is drawn near a place, or of a space there the one before (-1) or
    behind it (1).
    """
    short = [rule for rule in rules if rule.level and _NARROWEST <= rule.end - rule.start <= _WIDEST]
    found: set[int] = set()
    for rule in short[:_MOST]:
        before, after = letter_at(rule.start, rule.at, -1), letter_at(rule.end, rule.at, 1)
        if before is None or after is None or after[0] != before[0] + 2 or text[before[0] + 1] != " ":
            continue
        _, _, right, base, size = before
        wide = _WIDE[0] * size <= rule.end - rule.start <= _WIDE[1] * size
        between = right - _BESIDE * size <= rule.start and rule.end <= after[1] + _BESIDE * size
        if wide and between and abs(rule.at - base) <= _LOW * size:
            found.add(before[0] + 1)
    if not found:
        return text
    return "".join("_" if at in found else char for at, char in enumerate(text))
