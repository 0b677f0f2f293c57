"""Which blocks of a plain text begin with headings, and of which level.

A block is what stands between blank lines.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from footnote_ingest.parsing.elements import Kind, one_line
from footnote_ingest.parsing.hanging_lines import hanging_headings
from footnote_ingest.parsing.text_entries import entries, lettered_names, lone_names
from footnote_ingest.parsing.text_heads import TextHead, block_heads
from footnote_ingest.parsing.text_lines import NUMBERED, heading_depth, is_centred_heading, section_and_part
from footnote_ingest.parsing.text_sections import (
    asked,
    counted_questions,
    digest_subjects,
    questions_among,
    section_names,
)

_FEW_LINES = 5
_COPYRIGHT = "copyright"
"""A line that begins so tells whose the text is."""

_ANCHORS = "¶ "
"""What is left of a link in the text of a page that was saved."""


class Heading(NamedTuple):
    """Where a heading stands, its level and its name, and what the rest of its block is if that is known."""

    start: int
    end: int
    level: int
    name: str
    rest: Kind | None = None


class TextHeadings:
    """Tells the headings of one block after another, because ranks go by their first appearance.

    With `marked_only` all headings of the text are known to have marks below them.
    """

    def __init__(self, text: str, blocks: Sequence[tuple[int, int]], *, marked_only: bool = False) -> None:
        self._text, self._blocks = text, blocks
        self._heads = block_heads(text, blocks)
        self._ranks: dict[str, int] = {}
        self._holder = 0
        self._marked_only = marked_only
        if marked_only:
            self._heads = {at: head for at, head in self._heads.items() if head.style}
            return
        self._hanging = hanging_headings(text, blocks)
        self._named = section_names(text, blocks, self._heads)
        self._questions = counted_questions(text, blocks)
        self._questions |= questions_among(text, blocks, self._numbered())
        self._subjects = digest_subjects(text, blocks)
        self._entries = entries(text, blocks)
        self._parts = any(entry.lead > blocks[at][0] for at, entry in self._entries.items())
        self._lettered = lettered_names(text, blocks)
        self._lone = lone_names(text, blocks)

    def of(self, at: int) -> list[Heading]:
        """The headings with which the block at a place begins. Ask for the blocks in their order."""
        start, end = self._blocks[at]
        if self._marked_only:
            return [self._of_head(self._heads[at], start)] if at in self._heads else []
        if at in self._subjects:
            return [Heading(start, end, self._below(), self._subjects[at])]
        if (head := self._heads.get(at)) is not None:
            return [self._of_head(head, start)]
        if name_chars := self._named.get(at) or asked(self._text, (start, end)):
            name = one_line(self._text[start : start + name_chars])
            return [Heading(start, start + name_chars, self._below(held=True), name)]
        if at in self._entries:
            return list(self._of_entry(at, start))
        return self._of_line(at, start, end)

    def _numbered(self) -> frozenset[int]:
        """The places of single lines that are headings by their number."""
        text, blocks = self._text, self._blocks
        return frozenset(
            at
            for at, (start, end) in enumerate(blocks[:-1])
            if NUMBERED.match(text, start) is not None
            and text.find("\n", start, end) < 0
            and heading_depth(text[start:end], text[slice(*blocks[at + 1])])
        )

    def _below(self, depth: int = 1, *, held: bool = False) -> int:
        """The level of a heading without a rank of its own; `held` if it may stand below a release."""
        level = len(self._ranks) + depth
        if held and self._holder:
            return max(level, self._holder + 1)
        self._holder = 0
        return level

    def _rank(self, style: str) -> int:
        self._holder = 0
        return self._ranks.setdefault(style, len(self._ranks) + 1)

    def _of_head(self, head: TextHead, start: int) -> Heading:
        for depth in range(1, head.depth):
            # An outline may begin with one of its lower ranks.
            self._rank(head.style[:depth])
        if head.style:
            level = self._rank(head.style if not head.depth else head.style[: head.depth])
        else:
            level = self._below(held=not head.holds)
        if head.holds:
            self._holder = level
        return Heading(start, start + head.size, level, head.name, head.rest)

    def _of_entry(self, at: int, start: int) -> Iterator[Heading]:
        lead, name_end = self._entries[at]
        level = self._below()
        if lead > start:
            yield Heading(start, lead, level, one_line(self._text[start:lead]))
            start = lead + 1
        name = one_line(self._text[start:name_end])
        yield Heading(start, name_end, level + self._parts, name)

    def _of_line(self, at: int, start: int, end: int) -> list[Heading]:
        """The heading that a block is as a whole, or the two of a section and its part."""
        block = self._text[start:end]
        if block[: len(_COPYRIGHT)].lower() == _COPYRIGHT:
            return []
        following = self._blocks[at + 1] if at + 1 < len(self._blocks) else None
        # A longer block is no heading, unless it is a question.
        short = block.count("\n") < _FEW_LINES
        follower = self._text[slice(*following)] if short and following is not None else ""
        if short and (pair := section_and_part(block, follower)) is not None:
            middle = start + block.index("\n")
            ranges = ((start, middle), (middle + 1, end))
            return [
                Heading(*where, self._below(depth), one_line(self._text[slice(*where)]))
                for where, depth in zip(ranges, pair, strict=True)
            ]
        if at in self._lettered:
            return [Heading(start, end, self._rank("lettered"), one_line(block))]
        depth = heading_depth(block, follower) if short else 0
        if not depth and (at in self._hanging or at in self._questions):
            depth = self._hanging.get(at, 1)
        if depth or (at and is_centred_heading(self._text, (start, end), following)):
            return [Heading(start, end, self._below(depth or 1), one_line(block).rstrip(_ANCHORS))]
        return [Heading(start, end, self._below(held=True), one_line(block))] if at in self._lone else []
