"""What of an answer rests on each of its numbers: sentences, cells, and what a lead-in leads to. Pure.

"The ropes are [1]:" cites for the list, the rows or the code behind it. By its own words it would be found in
any sentence that speaks of ropes. So a number in the last row of a table stands for the rows above it.
"""

import re
from collections.abc import Sequence

from footnote_resolver.sentences.judged_parts import JudgedPart, judged_parts

_COLON = (":", "：")
_FENCES = ("```", "~~~")
_ITEM = re.compile(r"(?:[-*•+]|\d{1,3}[.)])(?:\s|\Z)")


def claims_by_number(text: str) -> dict[int, list[str]]:
    """The sentences, cells, items and code of a text that rest on each number, as they are compared."""
    found: dict[int, list[str]] = {}
    parts = judged_parts(text)
    rows: list[JudgedPart] = []
    for at, part in enumerate(parts):
        numbers = part.sentence.citations
        if not part.in_table:
            rows.clear()
        if not numbers:
            if part.in_table:
                rows.append(part)
            continue
        held = [wording for row in (*rows, part) for wording in row.wordings]
        if not part.in_table and held[0][0].endswith(_COLON):
            held = [(words, numbers) for words in _led(text, parts, at)] or held
        for words, cited in held:
            for n in cited or numbers:
                found.setdefault(n, []).append(words)
        rows.clear()
    return found


def _led(text: str, parts: Sequence[JudgedPart], at: int) -> list[str]:
    """What the part leads to: the items or the rows right behind it without a number, or else the code."""
    end = parts[at].sentence.end
    led: list[str] = []
    for number in range(at + 1, len(parts)):
        part = parts[number]
        gap = text[end : part.sentence.start]
        goes_on = number > at + 1 and "\n\n" not in gap
        belongs = part.in_table or goes_on or _ITEM.match(part.sentence.text)
        if part.sentence.citations or not belongs or (gap.strip() and not part.in_table):
            break
        # The number of an item is a sentence of its own, and says nothing.
        led += [words for words, _ in part.wordings if any(map(str.isalpha, words))]
        end = part.sentence.end
    if led:
        return led
    behind = parts[at + 1].sentence.start if at + 1 < len(parts) else len(text)
    return _code(text[end:behind])


def _code(text: str) -> list[str]:
    """The code that a text opens with, as one claim; none where it opens with no fence."""
    first, *lines = text.strip().split("\n")
    if not first.startswith(_FENCES):
        return []
    behind = next((n for n, line in enumerate(lines) if line.lstrip().startswith(first[:3])), len(lines))
    return [" ".join(lines[:behind])] if any(line.strip() for line in lines[:behind]) else []
