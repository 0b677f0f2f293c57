"""A summary without a model: the first whole sentences of the part that tells most. Pure.

Every sentence of it stands in the document. What is no running text says nothing of a document as a whole:
code, tables, headings, lines of a table of contents, licences and sentences that are not whole are left out.
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

_ASIDES = """
acknowledgement acknowledgements acknowledgment acknowledgments thanks copyright license licence
danksagung lizenz urheberrecht remerciements agradecimientos licencia ringraziamenti licenza
"""
_BESIDE_IT = frozenset({*_ASIDES.split(), "legal notice", "copyright notice"})
"""Headings of parts that say nothing of what their document is about."""

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
_NEXT_ITEM = re.compile(rf"\n(?=\S|{_ITEM.pattern})")
_NAME = re.compile(r"\s{0,8}([^\s(:]{1,100})(?:\(\w{1,9}\)|:|\s[-–—]\s|\s*\Z)")
_NUMBERED = re.compile(r"\s{0,8}\d{1,3}(?:[.-]\d{1,3}){1,5}[.)]?\s")
"""What a heading, or its line in a table of contents, begins with."""

_MARKED_LINE = re.compile(r"\n[^\S\n]{0,8}(?:[-+*•–]|\d{1,3}-\d{1,3}\.(?:\s|\Z))")
"""A further line that is an item of a list, a line of a patch or one of a list of figures."""

_RULE = re.compile(r"\s{0,8}([-=~^*_])\1{2,}\s*\Z")
_LINK = re.compile(r"\[([^\[\]]*+)\]\([^()\s]*+\)")
_EMPHASIS = re.compile(r"\*\*|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)|(?<!\w)_(?=[^\W_])|(?<=[^\W_])_(?!\w)")
_LICENCE = re.compile(
    r"(?i)copyright|all rights reserved|alle rechte vorbehalten|permission is (?:hereby )?granted"
    r"|redistribut\w{1,4} (?:it|this|and) |is free software|free software foundation|general public license"
    r"|creative commons (?:attribution|namensnennung)|(?:distributed|licensed|modified|released) under"
    r"|in the hope that it will be|(?:any|implied) warranty"
)
"""Said by who gives away a text or a program. Contracts and warranties of other things are told."""

_LEFT_OVER = re.compile(r"[{}|\\©]|<[a-zA-Z/!?]|&#?\w+;|==|[-=]>|::|\.\.\.\.|\. \. \.|://|\w:`|\bwww\.")
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


def summary_of_text(passages: Sequence[SummedPassage], title: str = "") -> str | None:
    """Some of the first sentences, at most `LONGEST_SUMMARY` characters; None where none is whole.

    A part that is called an abstract goes first. Else the first part begins that has enough to say. Items of
    lists count where there is nothing else. A sentence may begin with the small name that is the `title`.
    """
    read = [one for one in passages[:PASSAGES_READ] if _heading(one) not in _BESIDE_IT]
    named = [passage for passage in read if _heading(passage) in _SUMS_UP]
    subject = _small_name(title)
    return (
        _summed_up(named, subject, items=False)
        or _summed_up(read, subject, items=False)
        or _summed_up(read, subject, items=True)
    )


def _heading(passage: SummedPassage) -> str:
    return passage.heading_path[-1].strip(" .:").casefold() if passage.heading_path else ""


def _small_name(title: str) -> str:
    """The name that the title is, explains or gives a section, if it begins small; else nothing."""
    found = _NAME.match(title)
    return found[1] if found is not None and found[1][:1].islower() else ""


def _summed_up(passages: Sequence[SummedPassage], subject: str, *, items: bool) -> str | None:
    greeting: list[str] = []
    chosen: list[str] = []
    for block in _blocks(passages, subject, items=items):
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


def _blocks(passages: Sequence[SummedPassage], subject: str, *, items: bool) -> Iterator[list[str]]:
    """The first whole sentences of each block that has some, in order."""
    for passage in passages:
        if passage.kind not in _PROSE:
            continue
        text = passage.text[:_LONGEST_PASSAGE]
        cased = any(map(str.isupper, text))
        for block in text.split("\n\n"):
            block = _below_its_headings(block, passage.heading_path)
            for piece in _NEXT_ITEM.split(block) if items else (block,):
                item = _ITEM.match(piece)
                if piece.lstrip("\n").startswith(_NO_PROSE) or _NUMBERED.match(piece):
                    continue
                if item is not None and not items:
                    continue
                said = piece[item.end() :] if item else piece
                whole = _leading(said, passage.language, subject, cased=cased)
                if whole:
                    yield whole


def _below_its_headings(block: str, headings: Sequence[str]) -> str:
    """The block without the lines at its beginning that are headings, or rules below them."""
    lines = block.strip("\n").split("\n")
    above = takewhile(lambda line: line.strip(" #*") in headings or _RULE.match(line), lines)
    return "\n".join(lines[len(list(above)) :])


def _leading(block: str, language: str | None, subject: str, *, cased: bool) -> list[str]:
    """The first run of whole sentences of a block."""
    plain = _EMPHASIS.sub("", _LINK.sub(r"\1", block))
    found = (sentence.text for sentence in sentences(plain, language))
    begun = dropwhile(lambda sentence: not _is_whole(sentence, subject, cased=cased), found)
    whole = takewhile(lambda sentence: _is_whole(sentence, subject, cased=cased), begun)
    return [" ".join(sentence.split()).replace("`", "") for sentence in whole]


def _is_whole(text: str, subject: str, *, cased: bool) -> bool:
    """Whether it is one sentence of running text, from its capital letter or small name to its end mark."""
    sentence = " ".join(text.split())
    if len(sentence) > LONGEST_SUMMARY or _LEFT_OVER.search(sentence) or _LICENCE.search(sentence):
        return False
    if _MARKED_LINE.search(text.strip()):
        return False
    first, said = sentence.lstrip(_OPENING)[:1], sentence.rstrip(_CLOSING)
    if not first or said[-1:] not in _ENDS or said.endswith(".."):
        return False
    if cased and sentence.endswith(" ."):
        return False
    if cased and first.islower() and not _is_small_name(sentence.lstrip(_OPENING).split()[0], subject):
        return False
    if not (first.isalnum() or unicodedata.category(first)[0] in "LM"):
        return False
    wide = _WIDE.search(sentence) is not None
    long_enough = len(sentence) >= FEWEST_WIDE if wide else len(sentence.split()) >= FEWEST_WORDS
    return long_enough and _letters(sentence) >= LEAST_LETTERS


def _is_small_name(word: str, subject: str) -> bool:
    """Whether a word begins small because it is a name: the subject, or one of other signs than letters."""
    bare = word.rstrip(".,;:!?'’")
    return bare == subject or any(char.isupper() or char.isdigit() or char == "_" for char in bare)


def _letters(text: str) -> float:
    """The part of letters, with the marks above and below them, in all characters but spaces."""
    seen = text.replace(" ", "")
    return sum(char.isalpha() or unicodedata.category(char)[0] == "M" for char in seen) / len(seen)
