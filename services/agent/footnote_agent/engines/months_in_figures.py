"""The months that a text tells in figures: who asks for February 2005 finds `2005-02-18`. Pure; English."""

import re

_DAY = re.compile(r"(?<![\d-])(1[5-9]\d\d|20\d\d)-(0[1-9]|1[0-2])(?:-[0-3]\d)?(?![\d-])")
"""A day or a month as ISO 8601 writes it; the hour may stand behind it."""

MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)


def months_in(text: str) -> list[tuple[str, str]]:
    """The name in small letters and the year of the month of each day that stands in figures, in order."""
    if "-" not in text:
        return []
    return [(MONTHS[int(month) - 1], year) for year, month in _DAY.findall(text)]
