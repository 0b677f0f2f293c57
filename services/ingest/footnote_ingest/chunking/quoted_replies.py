"""What the sender of a message wrote, without the message that is quoted below it or in between."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from footnote_ingest.parsing.elements import Element

_WROTE = "wrote|writes|schrieb|écrit|escribió|scritto|schreef|escreveu|skrev|napisał|написал|пишет"
_ATTRIBUTION = re.compile(
    r"(?:on\b.{5,200}\bwrote|am\b.{5,200}\bschrieb\b.{0,100}|le\b.{5,200}\ba écrit|el\b.{5,200}\bescribió"
    r"|il\b.{5,200}\bha scritto|op\b.{5,200}\bschreef\b.{0,100}|em\b.{5,200}\bescreveu"
    r"|den\b.{5,200}\bskrev\b.{0,100}|.{5,200}\b(?:napisał|написал|пишет)\w{0,3}"
    r"|\d{4}[-/.]\d{1,2}[-/.]\d{1,2}.{0,150}(?:wrote)?)\s?:",
    re.I | re.S,
)
_WHO_WROTE = re.compile(r".{3,80}(?:wrote|writes)\s?:", re.I | re.S)
_SAYS_WROTE = re.compile(rf"\b(?:{_WROTE})", re.I)
_CUT_LINE = re.compile(
    r"-{2,}\s*(?:original message|ursprüngliche nachricht|message d'origine|mensaje original"
    r"|messaggio originale|oorspronkelijk bericht|mensagem original|ursprungligt meddelande)\s*-{2,}",
    re.I,
)
_RULE = re.compile(r"_{20,}")
"""Outlook draws such a line above the headers of a quoted message; in a newsletter it parts the news."""

_HEADER = re.compile(
    r"\*?(?:from|von|de|da|van|från|sent|gesendet|envoyé|enviado|inviato|verzonden|skickat|date|datum|data|fecha"
    r"|to|an|à|para|a|aan|till|cc|subject|betreff|objet|asunto|oggetto|onderwerp|assunto|ämne)\s?:\*?\s",
    re.I,
)
_ANY_HEADER = re.compile(r"[A-Za-z][A-Za-z-]{1,40}:\s")
_OF_MACHINES = re.compile(r"(?:message-id|received|return-path):\s", re.I)
"""Headers that no person quotes. A report on a failed delivery may list them above `From:`."""

_LOOKED_AHEAD = 6
"""Lines that are not blank: a ruled line, `From:` and the lines among which its other headers are."""

_FORWARD = re.compile(
    r"(?:fwd?|wg|tr|rv):|-{2,}\s*(?:forwarded message|weitergeleitete nachricht)|begin forwarded message",
    re.I,
)


def own_words(elements: list[Element], subject: str = "") -> list[Element]:
    """The parts of a mail that are not quoted.

    A forwarded message stays, because it is what the mail is about. If nothing would be left, everything
    stays.
    """
    if _FORWARD.match(subject.strip()) or any(
        _FORWARD.match(line) for e in elements for line in e.text.split("\n")
    ):
        return elements
    kept: list[Element] = []
    for position, element in enumerate(elements):
        following = elements[position + 1].text if position + 1 < len(elements) else ""
        parts, ended = _own_parts(element, following)
        kept.extend(parts)
        if ended:
            break
    return kept or elements


def own_words_of_each(elements: list[Element]) -> list[Element]:
    """The parts of the mails of a mailbox that are not quoted. Each mail begins with a title of rank 1."""
    starts = [at for at, e in enumerate(elements) if e.kind == "title" and e.level == 1]
    kept = elements[: starts[0]] if starts else elements
    for start, end in pairwise([*starts, len(elements)]):
        title = elements[start]
        kept += [title, *own_words(elements[start + 1 : end], title.text)]
    return kept


def _own_parts(element: Element, following: str) -> tuple[list[Element], bool]:
    """The stretches of unquoted lines, and whether the quoted message fills the rest of the mail."""
    parts: list[Element] = []
    open_from: int | None = None
    end = 0
    lines = list(_lines(element.text))
    filled = [text for _, line in lines if (text := line.strip())]
    place, is_reported = 0, False
    for start, line in lines:
        shown = line.strip()
        place += bool(shown)
        after = filled[place : place + _LOOKED_AHEAD] or [part for part in [following.strip()] if part]
        begins = _header_block(shown, after) and not is_reported
        is_reported = _reports(shown, before=is_reported)
        if _CUT_LINE.fullmatch(shown) or begins or _ruled_off(shown, after):
            return [*parts, *_part(element, open_from, end)], True
        if shown.startswith(">") or _attributes(shown, after):
            parts.extend(_part(element, open_from, end))
            open_from = None
        elif shown:
            open_from = start if open_from is None else open_from
            end = start + len(line)
    return [*parts, *_part(element, open_from, end)], False


def _attributes(line: str, after: list[str]) -> bool:
    """Whether this is `On Monday, X wrote:`, in one or two lines, with quoted lines behind it."""
    if not after:
        return False
    if _is_attribution(line):
        return after[0].startswith(">")
    if len(after) > 1 and after[1].startswith(">") and not _ATTRIBUTION.fullmatch(after[0]):
        # What is no attribution by itself may be the end of one that began in this line.
        return _is_attribution(f"{line} {after[0]}")
    return line.endswith(":") and after[0].startswith(">") and _SAYS_WROTE.search(line) is not None


def _is_attribution(line: str) -> bool:
    return _ATTRIBUTION.fullmatch(line) is not None or _WHO_WROTE.fullmatch(line) is not None


def _header_block(line: str, after: list[str]) -> bool:
    """Whether the header lines begin here that Outlook puts above a quoted message:

    `From:` and at least two more.
    """
    if not re.match(r"\*?(?:from|von|de|da|van|från)\s?:", line, re.I):
        return False
    block = "\n".join(after).split("\n")[:5]
    return sum(_HEADER.match(other.strip()) is not None for other in block) >= 2


def _reports(line: str, *, before: bool) -> bool:
    """Whether the line belongs to headers that a report lists. The words of the report itself follow them."""
    return _OF_MACHINES.match(line) is not None or (before and _ANY_HEADER.match(line) is not None)


def _ruled_off(line: str, after: list[str]) -> bool:
    """Whether this is a ruled line with the headers of a quoted message behind it."""
    if not after or not _RULE.fullmatch(line):
        return False
    first, *others = "\n".join(after).split("\n")
    return _header_block(first.strip(), others)


def _part(element: Element, start: int | None, end: int) -> Iterator[Element]:
    if start is not None and element.text[start:end].strip():
        piece = element.text[start:end]
        start += len(piece) - len(piece.lstrip())
        text = piece.strip()
        yield replace(
            element,
            text=text,
            char_start=element.char_start + start,
            char_end=element.char_start + start + len(text),
        )


def _lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in text.split("\n"):
        yield start, line
        start += len(line) + 1
