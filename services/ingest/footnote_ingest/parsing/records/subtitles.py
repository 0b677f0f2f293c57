"""Subtitles: what is said, with the time at which it is said as the heading.

SubRip (.srt) and WebVTT (https://www.w3.org/TR/webvtt1/) are read alike.
"""

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

from footnote_ingest.parsing.elements import Extracted, one_line
from footnote_ingest.parsing.encodings import decode
from footnote_ingest.parsing.parser_input import ParserInput

PASSAGE_CHARS = 600
"""Cues are joined to a passage until it has this many characters."""

_TIMES = re.compile(
    r"\s{0,9}((?:\d{1,3}:)?\d{1,2}:\d{2})[.,]\d{1,3}\s{1,9}-->\s{1,9}((?:\d{1,3}:)?\d{1,2}:\d{2})[.,]"
)
_VOICE = re.compile(r"<v(?:\.[\w.]{1,40})?\s([^<>]{1,80})>")
_TAG = re.compile(r"</?[^<>]{1,200}>|\{\\[^{}]{1,80}\}")


class _Cue(NamedTuple):
    start: str
    end: str
    words: str


def parse(given: ParserInput) -> Extracted:
    """A passage is a run of cues. A file without any cue is one paragraph."""
    decoded = decode(given.data, given.sniffed.encoding)
    to = given.assembler()
    if decoded.warning:
        to.warnings.append(decoded.warning)
    held: list[_Cue] = []

    def flush() -> None:
        if held:
            to.enter([f"{held[0].start} – {held[-1].end}"])
            to.add("transcript", "\n".join(cue.words for cue in held))
            held.clear()

    for cue in _cues(decoded.text):
        if held and sum(len(one.words) for one in held) + len(cue.words) > PASSAGE_CHARS:
            flush()
        # Captions of live speech repeat the line before.
        if cue.words and not (held and held[-1].words == cue.words):
            held.append(cue)
    flush()
    if to.empty:
        to.warnings.append("No times were found in the subtitles.")
        to.add("paragraph", decoded.text)
    return to.finish(metadata={"encoding": decoded.encoding})


def _cues(text: str) -> Iterator[_Cue]:
    """The cues in order. A cue ends at a blank line, and so do the notes and styles that are left out."""
    times: tuple[str, str] | None = None
    words: list[str] = []
    for line in [*text.split("\n"), ""]:
        found = _TIMES.match(line)
        if found is not None or not line.strip():
            if times is not None:
                yield _Cue(*times, _shown(" ".join(words)))
            words = []
            times = (_long(found[1]), _long(found[2])) if found is not None else None
        elif times is not None:
            words.append(line)


def _long(time: str) -> str:
    """A time with hours."""
    return time if time.count(":") == 2 else f"00:{time}"


def _shown(words: str) -> str:
    return one_line(html.unescape(_TAG.sub("", _VOICE.sub(r"\1: ", words))))
