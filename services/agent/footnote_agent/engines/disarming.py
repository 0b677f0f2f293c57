"""What a document says, written so that nothing of it reads as a number of ours, as code or as a link. Pure.

The number that we put behind it has to be read as one, while the answer streams and when it is whole.
"""

import re
from bisect import bisect
from collections.abc import Iterator

from footnote_agent.engines.prose import inert

_OPENERS, _CLOSERS = "[［【", "]］】"
_CITATION = re.compile("citation", re.IGNORECASE)
_TICKS = re.compile(r"`++")
_FENCE = re.compile(r"([-+*>#0-9.) \t]*+)(~{3,}+)")
"""A fence at the beginning, also within a list or a quotation. One of backticks has no pair, or is none."""
_FORMULA = re.compile(r"(?<!\\)(\\*+)(\${2,}+|[()\[\]]|(?:begin|end)\{[A-Za-z]{1,40}\*?\})")
_ENDS = {"\\(": "\\)", "\\[": "\\]", "$$": "$$"}


def disarm(sentence: str) -> str:
    """The sentence without what could be taken for ours: `[12]` becomes `⟦12⟧`.

    A lone backtick becomes a quote, since it would make code of the number. So would a formula or a fence
    that only begins: its mark is written as code. Nothing is left that a client would load or follow.
    """
    written = ""
    for piece in _without_openings(_without_numbers(sentence)):
        # Two runs of backticks may not become one.
        apart = " " if written.endswith("`") and piece.startswith("`") else ""
        written += apart + piece
    return inert(written)


def _without_numbers(sentence: str) -> str:
    """The sentence without brackets that hold a number or that word, whether or not they end."""
    harmful = sorted(
        [at for at, char in enumerate(sentence) if char.isnumeric()]
        + [found.start() for found in _CITATION.finditer(sentence)]
    )
    chars, end = list(sentence), len(sentence.rstrip())
    open_at: list[int] = []
    for at, char in enumerate(sentence):
        if char in _OPENERS:
            open_at.append(at)
        elif char in _CLOSERS and open_at:
            begun = open_at.pop()
            if bisect(harmful, begun) < bisect(harmful, at):
                chars[begun], chars[at] = "⟦", "⟧"
    for begun in open_at:
        # The number that follows would be taken for what an empty one holds.
        if bisect(harmful, begun) < len(harmful) or begun + 1 == end:
            chars[begun] = "⟦"
    return "".join(chars)


def _without_openings(sentence: str) -> Iterator[str]:
    """The sentence in pieces: code spans as they are, and what is between them."""
    runs = list(_TICKS.finditer(sentence))
    following: dict[int, list[int]] = {}
    for index in range(len(runs) - 1, -1, -1):
        following.setdefault(len(runs[index][0]), []).append(index)
    at = index = 0
    while index < len(runs):
        run = runs[index]
        later = following[len(run[0])]
        while later and later[-1] <= index:
            later.pop()
        yield _without_formulas(sentence[at : run.start()], begins=not at)
        if later and sentence[max(run.start() - 1, 0)] != "\\":
            index = later.pop()
            yield sentence[run.start() : runs[index].end()]
        else:
            yield "'" * len(run[0])
        at = runs[index].end()
        index += 1
    yield _without_formulas(sentence[at:], begins=not at)


def _without_formulas(text: str, *, begins: bool) -> str:
    """Text without code spans, in which each formula that begins also ends."""
    fence = _FENCE.match(text) if begins else None
    if fence is not None:
        return f"{fence[1]}`{fence[2]}`{_without_formulas(text[fence.end() :], begins=False)}"
    marks = list(_formula_marks(text))
    places: dict[str, list[int]] = {}
    for index in range(len(marks) - 1, -1, -1):
        places.setdefault(marks[index][0], []).append(index)
    written: list[str] = []
    at = index = 0
    while index < len(marks):
        mark, start = marks[index]
        end = _ENDS.get(mark) or mark.replace("\\begin", "\\end", 1)
        if end != mark or mark[0] == "$":
            later = places.get(end, [])
            while later and later[-1] <= index:
                later.pop()
            if later:
                index = later.pop()
            else:
                written.append(f"{text[at:start]}`{mark}`")
                at = start + len(mark)
        index += 1
    return "".join([*written, text[at:]])


def _formula_marks(text: str) -> Iterator[tuple[str, int]]:
    """What begins or ends a formula, each with its place: a backslash may be one that is itself escaped."""
    for found in _FORMULA.finditer(text):
        slashes, mark = found.groups()
        if mark[0] == "$" and len(slashes) % 2 == 0:
            yield mark, found.start(2)
        elif mark[0] != "$" and len(slashes) % 2 == 1:
            yield f"\\{mark}", found.start(2) - 1
