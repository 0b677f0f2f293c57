"""What of some passages can stand in an answer: sentences, items, fields, rows and code. Pure: no I/O."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from footnote_agent.engines.blocks import Block, BlockKind, blocks_of, lead_of, without_blocks
from footnote_agent.engines.headlines import headlines_in
from footnote_agent.engines.marks import names_of_signs
from footnote_agent.engines.prose import prose, unlinked, whole_words
from footnote_agent.engines.term_entries import MOST_CHARS as MOST_OF_ENTRY
from footnote_shared.kernel.stems import stem
from footnote_shared.kernel.text import Sentence, sentences

MIN_CHARS, MAX_CHARS, MIN_WORDS = 25, 700, 5
"""Size of a sentence that can stand in an answer. One without an end mark needs twice as many words."""

MIN_LETTERS = 0.6
"""Share of letters and spaces below which a sentence is a row of figures."""

FEW_SYNTAX = 4
"""This many angle brackets, bars and braces may stand in any sentence."""

MAX_SYNTAX = 0.03
"""Share of angle brackets, bars and braces above which a sentence is the synopsis of a command."""

MOST_ADDRESSES = 2
"""Addresses in a sentence at most. With more it is a list of them."""

MAX_CODE_LINES = 24
"""Longest code that is quoted whole. Of longer code the lines around its best line are quoted."""

MAX_CODE_CHARS = 6000
"""Code that is longer is no passage of an answer: data, or a line of a generated file."""

_GAP = 4
"""Characters of white space between two passages of which one goes on where the other ends."""

_GOING_ON = re.compile(r"(?:and|as|at|by|for|from|in|nor|of|on|or|that|then|to|where|which|with)\b")
"""Words in small letters with which the rest of an English sentence begins, behind code or a list."""

_PLACEHOLDER = re.compile(r"\[ ?[-.a-zA-Z|]")
WORDS_OF_PLACEHOLDER = 5
"""With a bracket for this many words or fewer a text is the synopsis of a command."""

_SYNTAX = frozenset("<>|{}\\")
_SHORT_ANSWER = 4
"""A sentence of this many words at most, such as "Yes.", says nothing without the one behind it."""

_WORD = re.compile(r"\d+(?:[.,]\d+|:\d\d(?![.\d]))+|v(?=\d+\.\d)|[^\W_]+")
"""A number with its points is one word: 18.04 is neither 18 nor 04, and 10:36 is one time of the day.

