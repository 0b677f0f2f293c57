"""Headings of a plain text that only show when all of its blocks are looked at together."""

import re
from collections import Counter
from collections.abc import Container, Mapping, Sequence

from footnote_ingest.parsing.text_heads import LEAST_ALIKE

_NAMED = re.compile(r"[^\W\d_][^:.;!?\n]{0,39}:")
_OF_A_PAGE = re.compile(r"[a-z][\w.+-]{0,30}\(\d\w?\)(?:(?:,| and|, and) [a-z][\w.+-]{0,30}\(\d\w?\)){0,4}:")
_NAMED_WORDS = 4
"""The name of a section in front of a colon, such as "What:", has at most this many words."""

_SAYS = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|can|should|must|may|we|you|i|it|this|these|there|following"
    r"|see|use|run|type|try|please)\b",
    re.I,
)
"""What a sentence has that leads to what follows it, and a name has not."""

_REMARK = re.compile(
    r"(?:note|warning|important|caution|attention|hint|tip|example|n\.?b\.?|p\.?s\.?):", re.I
)
_ASKS = re.compile(r"(?:what|who|where|when|why|how)\b", re.I)
_COUNTED_QUESTION = re.compile(r"(\d{1,3})[.)]\s")
_QUESTION_CHARS, _QUESTION_LINES = 240, 3
"""A question that goes over several lines is a heading up to this length."""

_ASKED = re.compile(r"(?:(?:\d{1,3}[.)]\s?)?Q(?:uestion)?\s?(?:\d{1,3}(?:\.\d{1,3})?)?[.:)])\s+\S", re.I)
_ANSWERED = re.compile(
    r"[ \t]{0,8}(?:(?:\d{1,3}[.)]\s?)?A(?:nswer)?\s?(?:\d{1,3}(?:\.\d{1,3})?)?[.:)])(?=\s)", re.I
)
_SUBJECT = re.compile(r"Subject:[ \t]+([^\n]{2,200})")
_DASHES = re.compile(r"-{20,80}")
"""How a question and its answer begin in a list of them, and a part of a digest, between lines of dashes."""


def is_question(block: str) -> bool:
    """Whether a block is one question, which may go over a few lines."""
    return block.endswith("?") and len(block) <= _QUESTION_CHARS and block.count("\n") < _QUESTION_LINES


def section_names(
    text: str, blocks: Sequence[tuple[int, int]], parted: Container[int] = ()
) -> dict[int, int]:
    """For the place of each block that begins with the name of a section, how long that name is.

    It is a line at the edge that ends with a colon, as `What:`, with text or a blank line below it. A line
    that comes again is none, unless one of the blocks that are `parted` by headings stands between; and one
    of a few is none.
    """
    found: dict[int, int] = {}
    for at, (start, end) in enumerate(blocks):
        line, _, below = text[start:end].partition("\n")
        name = line.rstrip()
        if (
            (below or at + 1 < len(blocks))
            and (start == 0 or text[start - 1] == "\n")
            and at not in parted
            and (
                _OF_A_PAGE.fullmatch(name)
                or (
                    name[:1].isupper()
                    and _NAMED.fullmatch(name)
                    and len(name.split()) <= _NAMED_WORDS
                    and _REMARK.fullmatch(name) is None
                    and (_ASKS.match(name) or not _SAYS.search(name))
                )
            )
        ):
            found[at] = len(name)
    again = _that_come_again(text, blocks, found, parted)
    once = {at: size for at, size in found.items() if at not in again}
    return once if len(once) >= LEAST_ALIKE else {}


def _that_come_again(
    text: str, blocks: Sequence[tuple[int, int]], found: Mapping[int, int], parted: Container[int]
) -> set[int]:
    """The places of names that stand twice below one heading."""
    part = 0
    parts = []
    for at in range(len(blocks)):
        part += at in parted
        parts.append(part)
    named = {at: (parts[at], text[blocks[at][0] : blocks[at][0] + size]) for at, size in found.items()}
    seen = Counter(named.values())
    return {at for at, name in named.items() if seen[name] > 1}


def counted_questions(text: str, blocks: Sequence[tuple[int, int]]) -> frozenset[int]:
    """The places of blocks that are questions with numbers which rise, as in a list of frequent ones."""
    found: list[int] = []
    last = 0
    for at, (start, end) in enumerate(blocks[:-1]):
        number = _COUNTED_QUESTION.match(text, start, end)
        if number is not None and int(number[1]) > last and is_question(text[start:end].rstrip()):
            found.append(at)
            last = int(number[1])
    return frozenset(found if len(found) >= LEAST_ALIKE else ())


def questions_among(text: str, blocks: Sequence[tuple[int, int]], numbered: Container[int]) -> frozenset[int]:
    """The places of questions with a number whose neighbours in the same count are headings.

    `numbered` are the places of those. "1. What is a ship?" is a heading before "2. Building Ships".
    """
    counts: dict[int, int] = {}
    for at, (start, end) in enumerate(blocks[:-1]):
        if (number := _COUNTED_QUESTION.match(text, start, end)) is not None and "\n" not in text[start:end]:
            counts[at] = int(number[1])
    found: set[int] = set()
    places = list(counts)
    for index, at in enumerate(places):
        beside = [
            place for place in places[max(0, index - 1) : index + 2] if place in numbered or place in found
        ]
        if is_question(text[slice(*blocks[at])].rstrip()) and any(
            counts[place] - counts[at] == (1 if place > at else -1) for place in beside
        ):
            found.add(at)
    return frozenset(found)


def asked(text: str, block: tuple[int, int]) -> int:
    """How long the question is that a block begins with, as `Q: What is it?` above `A: ...`; 0 for none.

    A block of the question alone counts if it is one. The answer may begin in the block or behind it.
    """
    start, end = block
    if _ASKED.match(text, start, end) is None:
        return 0
    at = start
    for _ in range(_QUESTION_LINES):
        line_end = text.find("\n", at, end)
        if line_end < 0:
            return end - start if is_question(text[start:end].rstrip()) else 0
        if _ANSWERED.match(text, line_end + 1, end) is not None:
            return line_end - start
        at = line_end + 1
    return 0


def digest_subjects(text: str, blocks: Sequence[tuple[int, int]]) -> dict[int, str]:
    """The names of the parts of a digest, by the places of the blocks that say nothing else."""
    found = {
        at: told[1].strip()
        for at, (start, end) in enumerate(blocks[:-1])
        if at
        and _DASHES.fullmatch(text[slice(*blocks[at - 1])].strip())
        and (told := _SUBJECT.fullmatch(text[start:end].strip()))
    }
    return found if len(found) >= LEAST_ALIKE else {}
