"""Subtitles: what is said, with the time at which it is said as the heading.

SubRip (.srt) and WebVTT (https://www.w3.org/TR/webvtt1/) are read alike. SubStation Alpha (.ass, .ssa)
is a table of events, of which only those that are spoken are read.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from footnote_ingest.parsing.character_references import without_references
from footnote_ingest.parsing.elements import Extracted, one_line
from footnote_ingest.parsing.encodings import decode
from footnote_ingest.parsing.formats import SRT, SSA
from footnote_ingest.parsing.parser_input import ParserInput

PASSAGE_CHARS = 600
"""Cues are joined to a passage until it has this many characters."""

_TIMES = re.compile(
    r"\s{0,9}((?:\d{1,3}:)?\d{1,2}:\d{2})(?:[.,:]\d{1,3})?\s{0,9}-{1,2}>\s{0,9}"
    r"((?:\d{1,3}:)?\d{1,2}:\d{2})(?!\d)(?!:\d{1,2}(?!\d))"
    r"|(\d{1,3}:\d{2}:\d{2})\.\d{3},(\d{1,3}:\d{2}:\d{2})\.\d{3}\s{0,9}$"
)
"""Players read times without a fraction of a second, too, and without room around the arrow.

The second form is that of YouTube (.sbv).
"""

_WEBVTT = re.compile(r"WEBVTT(?:[ \t][^\n]{0,400})?\r?\n")
_FIRST_CUE = re.compile(
    r"(?:\d{1,6}[ \t]{0,9}\r?\n)?\d{1,3}:\d{2}:\d{2}(?:[.,:]\d{1,3}[ \t]{0,9}-->[ \t]{0,9}|\.\d{3},)"
    r"\d{1,3}:\d{2}:\d{2}"
)
_VOICE = re.compile(r"<v(?:\.[\w.]{1,40})?\s([^<>]{1,80})>")
_EVENT_FIELDS = "layer, start, end, style, name, marginl, marginr, marginv, effect, text"
"""The columns of the events where the file does not name them: those of version 4.00+."""

_EVENT_TIME = re.compile(r"\d{1,3}:\d{2}:\d{2}(?=[.:,]\d{1,3}$)")
_DRAWING = re.compile(r"\\p([0-9])")
_LINE_BREAK = re.compile(r"\\[Nnh]")
_OVERRIDES = re.compile(r"\{([^{}]{0,1000})\}")
_TAG = re.compile(r"</?[^<>]{1,200}>|\{\\[^{}]{1,80}\}")


class _Cue(NamedTuple):
    start: str
    end: str
    words: str


def subtitles_of(head: str) -> str | None:
    """The media type of subtitles that nothing but their first lines tells; None for other text."""
    if _WEBVTT.match(head) is not None and "-->" in head:
        return "text/vtt"
    return SRT if _FIRST_CUE.match(head) is not None else None


def parse(given: ParserInput) -> Extracted:
    """A passage is a run of cues. A file without any cue is one paragraph."""
    decoded = decode(given.data, given.sniffed.encoding)
    # The size is checked as for a text that stays as it is.
    given.assembler(decoded.text)
    to = given.assembler()
    if decoded.warning:
        to.warnings.append(decoded.warning)
    held: list[_Cue] = []

    def flush() -> None:
        if held:
            to.enter([f"{held[0].start} – {held[-1].end}"])
            to.add("transcript", "\n".join(cue.words for cue in held))
            held.clear()

    for cue in _events(decoded.text) if given.sniffed.mime == SSA else _cues(decoded.text):
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
                if found is not None and words and words[-1].strip().isdigit():
                    # The number of the next cue, where no blank line parts them.
                    words.pop()
                yield _Cue(*times, _shown(" ".join(words)))
            words = []
            times = (_long(found[1] or found[3]), _long(found[2] or found[4])) if found is not None else None
        elif times is not None:
            words.append(line)


def _events(text: str) -> list[_Cue]:
    """What is spoken in SubStation Alpha, in the order of time. Comments and drawings are no speech."""
    fields = [name.strip() for name in _EVENT_FIELDS.split(",")]
    cues: list[_Cue] = []
    of_events = False
    for line in text.split("\n"):
        line = line.strip()
        name, _, value = line.partition(":")
        if line.startswith("["):
            of_events = line.lower() == "[events]"
        elif of_events and name.lower() == "format":
            fields = [one.strip().lower() for one in value.split(",")]
        elif of_events and name.lower() == "dialogue":
            said = dict(zip(fields, value.split(",", len(fields) - 1), strict=False))
            start, end = (_EVENT_TIME.match(said.get(time, "").strip()) for time in ("start", "end"))
            if start is None or end is None:
                continue
            words = _spoken(said.get("text", ""))
            speaker = one_line(said.get("name", said.get("actor", "")))
            words = f"{speaker}: {words}" if speaker and words else words
            cues.append(_Cue(_two_digits(start[0]), _two_digits(end[0]), words))
    return sorted(cues, key=lambda cue: _seconds(cue.start))


def _spoken(text: str) -> str:
    """The words of an event, without what is drawn and how it is to look."""
    pieces: list[str] = []
    at, drawn = 0, False
    for override in _OVERRIDES.finditer(text):
        pieces += [] if drawn else [text[at : override.start()]]
        at = override.end()
        for switch in _DRAWING.finditer(override[1]):
            drawn = switch[1] != "0"
    pieces += [] if drawn else [text[at:]]
    return one_line(_LINE_BREAK.sub(" ", "".join(pieces)))


def _two_digits(time: str) -> str:
    """A time whose hours have two digits, as in the other formats."""
    return time if time.index(":") > 1 else f"0{time}"


def _seconds(time: str) -> int:
    hours, minutes, seconds = map(int, time.split(":"))
    return hours * 3600 + minutes * 60 + seconds


def _long(time: str) -> str:
    """A time with hours, which have two digits at least."""
    return _two_digits(time) if time.count(":") == 2 else f"00:{time}"


def _shown(words: str) -> str:
    return one_line(without_references(_TAG.sub("", _VOICE.sub(r"\1: ", words))))