In v2.6.0 it stands behind a v, and in 1:9.2 behind the epoch of a package.
"""
_NUMBER = re.compile(r"(?<![\w.-])v?(\d+(?:[.,:]\d+)*)(?![\w-])")
_STOP_WORDS = {
    path.stem: frozenset(path.read_text("utf-8").split())
    for path in Path(__file__).with_name("stop_words").glob("*.txt")
}
"""Words that say nothing about what a query is after, by language."""

_BOILERPLATE = re.compile(
    r"(?:doi\s*:|https?://|www\.|licen[cs]e\s*:|copyright\b|©|all rights reserved"
    r"|[\w ]{0,60}is distributed in the hope that it)",
    re.IGNORECASE,
)
_END_MARKS = ".!?…\"'”’)]。！？"
_ASKING = ("?", "？")
_HEADING_LINE = re.compile(r"\A(?:\s*#{1,6} [^\n]*(?:\n|\Z))+")
_LIST_MARK = re.compile(r"\A\s*(?:[-*•+>|]|\d{1,3}[.)])\s+")
_QUOTE_MARK = re.compile(r"(?m)^[ \t]{0,3}>[> \t]*")
_CALLOUT = re.compile(r"\A\s*\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]")
_NAME_LINE = re.compile(r"[A-Za-z][\w.+-]{0,39} [-–—] [a-z][^\n]{14,150}\Z")
"""What a manual says first of its command: `kettle - boil water`."""

_ANCHOR = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])[ \t]+\[[^\[\]]*\]\(#[^()\s]*\)\s*")
"""An item of a table of contents in Markdown."""

_ASKED = re.compile(
    r"(?m)^[ \t]*Q(?:uestion)?\d{0,3}[.:)][ \t]+"
    r"[^\n]+(?:\n|\Z)(?:(?![ \t]*A(?:nswer)?\d{0,2}[.:)][ \t])[^\n]+(?:\n|\Z))*"
)
"""The question of a FAQ: to the end of its paragraph, or to the mark of its answer."""

_ANSWER_MARK = re.compile(r"\AA(?:nswer)?\d{0,2}[.:)]\s+(?=\S+\s)")
_LEADERS = re.compile(r"\.{4}|(?:\. ){4}|…{2}")
"""The dots between a heading and its page in a table of contents."""

_SECTION = re.compile(r"(?<!\S)\d+(?:\.\d+)+\.?(?!\S)")
FEW_SECTIONS, WORDS_OF_SECTION = 3, 8
"""More numbers of sections than this, one for this many words or fewer, are a table of contents."""


@dataclass(frozen=True, slots=True)
class PassageText:
    """A passage as it matters here.

    `start`: where it begins in its document, in characters. `headings`: those that it stands under. `kind`:
    that of the chunk. `language`: a code of ISO 639, if it is known; `code_language`: the same of programs.
    `clipped`: whether its end was cut off to fit a budget. `title`: that of the document.
    """

    document: str
    start: int
    text: str
    headings: tuple[str, ...] = ()
    language: str | None = None
    kind: str = "text"
    code_language: str | None = None
    clipped: bool = False
    title: str = ""


@dataclass(frozen=True, slots=True)
class Quotable:
    """A part of a passage, as it reads in an answer.

    `passage` is the rank of the passage and `index` the part's number within it, both from 0. `start` and
    `end` are its half-open range in the document. `terms` are its own; `context` are those of the lead, head
    and heading above it. `opens`: whether it is the first sentence under a heading. `block`: where it is an
    item, a field, a row or code; prose has none. `fits`: whether it can stand in an answer. What cannot is
    still a neighbour. `above`: the headline or the question of a FAQ that it stands under.
    """

    passage: int
    index: int
    document: str
    start: int
    end: int
    text: str
    terms: tuple[str, ...]
    context: tuple[str, ...] = ()
    opens: bool = False
    block: Block | None = field(default=None, compare=False)
    fits: bool = True
    above: str = ""

    @property
    def kind(self) -> BlockKind | None:
        """The kind of its block; None for a sentence of prose."""
        return self.block.kind if self.block else None


def terms(text: str, language: str | None = None) -> list[str]:
    """Stems of the words without stop words, in order. Without a known language, words count as English."""
    stop_words = _STOP_WORDS.get(language or "en", _STOP_WORDS["en"])
    return [stem(word, language) for word in words_of(text.lower()) if word not in stop_words]


def words_of(text: str) -> list[str]:
    """The words of a text, in order."""
    return _WORD.findall(text)


def numbers_of(text: str) -> frozenset[str]:
    """The numbers that stand by themselves: of COVID-19 and H5N1 there are none."""
    return frozenset(_NUMBER.findall(text))


def language_of(passages: Sequence[PassageText]) -> str | None:
    """The language of most passages; of two that are as frequent, that of the better passage."""
    known = Counter(passage.language for passage in passages if passage.language)
    return max(known, key=known.__getitem__, default=None)


def quotables_of(passages: Sequence[PassageText], language: str | None) -> list[Quotable]:
    """All parts, best passage first. What stands in overlapping passages belongs to the best of them."""
    found: list[Quotable] = []
    seen: set[tuple[str, int]] = set()
    for rank, passage in enumerate(passages):
        lead = _lead_above(passage, passages)
        for index, part in enumerate(_parts(rank, passage, lead, language)):
            if (passage.document, part.start) not in seen:
                seen.add((passage.document, part.start))
                found.append(replace(part, index=index))
    return found


def clean(text: str) -> str:
    """A sentence as it reads in an answer.

    It has no heading lines, no list mark, no images, targets of links or tags, and single spaces.
    """
    unquoted = _CALLOUT.sub("", _QUOTE_MARK.sub("", _LIST_MARK.sub("", _HEADING_LINE.sub("", text))))
    spaced = " ".join(whole_words(unquoted).split())
    return " ".join(unlinked(spaced).split())


def can_be_quoted(text: str) -> bool:
    """Whether a sentence can stand in an answer: no heading, no fragment, no imprint, no row of figures."""
    words = words_of(text)
    few = text.isascii() and len(text.split()) < MIN_WORDS
    if not MIN_CHARS <= len(text) <= MAX_CHARS or len(words) < MIN_WORDS or few:
        return False
    if _NAME_LINE.match(text):
        return True
    if text.endswith(":") or (text[-1] not in _END_MARKS and len(words) < 2 * MIN_WORDS):
        return False
    if is_of_contents(text) or text.endswith(_ASKING) or text.count("://") > MOST_ADDRESSES:
        return False
    if sum(char in _SYNTAX for char in text) > max(FEW_SYNTAX, MAX_SYNTAX * len(text)):
        return False
    if is_synopsis(text):
        return False
    letters = sum(1 for char in text if char.isalpha() or char.isspace())
    return letters >= MIN_LETTERS * len(text) and not _BOILERPLATE.match(text)


def is_synopsis(text: str) -> bool:
    """Whether a text only says how a command may be written, as with `forget [flags] [ID]`."""
    placeholders = len(_PLACEHOLDER.findall(text))
    return placeholders > 0 and placeholders * WORDS_OF_PLACEHOLDER >= len(words_of(text))


def is_of_contents(text: str) -> bool:
    """Whether a text is of a table of contents: headings with their pages or their numbers."""
    sections = len(_SECTION.findall(text))
    return _LEADERS.search(text) is not None or (
        sections > FEW_SECTIONS and sections * WORDS_OF_SECTION >= len(words_of(text))
    )


def _leads_elsewhere(item: str) -> bool:
    """Whether an item is a question, or a way to another place of its document, and so no answer."""
    return is_of_contents(item) or bool(_ANCHOR.fullmatch(item)) or clean(item).endswith(_ASKING)


def _lead_above(passage: PassageText, passages: Sequence[PassageText]) -> str:
    """The sentence that introduces what the passage begins with, where it ends another passage."""
    for other in passages:
        gap = passage.start - (other.start + len(other.text))
        if other.document == passage.document and 0 <= gap <= _GAP and not other.clipped:
            return lead_of(other.text)
    return ""


def _parts(rank: int, passage: PassageText, lead: str, language: str | None) -> list[Quotable]:
    """Prose and blocks of one passage, in the order of the text."""
    blocks = blocks_of(passage.text, passage.kind, passage.code_language, passage.headings)
    if lead and blocks and not blocks[0].lead and not passage.text[: blocks[0].start].strip():
        blocks[0] = replace(blocks[0], lead=lead)
    found = [*_prose_parts(rank, passage, blocks, language)]
    headlines = headlines_in(passage.text)
    asked = [mark.span() for mark in _ASKED.finditer(passage.text)]
    for block in blocks:
        above = headlines.above(block.start) or _question_above(passage.text, asked, block.start)
        found += _block_parts(rank, passage, block, above, language)
    return sorted(found, key=lambda part: part.start)


def _prose_parts(
    rank: int, passage: PassageText, blocks: Sequence[Block], language: str | None
) -> Iterator[Quotable]:
    plain = prose(without_blocks(passage.text, blocks), passage.headings)
    split = _joined(sentences(plain, passage.language), plain)
    asked = [mark.span() for mark in _ASKED.finditer(plain)]
    behind_all = len(plain.rstrip())
    heading = tuple(terms(passage.headings[-1], language)) if passage.headings else ()
    headlines = headlines_in(plain)
    headings = {" ".join(heading.split()) for heading in passage.headings}
    headed = " ".join(passage.text.lstrip().partition("\n")[0].lstrip("# ").split()) in headings
    ends = [block.end for block in blocks]
    for number, sentence in enumerate(split):
        text = clean(sentence.text)
        if asked:
            text = _ANSWER_MARK.sub("", text)
        fits = can_be_quoted(text) and not _is_broken_off(sentence, text, passage, behind_all)
        fits = fits and not any(first <= sentence.start < behind for first, behind in asked)
        above = headlines.above(sentence.start) or _question_above(plain, asked, sentence.start)
        fits = fits and not headlines.holds(sentence.start)
        fits = fits and not (_GOING_ON.match(text) and _is_behind(ends, sentence.start, passage.text))
        start, end = passage.start + sentence.start, passage.start + sentence.end
        own = (*terms(text, language), *terms(names_of_signs(text), language))
        opens = headed and number == 0
        context = (*heading, *terms(above, language)) if above else heading
        yield Quotable(
            rank, 0, passage.document, start, end, text, own, context, opens, fits=fits, above=above
        )


def _is_behind(ends: Sequence[int], place: int, text: str) -> bool:
    """Whether a block ends right before this place. `ends`: where the blocks end, in order."""
    at = bisect_right(ends, place) - 1
    return at >= 0 and not text[ends[at] : place].strip()


def _question_above(text: str, asked: Sequence[tuple[int, int]], place: int) -> str:
    """The question of a FAQ that is answered at this place; empty where none is."""
    at = bisect_right(asked, (place, place)) - 1
    return text[slice(*asked[at])] if at >= 0 and asked[at][1] <= place else ""


def _joined(split: Sequence[Sentence], text: str) -> list[Sentence]:
    """The sentences, where one such as "Yes." is one with that behind it, within a paragraph."""
    joined: list[Sentence] = []
    for sentence in split:
        before = joined[-1] if joined else None
        if (
            before is not None
            and len(words_of(before.text)) <= _SHORT_ANSWER
            and before.text.rstrip()[-1:] in _END_MARKS
            and "\n\n" not in text[before.end : sentence.start]
            and "\n" not in before.text
        ):
            joined[-1] = Sentence(text[before.start : sentence.end], before.start, sentence.end)
        else:
            joined.append(sentence)
    return joined


def _is_broken_off(sentence: Sentence, text: str, passage: PassageText, behind_all: int) -> bool:
    """Whether the edge of the passage cuts the sentence: its beginning or its end is missing."""
    opens = passage.start > 0 and not passage.text[: sentence.start].strip()
    if opens and (text[0].islower() or text[0] in ",;:)]}.!?"):
        return True
    closes = sentence.end >= behind_all and not passage.text[sentence.end :].strip()
    return closes and passage.clipped and text[-1] not in _END_MARKS


def _block_parts(
    rank: int, passage: PassageText, block: Block, above: str, language: str | None
) -> Iterator[Quotable]:
    """Each item, field and row as one part, and code as one."""
    # The only heading is the title of the page, which leads in no list by itself.
    heading = passage.headings[-1] if len(passage.headings) > 1 else ""
    context = tuple(terms(" ".join((heading, above, block.lead, *block.head[:1])), language))
    if above and block.kind in ("list", "code", "entries") and not block.lead:
        # Of a changelog nothing says which release it is but the line above the list.
        block = replace(block, lead=above.strip("*= "))
    longest = {"code": MAX_CODE_CHARS, "entries": MOST_OF_ENTRY}.get(block.kind, MAX_CHARS)
    for part in block.parts:
        said = whole_words(part.text)
        own = (*terms(said, language), *terms(names_of_signs(said), language))
        fits = bool(own) and len(part.text) <= longest
        if block.kind in ("list", "fields", "entries"):
            fits = fits and not _leads_elsewhere(part.text)
        start, end = passage.start + part.start, passage.start + part.start + len(part.text)
        yield Quotable(
            rank, 0, passage.document, start, end, part.text, own, context, False, block, fits, above
        )
