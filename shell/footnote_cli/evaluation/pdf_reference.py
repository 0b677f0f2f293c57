"""What pdftotext tells of a PDF, where no two programs tell it alike: how it is compared with passages.

None of it excuses a word: each is looked for in the passages in another way of writing it.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from footnote_cli.evaluation.words_kept import words_of

_PARTED: Final = re.compile(r"(\w{1,60})-\n\s*(\w{1,60})")
_UNTOLD: Final = re.compile(r"\w{0,60}(?:[\x0e-\x1f]\w{0,60}){1,6}")
_CONTROL: Final = re.compile(r"[\x0e-\x1f]")
_LIGATURES: Final = ("fi", "fl", "ff", "ffi", "ffl")
_LEADERS: Final = re.compile(r"(?:[.\u2024\u2026\u00b7]\s?){4}")
_NUMBERS: Final = re.compile(r"[\d.\sA-Z]{0,12}|[ivxlc]{1,8}")
_CONTENTS: Final = frozenset(
    {"contents", "table of contents", "inhalt", "inhaltsverzeichnis", "índice", "indice", "目次"}
)
_LEAST_ENTRIES: Final = 3


def without_underscores(text: str) -> str:
    """The text with a space for each underscore: as a rule that is drawn, one program tells none."""
    return text.replace("_", " ")


def wanted_words(told: str, have: Counter[str]) -> Counter[str]:
    """The words that pdftotext tells. `have` are those of the passages, and say which of two ways is meant.

    A hyphen at the end of a line parts a word, or stands between two. A ligature that its font does not name
    is told as a sign that nobody sees: the word is looked for with each ligature.
    """
    whole = [_with_ligature(found.group(), have) for found in _UNTOLD.finditer(told)]
    wanted = Counter(words_of(_PARTED.sub(r"\1\2", _UNTOLD.sub(" ", told))))
    wanted.update(word for text in whole for word in words_of(text))
    for found in _PARTED.finditer(told):
        joined = words_of(found[1] + found[2])
        if len(joined) == 1 and wanted[joined[0]] > have[joined[0]]:
            wanted[joined[0]] -= 1
            wanted.update(words_of(f"{found[1]} {found[2]}"))
    return +wanted


def _with_ligature(text: str, have: Counter[str]) -> str:
    tried = (_CONTROL.sub(ligature, text) for ligature in _LIGATURES)
    return next((one for one in tried if have[unicodedata.normalize("NFKC", one).lower()]), text)


def contents_words(told: str) -> Iterator[str]:
    """The words of tables of contents: from the first entry with leaders of a page to its last one.

    Chapters between them have none. Page numbers in a row of their own, which follow, belong to them, and so
    does what stands above, down from the name of the table.
    """
    goes_on = False
    for page in told.split("\f"):
        lines = [line.strip() for line in page.split("\n")]
        entries = [at for at, line in enumerate(lines) if _LEADERS.search(line)]
        goes_on = len(entries) >= (1 if goes_on else _LEAST_ENTRIES)
        if goes_on:
            begin, end = _span(lines, entries)
            for line in lines[begin:end]:
                yield from words_of(line)
        else:
            for at in entries:
                yield from words_of(lines[at])


def _span(lines: Sequence[str], entries: Sequence[int]) -> tuple[int, int]:
    begin, end = entries[0], entries[-1] + 1
    named = [at for at in range(begin) if lines[at].lower() in _CONTENTS]
    begin = named[-1] if named else begin
    while begin > 0 and not named and _NUMBERS.fullmatch(lines[begin - 1]):
        begin -= 1
    while end < len(lines) and _NUMBERS.fullmatch(lines[end]):
        end += 1
    return begin, end
