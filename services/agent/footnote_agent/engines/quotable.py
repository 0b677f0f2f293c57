"""What of some passages can stand in an answer: sentences, items, fields, rows and code. Pure: no I/O."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from footnote_agent.engines.block import Block, BlockKind
from footnote_agent.engines.blocks import blocks_of, without_blocks
from footnote_agent.engines.bold_heads import BoldHead, BoldHeads, bold_heads_in
from footnote_agent.engines.broken_sentences import opens_as_rest, rejoined
from footnote_agent.engines.fitting_sentences import END_MARKS, MAX_CHARS, can_be_quoted
from footnote_agent.engines.headlines import headlines_in
from footnote_agent.engines.leads import lead_of
from footnote_agent.engines.marks import names_of_signs
from footnote_agent.engines.prose import prose, whole_words
from footnote_agent.engines.quotable_sentences import (
    clean,
    joined,
    leads_elsewhere,
    question_above,
    questions_in,
    without_answer_mark,
)
from footnote_agent.engines.rejecting import rejects
from footnote_agent.engines.term_entries import MOST_CHARS as MOST_OF_ENTRY
from footnote_agent.engines.terms import terms, words_of
from footnote_shared.kernel.text import Sentence, sentences

MAX_CODE_LINES = 24
"""Longest code that is quoted whole. Of longer code the lines around its best line are quoted."""

MAX_CODE_CHARS = 6000
"""Code that is longer is no passage of an answer: data, or a line of a generated file."""

LONGEST_HEADING = 120
"""Characters of a heading at most, as it stands in a contents."""

_GAP = 4
"""Characters of white space between two passages of which one goes on where the other ends."""

_GOING_ON = re.compile(r"(?:and|as|at|by|for|from|in|nor|of|on|or|that|then|to|where|which|with)\b")
"""Words in small letters with which the rest of an English sentence begins, behind code or a list."""


@dataclass(frozen=True, slots=True)
class PassageText:
    """A passage as it matters here.

    `start`: where it begins in its document, in characters. `headings`: those that it stands under. `kind`:
    that of the chunk. `language`: a code of ISO 639, if it is known; `code_language`: the same of programs.
    `clipped`: whether its end was cut off to fit a budget. `title`: that of the document.
    `similarity`: the cosine with the query, where it is known.
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
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class Quotable:
    """A part of a passage, as it reads in an answer.

    `passage` is the rank of the passage and `index` the part's number within it, both from 0. `start` and
    `end` are its half-open range in the document. `terms` are its own; `context` are those of the lead, head
    and heading above it. `opens`: whether it is the first sentence under a heading. `block`: where it is an
    item, a field, a row or code; prose has none. `fits`: whether it can stand in an answer. What cannot is
    still a neighbour. `above`: the headline, the bold words or the question of a FAQ that it stands under.
    `head`: bold words with which its paragraph begins, if it does not hold them itself. `rejected`: the lead,
    the headline or the heading by which it is said not to be so; empty without one.
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
    head: str = ""
    rejected: str = ""

    @property
    def kind(self) -> BlockKind | None:
        """The kind of its block; None for a sentence of prose."""
        return self.block.kind if self.block else None


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
    return _without_contents(found)


def _without_contents(found: list[Quotable]) -> list[Quotable]:
    """The parts, of which an item of a contents and the heading that it names cannot be quoted.

    Such a heading, "Pages load slowly", reads like a sentence. The item with the same words tells it.
    """
    said: dict[tuple[str, str], set[BlockKind | None]] = {}
    for one in found:
        if one.kind in (None, "list") and len(one.text) <= LONGEST_HEADING:
            said.setdefault(_words_in(one), set()).add(one.kind)
    named = {words for words, kinds in said.items() if len(kinds) > 1}
    return [replace(one, fits=False) if named and _words_in(one) in named else one for one in found]


def _words_in(one: Quotable) -> tuple[str, str]:
    return one.document, " ".join(words_of(clean(one.text).lower()))


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
    plain = prose(without_blocks(passage.text, blocks), passage.headings)
    bold = bold_heads_in(plain)
    rejecting = next((heading for heading in reversed(passage.headings) if rejects(heading)), "")
    found = [*_prose_parts(rank, passage, blocks, plain, bold, rejecting, language)]
    headlines = headlines_in(passage.text)
    asked = questions_in(passage.text)
    for block in blocks:
        headline = headlines.above(block.start) or question_above(passage.text, asked, block.start)
        # The words in bold that head a paragraph head the block right behind it, too.
        head = bold.over(len(passage.text[: block.start].rstrip()) - 1)
        above, rejected = _above(head, headline, rejecting)
        found += _block_parts(rank, passage, block, above, rejected, language)
    return sorted(found, key=lambda part: part.start)


def _prose_parts(
    rank: int,
    passage: PassageText,
    blocks: Sequence[Block],
    plain: str,
    bold: BoldHeads,
    rejecting: str,
    language: str | None,
) -> Iterator[Quotable]:
    headlines = headlines_in(plain)
    plain = headlines.without_terms(bold.without_lines(plain))
    split = rejoined(joined(sentences(plain, passage.language), plain), passage.text, blocks)
    asked = questions_in(plain)
    behind_all = len(plain.rstrip())
    heading = tuple(terms(passage.headings[-1], language)) if passage.headings else ()
    headings = {" ".join(heading.split()) for heading in passage.headings}
    headed = " ".join(passage.text.lstrip().partition("\n")[0].lstrip("# ").split()) in headings
    names = [words_of(name.lower()) for name in (passage.title, *passage.headings)]
    ends = [block.end for block in blocks]
    code_ends = [block.end for block in blocks if block.kind == "code"]
    for number, sentence in enumerate(split):
        text = clean(sentence.text)
        if asked:
            text = without_answer_mark(text)
        fits = can_be_quoted(text) and not _is_broken_off(sentence, text, passage, behind_all)
        fits = fits and not any(first <= sentence.start < behind for first, behind in asked)
        head = bold.over(sentence.start)
        headline = headlines.above(sentence.start) or question_above(plain, asked, sentence.start)
        above, rejected = _above(head, headline, rejecting)
        fits = fits and not headlines.holds(sentence.start) and words_of(text.lower()) not in names
        if _is_behind(ends, sentence.start, passage.text):
            before = split[number - 1].text if number else ""
            rest = _is_behind(code_ends, sentence.start, passage.text) and opens_as_rest(text, before)
            fits = fits and not (rest or _GOING_ON.match(text))
        start, end = passage.start + sentence.start, passage.start + sentence.end
        own = (*terms(text, language), *terms(names_of_signs(text), language))
        yield Quotable(
            rank,
            0,
            passage.document,
            start,
            end,
            text,
            own,
            (*heading, *terms(above, language)) if above else heading,
            headed and number == 0,
            fits=fits,
            above=above,
            head=head.shown if head and sentence.start >= head.end else "",
            rejected=rejected,
        )


def _above(head: BoldHead | None, headline: str, rejecting: str) -> tuple[str, str]:
    """What a part stands under, and what of that or of the headings (`rejecting`) says that it is not so.

    Words in bold that run on into a paragraph hold for it alone, and before any headline.
    """
    bold = head.words if head else ""
    above = bold if head and head.shown else headline or bold
    return above, next((one for one in (bold, headline) if one and rejects(one)), rejecting)


def _is_behind(ends: Sequence[int], place: int, text: str) -> bool:
    """Whether a block ends right before this place. `ends`: where the blocks end, in order."""
    at = bisect_right(ends, place) - 1
    return at >= 0 and not text[ends[at] : place].strip()


def _is_broken_off(sentence: Sentence, text: str, passage: PassageText, behind_all: int) -> bool:
    """Whether the edge of the passage cuts the sentence: its beginning or its end is missing."""
    opens = passage.start > 0 and sentence.start <= len(passage.text) - len(passage.text.lstrip())
    if opens and (text[0].islower() or text[0] in ",;:)]}.!?"):
        return True
    closes = sentence.end >= behind_all and not passage.text[sentence.end :].strip()
    return closes and passage.clipped and text[-1] not in END_MARKS


def _is_section(passage: PassageText) -> bool:
    """Whether the last heading is that of a section. The title of the page leads in no list by itself."""
    if len(passage.headings) != 1:
        return bool(passage.headings)
    title = set(words_of(passage.title.lower()))
    return bool(title) and title.isdisjoint(words_of(passage.headings[0].lower()))


def _block_parts(
    rank: int, passage: PassageText, block: Block, above: str, rejected: str, language: str | None
) -> Iterator[Quotable]:
    """Each item, field and row as one part, and code as one. `rejected`: what above its lead rejects it."""
    heading = passage.headings[-1] if _is_section(passage) else ""
    # "(rows 11 to 13)" says nothing of any row.
    lead = "" if block.lead.startswith("(") else block.lead
    context = tuple(terms(" ".join((heading, above, lead, *block.head[:1])), language))
    rejected = block.lead if rejects(block.lead) else rejected
    if above and block.kind in ("list", "code", "entries") and not block.lead:
        # Of a changelog nothing says which release it is but the line above the list.
        block = replace(block, lead=clean(above.strip("*= ")))
    longest = {"code": MAX_CODE_CHARS, "entries": MOST_OF_ENTRY, "list": MOST_OF_ENTRY}.get(
        block.kind, MAX_CHARS
    )
    for part in block.parts:
        said = whole_words(part.text)
        own = (*terms(said, language), *terms(names_of_signs(said), language))
        fits = bool(own) and len(part.text) <= longest
        if block.kind in ("list", "fields", "entries"):
            fits = fits and not leads_elsewhere(part.text)
        start, end = passage.start + part.start, passage.start + part.start + len(part.text)
        yield Quotable(
            rank,
            0,
            passage.document,
            start,
            end,
            part.text,
            own,
            context,
            block=block,
            fits=fits,
            above=above,
            rejected=rejected,
        )
