"""Plain facts about text: hashes that ignore nothing but white space, sentences with their places."""

import hashlib
import re
from dataclasses import dataclass

# An end mark with closing quotes or brackets, and behind it citation tokens or white space; or a blank line.
_END = re.compile(
    r"""(?:[.!?…]+["'”’)\]]*(?:(?:\s?\[(?:citation:)?\d{1,4}\])+|(?=\s))|[。！？]+["'”’）]*|\n(?=[^\S\n]*\n)|\n(?=[^\S\n]*(?:[-*•]|\d+[.)])\s))"""
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|eg|i\.e|ie|viz|resp|etc|vs|cf|al|Fig|fig|Figs|Eq|Eqs|Sec|No|Nos|Dr|Mr|Mrs|Ms|Prof|St|Inc|Ltd|Co|Corp|approx|ca|vol|pp|p|Jan|Feb|Mar"
    r"|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|U\.S|U\.K)|\b[A-Z])\.$"
)

_GOES_ON = re.compile(r"[^\S\n]+[a-zà-öø-ÿ]")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and its half-open character range in the text that it came from."""

    text: str
    start: int
    end: int


def text_hash(text: str) -> str:
    """SHA-256 (32 hex digits kept) of the text with runs of white space as one space: layout is not content."""
    return hashlib.sha256(" ".join(text.split()).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def sentences(text: str) -> list[Sentence]:
    """Split into sentences by end marks, blank lines and list items; abbreviations, initials and words left out do not end one.

    Every non-space character of the text is in exactly one sentence, in order.
    """
    found: list[Sentence] = []
    start = 0
    for match in _END.finditer(text):
        end = match.end()
        if (
            match.group().startswith(".")
            and match.group() == "."
            and _ABBREVIATION.search(text[max(start, end - 12) : end])
        ):
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
