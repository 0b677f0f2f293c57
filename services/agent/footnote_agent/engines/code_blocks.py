"""The code of a passage: in its fences, behind what leads to it, or told by its form. Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace

from footnote_agent.engines.block import Block, Part
from footnote_agent.engines.code_lines import (
    MAX_LED_CHARS,
    MOST_LED,
    is_code,
    is_command,
    is_pattern,
    is_typed_by_root,
    may_be_code,
)
from footnote_agent.engines.data_records import records_in
from footnote_agent.engines.fitting_sentences import can_be_quoted
from footnote_agent.engines.leads import SENTENCE_END, PassageLine, is_below_heading, lead_above
from footnote_agent.engines.prose import underlines

_DATA = frozenset({"json", "jsonc", "json5"})
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([\w+#.-]*)")
"""A fence may stand as far in as the item of a list that it belongs to."""


def whole_code(lines: Sequence[PassageLine], language: str | None) -> list[Block]:
    """A chunk of code, with the fences that Markdown puts around it or without."""
    full = [number for number, line in enumerate(lines) if not line.is_blank]
    if not full:
        return []
    first, last = full[0], full[-1]
    fence = _FENCE.match(lines[first].text)
    if fence:
        closed = last > first and _closes(lines[last].text, fence[1])
        inner = lines[first + 1 : last if closed else last + 1]
        return [_code(lines, first, last + 1, inner, fence[2] or language or "")]
    return [_code(lines, first, last + 1, lines[first : last + 1], language or "")]


def _code(
    lines: Sequence[PassageLine], at: int, behind: int, inner: Sequence[PassageLine], language: str
) -> Block:
    if language in _DATA:
        ranges = records_in([line.text for line in inner])
    else:
        ranges = iter([(0, len(inner))] if any(not line.is_blank for line in inner) else [])
    parts = tuple(
        Part("\n".join(line.text for line in inner[first:behind]), inner[first].start)
        for first, behind in ranges
    )
    return Block(
        "code", lines[at].start, lines[behind - 1].end, lead_above(lines, at), parts, language=language
    )


def opens_fence(line: str) -> bool:
    """Whether a line is a fence that code may stand behind."""
    return _FENCE.match(line) is not None


def fenced_code(lines: Sequence[PassageLine], at: int, language: str | None) -> tuple[Block | None, int]:
    """The code in the fence that opens at this line, if it does, and the number of the line behind it."""
    fence = _FENCE.match(lines[at].text)
    if fence is None:
        return None, at + 1
    behind = _end_of_fence(lines, at, fence[1])
    closed = behind > at + 1 and _closes(lines[behind - 1].text, fence[1])
    inner = lines[at + 1 : behind - 1 if closed else behind]
    return _code(lines, at, behind, inner, fence[2] or language or ""), behind


def _end_of_fence(lines: Sequence[PassageLine], at: int, fence: str) -> int:
    for number in range(at + 1, len(lines)):
        if _closes(lines[number].text, fence):
            return number + 1
    return len(lines)


def _closes(line: str, fence: str) -> bool:
    mark = _FENCE.match(line)
    return mark is not None and mark[1].startswith(fence) and not line[mark.end(1) :].strip()


def led_code(lines: Sequence[PassageLine], at: int) -> tuple[Block | None, int]:
    """What stands behind a sentence with a colon as a paragraph of its own and is no prose: a command."""
    behind = at
    while behind < min(len(lines), at + MOST_LED + 1) and not lines[behind].is_blank:
        behind += 1
    led = lines[at:behind]
    drawn = at > 1 and underlines(lines[at - 1].text, lines[at - 2].text)
    opens = at == 0 or lines[at - 1].is_blank or drawn
    if not 0 < len(led) <= MOST_LED or not opens or not (lead_above(lines, at) or _all_indented(led)):
        return None, at + 1
    said = [line for line in led if not line.text.lstrip().startswith("#")]
    if not said or not all(_may_be_led(line.text.strip()) for line in said):
        return None, at + 1
    return _code(lines, at, behind, led, ""), behind


def _may_be_led(line: str) -> bool:
    return len(line) <= MAX_LED_CHARS and (is_command(line) or is_pattern(line))


def bare_code(
    lines: Sequence[PassageLine], at: int, language: str | None, *, is_known: bool
) -> tuple[Block | None, int]:
    """A paragraph that is code, without a mark of it.

    Where it is known that there is some (`is_known`), none of its lines is a sentence, or it stands within
    one; else most of them have the form of code.
    """
    first = at - 1 if is_below_heading(lines, at) else at
    if (first > 0 and not lines[first - 1].is_blank) or is_below_heading(lines, at + 1):
        return None, at + 1
    behind = at
    while behind < len(lines) and not lines[behind].is_blank:
        behind += 1
    full = lines[at:behind]
    if not full:
        return None, at + 1
    of_code = is_known and (
        all(may_be_code(line.text.strip()) for line in full) or _is_within_sentence(lines, at, behind)
    )
    typed = len(full) == 1 and is_typed_by_root(full[0].text) and _breaks_off(lines, at)
    typed = typed and not _above_text(lines, at).startswith("#")
    if of_code or typed or is_code([line.text for line in full]):
        block = _code(lines, at, behind, full, language or "")
        return block if block.lead else replace(block, lead=_broken_off_above(lines, at)), behind
    return None, at + 1


def _is_within_sentence(lines: Sequence[PassageLine], at: int, behind: int) -> bool:
    """Whether the words before a short paragraph go on behind it: "Put there the line", "and it is used"."""
    short = behind - at <= MOST_LED and all(len(line.text) <= MAX_LED_CHARS for line in lines[at:behind])
    below = behind
    while below < len(lines) and lines[below].is_blank:
        below += 1
    if not short or below == len(lines) or lines[behind - 1].text.rstrip().endswith((":", "：")):
        return False
    return _breaks_off(lines, at) and lines[below].text.lstrip()[0].islower()


def _broken_off_above(lines: Sequence[PassageLine], at: int) -> str:
    """The end of the paragraph above, where it breaks off within a sentence; empty where it does not."""
    if not _breaks_off(lines, at):
        return ""
    behind = at
    while lines[behind - 1].is_blank:
        behind -= 1
    first = behind - 1
    while first > 0 and behind - first < MOST_LED and not lines[first - 1].is_blank:
        first -= 1
    said = " ".join(line.text.strip() for line in lines[first:behind])
    ends = [mark.end() for mark in SENTENCE_END.finditer(said)]
    left = said[ends[-1] :].strip() if ends else said if first == 0 or lines[first - 1].is_blank else ""
    # What can be quoted by itself needs not be said once more above its code.
    return left if len(left) <= MAX_LED_CHARS and not can_be_quoted(left) else ""


def _above_text(lines: Sequence[PassageLine], at: int) -> str:
    """The nearest line above that is not blank; empty where there is none."""
    above = at - 1
    while above >= 0 and lines[above].is_blank:
        above -= 1
    return lines[above].text.strip() if above >= 0 else ""


def _breaks_off(lines: Sequence[PassageLine], at: int) -> bool:
    """Whether the paragraph above ends within a sentence: "This is done by the command"."""
    above = at - 1
    while above >= 0 and lines[above].is_blank:
        above -= 1
    return above >= 0 and lines[above].text.rstrip()[-1].islower()


def _all_indented(lines: Sequence[PassageLine]) -> bool:
    return all(line.text.startswith(("  ", "\t")) for line in lines)
