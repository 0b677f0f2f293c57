"""Plain facts about text: a hash that ignores layout, and sentences with their places."""

import hashlib
import re
from dataclasses import dataclass

_ENDS = (
    # An end mark with closing quotes or brackets, before citation tokens or white space.
    r"""[.!?…]+["'”’)\]]*(?:(?:\s?\[(?:citation:)?\d{1,4}\])+|(?=\s))""",
    # A wide end mark, which needs no space behind it.
    r"""[。！？]+["'”’）]*""",
    # A blank line.
    r"\n(?=[^\S\n]*\n)",
    # The beginning of a list item.
    r"\n(?=[^\S\n]*(?:[-*•]|\d+[.)])\s)",
)
_END = re.compile("|".join(_ENDS))
_ABBREVIATIONS = (
    r"e\.g",
    "eg",
    r"i\.e",
    "ie",
    "viz",
    "resp",
    "etc",
    "vs",
    "cf",
    "al",
    "Fig",
    "fig",
    "Figs",
    "Eq",
    "Eqs",
    "Sec",
    "No",
    "Nos",
    "Dr",
    "Mr",
    "Mrs",
    "Ms",
    "Prof",
    "St",
    "Inc",
    "Ltd",
    "Co",
    "Corp",
    "approx",
    "ca",
    "vol",
    "pp",
    "p",
    "Jan",
    "Feb",
    "Mar",
    "Apr",
    "Jun",
    "Jul",
    "Aug",
    "Sep",
    "Sept",
    "Oct",
    "Nov",
    "Dec",
    r"U\.S",
    r"U\.K",
)
_ABBREVIATION = re.compile(rf"(?:\b(?:{'|'.join(_ABBREVIATIONS)})|\b[A-Z])\.$")
_LOOK_BACK = 12
"""Characters before a full stop in which an abbreviation may stand."""
_GOES_ON = re.compile(r"[^\S\n]+[a-zà-öø-ÿ]")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and its half-open character range in the text that it came from."""

    text: str
    start: int
    end: int


def text_hash(text: str) -> str:
    """The first 32 hex digits of the SHA-256 of the text with single spaces: layout is not content."""
    return hashlib.sha256(" ".join(text.split()).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def sentences(text: str) -> list[Sentence]:
    """Split a text at end marks, blank lines and list items, not at abbreviations, initials and omissions.

    Every non-space character of the text is in exactly one sentence, and the sentences are in order.
    """
    found: list[Sentence] = []
    start = 0
    for match in _END.finditer(text):
        end = match.end()
        if match.group() == "." and _ABBREVIATION.search(text[max(start, end - _LOOK_BACK) : end]):
            continue
        if match.group() in ("…", "...") and _GOES_ON.match(text, end):
            continue
        _append(found, text, start, end)
        start = end
    _append(found, text, start, len(text))
    return found


def _append(found: list[Sentence], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    stripped = piece.strip()
    if stripped:
        left = start + len(piece) - len(piece.lstrip())
        found.append(Sentence(stripped, left, left + len(stripped)))
