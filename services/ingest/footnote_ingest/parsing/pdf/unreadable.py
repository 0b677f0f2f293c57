"""Pages whose fonts do not tell which letters they show, such as fonts of a printer driver, without encoding.

Each letter then stands for another sign: "5ªÐ¦ãtÄQWfi1". Such a page is as good as a picture.
"""

import re
from collections.abc import Sequence

from footnote_ingest.parsing.pdf.lines import PdfLine

_SIGN = re.compile("[\x01-\x08\x0e-\x1f\x80-\x9f¡-¿×÷ˆ˜†‡‰Šƒ„]")
_LEAST_CHARS = 100
"""A page with fewer characters, without blanks, is not judged."""

_MOST_SIGNS, _MOST_SIGNS_NEAR = 0.4, 0.02
"""A page is unreadable if more than the first share of it is such signs, or the second where many pages are.

Of 1,900 pages, a table of letters had the most signs that can be read: 0.26. A page of formulas had 0.06.
"""

_MANY = 0.5
"""From this share of the judged pages on, a document has many such pages."""


def unreadable(pages: Sequence[Sequence[PdfLine] | None]) -> set[int]:
    """The numbers of the pages that nobody can read, from 1."""
    shares: dict[int, float] = {}
    for number, lines in enumerate(pages, 1):
        text = "".join("".join(line.text.split()) for line in lines or ())
        if len(text) >= _LEAST_CHARS:
            shares[number] = len(_SIGN.findall(text)) / len(text)
    found = {number for number, share in shares.items() if share > _MOST_SIGNS}
    if found and len(found) >= _MANY * len(shares):
        found |= {number for number, share in shares.items() if share > _MOST_SIGNS_NEAR}
    return found
