"""Names of sheets that nobody gave: the program numbers them in its language, as `Sheet1` or `Tabelle1`."""

import re
from collections.abc import Sequence

_NUMBERED = re.compile(r"[^\W\d_]{2,20}[ _]?\d{1,3}")


def names_the_book(names: Sequence[str]) -> bool:
    """Whether the name of the only sheet can stand for the workbook."""
    return len(names) == 1 and _NUMBERED.fullmatch(names[0].strip()) is None
