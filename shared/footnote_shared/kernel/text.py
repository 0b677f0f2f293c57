"""Plain facts about text: a hash that ignores layout, and sentences with their places."""

import hashlib
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from footnote_shared.kernel.citation_tokens import NUMBER, REFERENCE

_ENDS = (
    # All end marks of a row, with closing quotes or brackets, before citation tokens or white space.
    rf"""(?<![.!?…])[.!?…]++["'”’)\]]*+(?:(?:\s?\[(?:citation:{NUMBER}|{REFERENCE})\])+|(?=\s))""",
    # A wide end mark, which needs no space behind it.
    r"""[。！？]+["'”’）]*""",
    # A blank line.
    r"\n(?=[^\S\n]*\n)",
    # The beginning of a list item.
    r"\n(?=[^\S\n]*(?:[-*•]|\d+[.)])\s)",
)
_END = re.compile("|".join(_ENDS))
_ABBREVIATIONS: dict[str, str] = tomllib.loads(
    Path(__file__).with_name("abbreviations.toml").read_text("utf-8")
)
_ORDINALS = frozenset(_ABBREVIATIONS.pop("ordinals").split())
_LOOK_BACK = 12
"""Characters before a full stop in which an abbreviation may stand."""
_OMISSION = re.compile(r"\.(?:[^\S\n]\.){2,}")
"""Words left out of a quotation: `. . .`. A fourth full stop ends the sentence."""
_QUOTES = re.compile(r'["“”]')
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


def sentences(text: str, language: str | None = None) -> list[Sentence]:
    """Split a text at end marks, blank lines and list items, not at abbreviations, initials and omissions.

    `language` is a code of ISO 639. Its abbreviations hold beside the English ones, and so do its ordinals,
    as in German "am 3. Oktober".

    An omission of full stops with spaces ends a sentence where it has four of them, outside a quotation.

    Every non-space character of the text is in exactly one sentence, and the sentences are in order.
    """
    found: list[Sentence] = []
    start = 0
    omitted = _omissions(text)
    quotation = _Quotation(text)
    abbreviation = _abbreviation(language)
    for match in _END.finditer(text):
        end = match.end()
        if match.start() in omitted and not (omitted[match.start()] and quotation.is_over(start, end)):
            continue
        behind_stop = match.start() + 1
        if _is_one_stop(match, text) and abbreviation.search(
            text[max(start, behind_stop - _LOOK_BACK) : behind_stop]
        ):
            continue
        if match.group() in ("…", "...") and _GOES_ON.match(text, end):
            continue
        _append(found, text, start, end)
        start = end
    _append(found, text, start, len(text))
    return found


def _is_one_stop(match: re.Match[str], text: str) -> bool:
    """Whether it is a full stop alone, or one with citations, as in `Doe et al. [1] found it`."""
    mark = match.group()
    if mark == ".":
        return True
    return mark[0] == "." and mark[1:].lstrip()[:1] == "[" and bool(_GOES_ON.match(text, match.end()))


@cache
def _abbreviation(language: str | None) -> re.Pattern[str]:
    """Finds an abbreviation, an initial or an ordinal with its full stop, at the end of a text."""
    known = language if language in _ABBREVIATIONS else "en"
    words = {*_ABBREVIATIONS["en"].split(), *_ABBREVIATIONS[known].split()}
    either = "|".join(sorted(map(re.escape, words)))
    ordinal = r"|(?<![\w.,])\d{1,2}" if known in _ORDINALS else ""
    return re.compile(rf"(?:\b(?:{either})|\b[A-Z]{ordinal})\.$")


def _omissions(text: str) -> dict[int, bool]:
    """The place of each full stop of an omission, and whether a sentence can end there."""
    places: dict[int, bool] = {}
    for omission in _OMISSION.finditer(text):
        stops = [place for place in range(*omission.span()) if text[place] == "."]
        places.update(dict.fromkeys(stops, False))
        places[stops[-1]] = len(stops) > 3 and not _GOES_ON.match(text, omission.end())
    return places


class _Quotation:
    """Whether a quotation is open within a sentence. It reads a text once, for places that only grow."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._start = self._read = 0
        self._open = False

    def is_over(self, start: int, end: int) -> bool:
        """Whether none is open at `end` of those that began behind `start`, where the sentence begins."""
        if start != self._start:
            self._start = self._read = start
            self._open = False
        for mark in _QUOTES.findall(self._text, self._read, end):
            self._open = not self._open if mark == '"' else mark == "“"
        self._read = end
        return not self._open


def _append(found: list[Sentence], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    stripped = piece.strip()
    if stripped:
        left = start + len(piece) - len(piece.lstrip())
        found.append(Sentence(stripped, left, left + len(stripped)))
