"""A summary without a model: the first whole sentences of the part that tells most. Pure.

Every sentence of it stands in the document. What is no running text says nothing of a document as a whole:
code, tables, headings, lines of a table of contents and sentences that are not whole are left out.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile, takewhile

from footnote_shared.kernel.text import sentences

LONGEST_SUMMARY = 400
"""Characters. Three or four sentences tell a reader whether to open the document."""

PASSAGES_READ = 12
"""A book says what it is about in its first pages, or it does not say it in a few sentences."""

ENOUGH = 160
"""Characters from which a summary ends with its part: the next one is often about something else."""

LEAST_BEGINNING = 60
"""A part with fewer characters in whole sentences begins no summary while another one has more: it greets."""

_LONGEST_PASSAGE = 8000
FEWEST_WORDS = 3
FEWEST_WIDE = 8
"""Characters of a sentence in a script without spaces between its words."""

LEAST_LETTERS = 0.7
"""Of all characters but spaces. Formulas, rows of figures and lines of dots have fewer."""

_PROSE = frozenset({"paragraph", "list", "generated_text", "ocr_text", "transcript"})
_ABSTRACTS = """
abstract summary overview synopsis zusammenfassung kurzfassung überblick résumé resumen sumario riassunto
resumo samenvatting sammanfattning sammendrag streszczenie özet аннотация резюме 概要 要旨 摘要
"""
_SUMS_UP = frozenset(_ABSTRACTS.split())
"""Headings, with their case folded, of parts that sum up their document."""

_NO_PROSE = (
    "#",
    "|",
    "```",
    "~~~",
    "    ",
    "\t",
    "<",
    "![",
    "[^",
    "..",
    ":",
    "//",
    "$ ",
    "@",
    "%",
    "---",
    "+++",
    ">>>",
)
"""What a block of markup or code begins with."""

_ITEM = re.compile(r"[^\S\n]{0,8}(?:[-*+•–]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])\s")
_LINK = re.compile(r"\[([^\[\]]*+)\]\([^()\s]*+\)")
_EMPHASIS = re.compile(r"\*\*|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)|(?<!\w)_(?=[^\W_])|(?<=[^\W_])_(?!\w)")
_LEFT_OVER = re.compile(
    r"(?i:copyright|all rights reserved)|[{}|\\©]|<[a-zA-Z/!?]|&#?\w+;|==|[-=]>|::|\.\.\.\.|\. \. \.|://|\w:`|\bwww\."
)
_WIDE = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")
_ENDS = ".!?。！？"
_CLOSING = "\"')]”’»」』`"
_OPENING = "\"'([“‘«„¿¡「『"


@dataclass(frozen=True, slots=True)
class SummedPassage:
    """A passage as far as a summary is made of it. `language` is a code of ISO 639."""

    text: str
    kind: str
    heading_path: Sequence[str]
    language: str | None


def summary_of_text(passages: Sequence[SummedPassage]) -> str | None:
    """Some of the first sentences, at most `LONGEST_SUMMARY` characters; None where none is whole.

    A part that is called an abstract goes first. Else the first part begins that has enough to say. Items of
    lists count where there is nothing else.
    """
    read = passages[:PASSAGES_READ]
    named = [passage for passage in read if _sums_up(passage)]
    return _summed_up(named, items=False) or _summed_up(read, items=False) or _summed_up(read, items=True)


def _sums_up(passage: SummedPassage) -> bool:
    path = passage.heading_path
    return bool(path) and path[-1].strip(" .:").casefold() in _SUMS_UP


def _summed_up(passages: Sequence[SummedPassage], *, items: bool) -> str | None:
    greeting: list[str] = []
    chosen: list[str] = []
    for block in _blocks(passages, items=items):
        if not chosen and sum(map(len, block)) < LEAST_BEGINNING:
            greeting += block
            continue
        chosen += block
        if sum(map(len, chosen)) >= ENOUGH:
            break
    return within(chosen or greeting)


def within(chosen: Sequence[str]) -> str | None:
    """As many of the sentences as a summary has room for, each once; None where the first has no room."""
    said = ""
    for sentence in dict.fromkeys(chosen):
        together = f"{said} {sentence}".strip()
        if len(together) > LONGEST_SUMMARY:
            break
        said = together
    return said or None


def _blocks(passages: Sequence[SummedPassage], *, items: bool) -> Iterator[list[str]]:
    """The first whole sentences of each block that has some, in order."""
    for passage in passages:
        if passage.kind not in _PROSE:
            continue
        text = passage.text[:_LONGEST_PASSAGE]
        cased = any(map(str.isupper, text))
        for block in text.split("\n\n"):
            for piece in block.split("\n") if items else (block,):
                item = _ITEM.match(piece)
                if piece.lstrip("\n").startswith(_NO_PROSE) or (item is not None and not items):
                    continue
                said = _leading(piece[item.end() :] if item else piece, passage.language, cased=cased)
                if said:
                    yield said


def _leading(block: str, language: str | None, *, cased: bool) -> list[str]:
    """The first run of whole sentences of a block."""
    plain = _EMPHASIS.sub("", _LINK.sub(r"\1", block))
    found = (" ".join(sentence.text.split()) for sentence in sentences(plain, language))
    begun = dropwhile(lambda sentence: not _is_whole(sentence, cased=cased), found)
    whole = takewhile(lambda sentence: _is_whole(sentence, cased=cased), begun)
    return [sentence.replace("`", "") for sentence in whole]


def _is_whole(sentence: str, *, cased: bool) -> bool:
    """Whether it is one sentence of running text, from its capital letter to its end mark."""
    if len(sentence) > LONGEST_SUMMARY or _LEFT_OVER.search(sentence):
        return False
    first, last = sentence.lstrip(_OPENING)[:1], sentence.rstrip(_CLOSING)[-1:]
    if not first or last not in _ENDS or sentence.endswith("..") or (cased and first.islower()):
        return False
    if not (first.isalnum() or unicodedata.category(first)[0] in "LM"):
        return False
    wide = _WIDE.search(sentence) is not None
    long_enough = len(sentence) >= FEWEST_WIDE if wide else len(sentence.split()) >= FEWEST_WORDS
    return long_enough and _letters(sentence) >= LEAST_LETTERS


def _letters(text: str) -> float:
    """The part of letters, with the marks above and below them, in all characters but spaces."""
    seen = text.replace(" ", "")
    return sum(char.isalpha() or unicodedata.category(char)[0] == "M" for char in seen) / len(seen)
