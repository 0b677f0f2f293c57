"""Text whose lines begin with their time: logs, and transcripts of meetings and chats.

A passage is a run of lines, word for word, and its heading is the time from its first line to its last. A
line without a time, such as one of a stack trace, belongs to the line before.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from footnote_ingest.parsing.elements import Kind

PASSAGE_CHARS = 1_000
"""Lines are joined to a passage until it has this many characters."""

_LOOKED_AT = 400
"""Whether a text has times is told by this many of its lines."""

_LEAST_LINES = 5
_LEAST_SHARE = 1 / 3
"""A text has times if at least five lines begin with one, and a third of all."""

_TEXT_CHARS, _LEAST_TEXT, _SAYS = 100_000, 80, 3
_SENTENCE = re.compile(r"[a-z]{2}[.!?:](?:\s|$)")
"""A text that shows lines with times has so many paragraphs around them, within its first characters."""

_LINE_CHARS = 400
"""The time of a line is within so many characters."""

_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_DATED = re.compile(
    r"(?:<\d{1,3}>)?[\[(]?("
    r"\d{4}[-/.]\d{2}[-/.]\d{2}[T ,]{1,2}\d{1,2}:\d{2}(?::\d{2})?"
    rf"|(?:[A-Z][a-z]{{2}} )?{_MONTH} [ \d]?\d \d{{2}}:\d{{2}}:\d{{2}}(?: \d{{4}})?"
    rf"|\d{{1,2}} {_MONTH} (?:\d{{4}} )?\d{{2}}:\d{{2}}(?::\d{{2}})?"
    r"|\d{1,2}[./]\d{1,2}[./]\d{2,4},? \d{1,2}:\d{2}(?::\d{2})?(?: ?[AP]M)?"
    r")"
)
_OF_A_WEB_SERVER = re.compile(
    rf"\S{{1,100}} \S{{1,100}} \S{{1,100}} \[(\d{{2}}/{_MONTH}/\d{{4}}:\d{{2}}:\d{{2}}:\d{{2}})"
)
_TIMED = re.compile(r"[\[(]?(\d{1,2}:[0-5]\d:[0-5]\d|(?:[01]\d|2[0-3]):[0-5]\d)(?:[.,]\d{1,3})?(?=[\])\s-])")

_OF_IRC = re.compile(
    r"(?:[.,]\d{1,6})?(?:Z|[+-]\d{2}:?\d{2})?[\])]?:?\s{1,4}"
    r"(?:(<[ @+%&~]?[^<>\s]{1,160}>)(?:\s|$)|\*{1,3} ?\w|-[\w-]{1,40}-(?:\s|$))"
)
"""What follows the time of a line of IRC: `<name>` or `<name!user@host>` says it, `* name` does it,
`*** name` comes or goes.
"""

_LEAST_SAID = 1 / 4
"""The share of such lines that somebody said, at least: there are logs with stars."""

_MESSENGER = re.compile(r"\d{1,2}[./][^\n\]-]{1,30}(?:\]| -) (?=[^:\n]{0,40}[a-z])[^:\n]{1,60}: ")
"""A line as messengers export it: `22.11.26, 10:15 - Ann: ` and `[22.11.26, 10:15:07] Ann: `.

A word in capitals is the level of a log.
"""


class TimedPassage(NamedTuple):
    """A range of the text, and the times of its first and its last line."""

    start: int
    end: int
    first: str
    last: str

    @property
    def heading(self) -> str:
        """The time of the passage; one moment is named once."""
        return self.first if self.first == self.last else f"{self.first} – {self.last}"


def timed_kind(text: str, ending: str) -> Kind | None:
    """`code` for a log, `transcript` for what people said; None for a text whose lines have no times.

    A log of changes, and a text that shows lines with times, have none. A log keeps its lines as code does.
    Its lines have a date, or its name ends in `log`. What half of its lines call by the name of somebody who
    said it is a transcript all the same.
    """
    all_lines = text[: _LOOKED_AT * 200].split("\n")[:_LOOKED_AT]
    lines = [line for line in all_lines if line.strip()]
    dated = sum(_date(line) is not None for line in lines)
    timed = dated + sum(_TIMED.match(line) is not None for line in lines)
    if timed < max(_LEAST_LINES, _LEAST_SHARE * len(lines)):
        return None
    if _head_entries(all_lines) * 2 >= timed or _is_shown(text):
        return None
    of_irc = [found for line in lines if (found := _irc(line)) is not None]
    said = sum(found[1] is not None for found in of_irc)
    if len(of_irc) * 2 >= timed and said >= _LEAST_SAID * timed:
        return "transcript"
    exported = sum(_MESSENGER.match(line.removeprefix("[")) is not None for line in lines)
    # A file called `log` is no export of a messenger.
    if ending != "log" and exported * 2 >= timed:
        return "transcript"
    return "code" if dated * 2 >= timed or ending == "log" else "transcript"


def _head_entries(lines: Sequence[str]) -> int:
    """How many lines with a date stand alone above what was done then, as in a log of changes."""
    padded = ["", *(line.strip() for line in lines), "", ""]
    return sum(
        not above and not below and after != "" and _date(after) is None and _date(line) is not None
        for above, line, below, after in zip(padded, padded[1:], padded[2:], padded[3:], strict=False)
    )


def _is_shown(text: str) -> bool:
    """Whether lines with times are shown by a text: paragraphs stand above the first and below the last."""
    first, last = _timed_range(text[:_TEXT_CHARS])
    above, below = _paragraphs(text[:first]), _paragraphs(text[last:_TEXT_CHARS])
    return above > 0 and below > 0 and above + below >= _SAYS


def _paragraphs(text: str) -> int:
    blocks = text.split("\n\n")
    return sum(len(block) >= _LEAST_TEXT and _SENTENCE.search(block) is not None for block in blocks)


def _timed_range(text: str) -> tuple[int, int]:
    """Where the first line with a time begins and the last one ends."""
    begin, first, last = 0, len(text), len(text)
    for line in text.split("\n"):
        if _time(line[:_LINE_CHARS]) is not None:
            first, last = min(first, begin), begin + len(line)
        begin += len(line) + 1
    return first, last


def _irc(line: str) -> re.Match[str] | None:
    found = _DATED.match(line) or _TIMED.match(line)
    return None if found is None else _OF_IRC.match(line, found.end())


def timed_passages(text: str) -> Iterator[TimedPassage]:
    """The whole text in passages. Lines before the first time stand with the lines behind them."""
    start = at = 0
    first = last = ""
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        time = _time(text[at : min(end, at + _LINE_CHARS)])
        if time is not None:
            if first and end - start > PASSAGE_CHARS:
                yield TimedPassage(start, at, first, last)
                start, first = at, ""
            first, last = first or time, time
        at = end
    if first:
        yield TimedPassage(start, len(text), first, last)


def _date(line: str) -> str | None:
    found = _DATED.match(line) or _OF_A_WEB_SERVER.match(line)
    return None if found is None else found[1]


def _time(line: str) -> str | None:
    timed = _TIMED.match(line)
    return _date(line) or (None if timed is None else timed[1])
