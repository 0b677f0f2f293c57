"""Hyphens at the ends of lines: those of a parted word are taken away, and those of a compound stay.

The page does not tell them apart: "one-" above "line" may be either. The document does, where it has the word
or the compound elsewhere.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from footnote_ingest.parsing.pdf.lines import PdfLine
from footnote_ingest.parsing.pdf.page_text import HYPHEN

_PARTED = re.compile(rf"([^\W\d_]{{1,60}}){HYPHEN}([^\W\d_]{{1,60}})")
_TOLD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")

_LEAST_PART = 3
"""The fewest letters of a part of a compound that stands nowhere else: "in-" parts words."""


@dataclass(frozen=True, slots=True)
class ToldWords:
    """How often a document has words, and words with a hyphen between them; all in lower case."""

    words: Counter[str]
    compounds: Counter[str]

    def keeps_hyphen(self, first: str, second: str) -> bool:
        """Whether two parts of a word are those of a compound."""
        # A word that is parted has no capital within: "non-" above "English" are two.
        capital = first[-1:].islower() and second[:1].isupper()
        first, second = first.lower(), second.lower()
        whole, compound = self.words[first + second], self.compounds[f"{first}-{second}"]
        if whole or compound:
            return compound > whole
        if capital:
            return True
        return (
            min(len(first), len(second)) >= _LEAST_PART
            and bool(self.words[first] and self.words[second])
            and any(known.startswith(f"{first}-") for known in self.compounds)
            and not any(known.startswith(first + second) for known in self.words)
        )


def told_words(texts: Iterable[str]) -> ToldWords:
    """The words and the compounds of some texts; parts of a word that a line's end parts count as neither."""
    words: Counter[str] = Counter()
    for text in texts:
        whole = _PARTED.sub(" ", text) if HYPHEN in text else text
        words.update(_TOLD.findall(whole.lower()))
    compounds: Counter[str] = Counter()
    for word, count in words.items():
        if "-" in word:
            for one, other in pairwise(word.split("-")):
                compounds[f"{one}-{other}"] += count
    return ToldWords(words, compounds)


def with_hyphens(pages: Sequence[list[PdfLine] | None]) -> list[list[PdfLine] | None]:
    """The lines of the pages, with the hyphen of a compound where a line's end had parted it."""
    if not any(HYPHEN in line.text for lines in pages for line in lines or ()):
        return list(pages)
    told = told_words("\n".join(line.text for line in lines or ()) for lines in pages)
    return [
        None if lines is None else [_whole(line, told) if HYPHEN in line.text else line for line in lines]
        for lines in pages
    ]


def _whole(line: PdfLine, told: ToldWords) -> PdfLine:
    def shown(text: str) -> str:
        joined = _PARTED.sub(
            lambda found: (
                "-".join(found.groups()) if told.keeps_hyphen(*found.groups()) else found[1] + found[2]
            ),
            text,
        )
        return joined.replace(HYPHEN, "")

    return replace(
        line,
        text=shown(line.text),
        cells=tuple(replace(cell, text=shown(cell.text)) for cell in line.cells),
        lead=shown(line.lead),
    )
