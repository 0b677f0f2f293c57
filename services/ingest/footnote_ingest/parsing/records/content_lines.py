"""Calendars (RFC 5545) and address cards (RFC 6350): an event or a person is a section."""

import quopri
import re
from collections.abc import Iterator
from typing import NamedTuple

from footnote_ingest.parsing.assembler import Assembler
from footnote_ingest.parsing.elements import Extracted, one_line
from footnote_ingest.parsing.encodings import decode
from footnote_ingest.parsing.parser_input import ParserInput

_LINE = re.compile(
    r'(?:[\w-]{1,60}\.)?([\w-]{1,60})((?:;[\w-]{1,60}(?:=(?:"[^"\n]*+"|[^";:,\n]|,)*+)?+)*+):(.*)', re.S
)
# Version 2.1 of cards writes `TEL;HOME:` for `TEL;TYPE=home:`.
_PARAMETER = re.compile(r';(?:(?:type|tzid|cn)="?|(?=[\w-]+(?:;|$)))([^";]{1,100})', re.I)
_QUOTED_PRINTABLE = re.compile(r";(?:ENCODING=)?QUOTED-PRINTABLE(?=;|$)", re.I)
_CHARSET = re.compile(r";CHARSET=([\w-]{1,40})", re.I)
_ESCAPED = re.compile(r"\\([nN,;\\:])")
_DATE = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?")
_SECTIONS = frozenset({"VEVENT", "VTODO", "VJOURNAL", "VCARD"})
_NAMES = ("SUMMARY", "FN", "N", "NICKNAME", "ORG")
_LEFT_OUT = frozenset(
    {
        "UID",
        "DTSTAMP",
        "SEQUENCE",
        "CREATED",
        "LAST-MODIFIED",
        "VERSION",
        "PRODID",
        "REV",
        "METHOD",
        "CALSCALE",
    }
    | {"PHOTO", "LOGO", "SOUND", "KEY", "TRANSP", "BEGIN", "END", "CLASS"}
)
_WORDS = {
    "DTSTART": "Start",
    "DTEND": "End",
    "DUE": "Due",
    "TEL": "Phone",
    "ADR": "Address",
    "ORG": "Organisation",
    "BDAY": "Birthday",
    "N": "Name",
    "RRULE": "Repeats",
}
_DATES = frozenset({"DTSTART", "DTEND", "DUE", "BDAY", "EXDATE", "RECURRENCE-ID", "COMPLETED"})


_LABEL = re.compile(r'LABEL="?([^";]{1,200})', re.I)
"""What a conference or an address is called (RFC 7986, section 6.3)."""


class _Line(NamedTuple):
    name: str
    parameters: str
    value: str


def parse(given: ParserInput) -> Extracted:
    """Pictures, keys and numbers for programs are left out. What is in no section is read as well."""
    decoded = decode(given.data, given.sniffed.encoding)
    to = given.assembler()
    if decoded.warning:
        to.warnings.append(decoded.warning)
    title: str | None = None
    held: list[_Line] = []
    left_out = 0
    for line in _lines(decoded.text):
        kind = line.value.strip().upper()
        if line.name in ("BEGIN", "END") and kind in _SECTIONS:
            _add_section(to, held)
            held = []
        elif line.name == "BEGIN" and kind in ("VTIMEZONE", "VALARM"):
            left_out += 1
        elif line.name == "END" and kind in ("VTIMEZONE", "VALARM"):
            left_out = max(0, left_out - 1)
        elif line.name == "X-WR-CALNAME" and not left_out:
            title = _said(line.value)
        elif line.name == "X-WR-CALDESC" and not left_out:
            to.check_size(len(line.value))
            held.append(_Line("DESCRIPTION", "", line.value))
        elif not left_out and line.name not in _LEFT_OUT and not line.name.startswith("X-"):
            # Taking words apart costs many times their size.
            to.check_size(len(line.value))
            held.append(line)
    _add_section(to, held)
    if to.empty:
        to.warnings.append("The file has no entries and was taken as text.")
        to.add("paragraph", decoded.text)
    return to.finish(title=title, metadata={"encoding": decoded.encoding})


def _lines(text: str) -> Iterator[_Line]:
    """The lines. One that begins with white space continues the one before it.

    So does, in version 2.1, what stands behind a quoted-printable line with `=` at its end.
    """
    pieces: list[str] = []
    quoted = goes_on = False
    for line in [*text.split("\n"), "", "END:"]:
        if goes_on or line.startswith((" ", "\t")):
            pieces.append(line if goes_on else line[1:])
        else:
            found = _LINE.fullmatch("".join(pieces))
            if found is not None:
                yield _line_of(found[1].upper(), found[2], found[3])
            pieces = [line]
            quoted = _QUOTED_PRINTABLE.search(line.partition(":")[0]) is not None
        goes_on = quoted and pieces[-1].endswith("=")
        if goes_on:
            pieces[-1] = pieces[-1][:-1]


def _line_of(name: str, parameters: str, value: str) -> _Line:
    if _QUOTED_PRINTABLE.search(parameters) is None:
        return _Line(name, parameters, value)
    charset = _CHARSET.search(parameters)
    written = quopri.decodestring(value.encode())
    try:
        said = written.decode(charset[1] if charset is not None else "utf-8", "replace")
    except (LookupError, UnicodeError):
        # No encoding has that name, or it is none of text.
        said = written.decode("utf-8", "replace")
    return _Line(name, _QUOTED_PRINTABLE.sub("", parameters), said)


def _add_section(to: Assembler, lines: list[_Line]) -> None:
    named = {line.name: _said(line.value) for line in reversed(lines)}
    name = next((named[key] for key in _NAMES if named.get(key)), "")
    to.leave_headings()
    to.add("title", name, level=1)
    facts: list[str] = []
    prose: list[str] = []
    for line in lines:
        said = _date(line.value) if line.name in _DATES else _said(line.value)
        if not said or said == name:
            continue
        if line.name in ("DESCRIPTION", "NOTE", "COMMENT"):
            prose.append(said)
            continue
        # Programs write the lines of an address that nobody filled in: `, ` alone, and empty ones.
        said = "\n".join(one for one in said.split("\n") if any(map(str.isalnum, one)))
        if not said:
            continue
        told = ", ".join(_PARAMETER.findall(line.parameters)).lower() if line.name != "ATTENDEE" else ""
        label = _LABEL.search(line.parameters)
        told = _said(label[1]) if label is not None else told
        people = _PARAMETER.findall(line.parameters) if line.name in ("ATTENDEE", "ORGANIZER") else []
        word = _WORDS.get(line.name, line.name.capitalize())
        address = said.removeprefix("mailto:")
        shown = f"{people[0]} <{address}>" if people else address
        facts.append(f"{word} ({told}): {shown}" if told and not people else f"{word}: {shown}")
    to.add("paragraph", "\n".join(facts))
    for text in prose:
        to.add("paragraph", text)


def _said(value: str) -> str:
    """A value as a person reads it, with commas between its parts and real line breaks."""
    parts = re.split(r"(?<!\\);", value)
    words = ", ".join(filter(None, (part.strip() for part in parts))) if len(parts) > 1 else value
    lines = _ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], words).split("\n")
    return "\n".join(one_line(line) for line in lines).strip()


def _date(value: str) -> str:
    """`20261102T100000Z` as `2026-11-02 10:00 UTC`."""
    found = _DATE.match(value.strip())
    if found is None:
        return _said(value)
    day = f"{found[1]}-{found[2]}-{found[3]}"
    return f"{day} {found[4]}:{found[5]}{' UTC' if found[6] else ''}" if found[4] else day
