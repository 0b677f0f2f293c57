"""What an IMAP server says, as values: lists of flags, atoms, strings and literals (RFC 3501, 9).

A scanner of its own goes over each character once. Nothing that a server says makes it slow, and what is no
answer of IMAP raises.
"""

import base64
import binascii
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

Said = bytes | tuple[bytes, bytes]
"""What `imaplib` gives: a line, or what came before a literal and the literal."""

Value = bytes | list["Value"]
_DEEPEST = 10
_MOST_VALUES = 1_500_000
"""Values of all answers to one command: the numbers of a million messages are fewer. A value of one byte
takes forty times as much here, so a bound in bytes alone would be too wide."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


class NotImap(ValueError):
    """This is nothing that IMAP lets a server say."""


def answers(said: Sequence[Said | None]) -> Iterator[list[Value]]:
    """The values of each answer. A literal belongs to the line that goes on behind it.

    Raises NotImap for what is no answer, and for more values than any answer has.
    """
    parts: list[bytes | _Literal] = []
    left = _Left(_MOST_VALUES)
    for one in said:
        if one is None:
            continue
        if isinstance(one, tuple):
            parts += [one[0][: one[0].rfind(b"{")], _Literal(one[1])]
        else:
            yield _values([*parts, one], left)
            parts = []
    if parts:
        yield _values(parts, left)


def named_values(answer: Sequence[Value]) -> dict[str, Value]:
    """The values of the last list of an answer by the names before them, as in FETCH and STATUS."""
    found = answer[-1] if answer else None
    if not isinstance(found, list) or len(found) % 2:
        raise NotImap
    named: dict[str, Value] = {}
    for name, value in zip(found[::2], found[1::2], strict=True):
        if not isinstance(name, bytes):
            raise NotImap
        named[name.decode("ascii", "replace").upper()] = value
    return named


def number(value: Value | None) -> int:
    """The number. Raises NotImap."""
    if not isinstance(value, bytes) or not value.isdigit() or len(value) > 20:
        raise NotImap
    return int(value)


def flags(value: Value | None) -> frozenset[str]:
    """Flags in small letters, such as `\\deleted`. Raises NotImap."""
    if not isinstance(value, list):
        raise NotImap
    return frozenset(one.decode("ascii", "replace").lower() for one in value if isinstance(one, bytes))


def arrival(value: Value | None) -> datetime | None:
    """The moment of `17-Jul-1996 02:44:25 -0700`; None for what is none."""
    text = value.decode("ascii", "replace").strip().lower() if isinstance(value, bytes) else ""
    day, _, rest = text.partition("-")
    month, _, rest = rest.partition("-")
    if month not in _MONTHS:
        return None
    try:
        moment = datetime.strptime(f"{day}-{_MONTHS.index(month) + 1}-{rest}", "%d-%m-%Y %H:%M:%S %z")
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def folder_name(raw: str) -> str:
    """The name in the modified UTF-7 of RFC 3501, 5.1.3; as it stands if it is not in that."""
    parts: list[str] = []
    rest = raw
    while rest:
        plain, shift, rest = rest.partition("&")
        parts.append(plain)
        if not shift:
            break
        coded, end, rest = rest.partition("-")
        if not end:
            return raw
        if not coded:
            parts.append("&")
            continue
        try:
            data = base64.b64decode(coded.replace(",", "/") + "=" * (-len(coded) % 4), validate=True)
            parts.append(data.decode("utf-16-be"))
        except (binascii.Error, UnicodeDecodeError, ValueError):
            return raw
    return "".join(parts)


class _Literal(bytes):
    """A value as it came, in which nothing is looked for."""


@dataclass(slots=True)
class _Left:
    """How many values may still come."""

    values: int


def _values(parts: Sequence[bytes], left: _Left) -> list[Value]:
    """The values of one answer. Raises NotImap for parentheses that do not match."""
    top: list[Value] = []
    open_lists = [top]
    for token in _tokens(parts):
        left.values -= 1
        if left.values < 0:
            raise NotImap
        if token == b"(" and not isinstance(token, _Literal):
            if len(open_lists) > _DEEPEST:
                raise NotImap
            inner: list[Value] = []
            open_lists[-1].append(inner)
            open_lists.append(inner)
        elif token == b")" and not isinstance(token, _Literal):
            if len(open_lists) == 1:
                raise NotImap
            open_lists.pop()
        else:
            open_lists[-1].append(bytes(token))
    if len(open_lists) > 1:
        raise NotImap
    return top


def _tokens(parts: Sequence[bytes]) -> Iterator[bytes]:
    """Parentheses as they are; everything that is a value of its own as a literal."""
    for part in parts:
        if isinstance(part, _Literal):
            yield part
            continue
        at = 0
        while at < len(part):
            char = part[at : at + 1]
            if char in b"()":
                yield char
                at += 1
            elif char in b" \r\n\t":
                at += 1
            elif char == b'"':
                text, at = _quoted(part, at + 1)
                yield _Literal(text)
            else:
                end = _end_of_atom(part, at)
                yield _Literal(part[at:end])
                at = end


def _quoted(part: bytes, at: int) -> tuple[bytes, int]:
    text = bytearray()
    while at < len(part):
        char = part[at]
        if char == ord('"'):
            return bytes(text), at + 1
        if char == ord("\\"):
            at += 1
        text += part[at : at + 1]
        at += 1
    raise NotImap


def _end_of_atom(part: bytes, at: int) -> int:
    """Where the atom ends. Within brackets, as in `BODY[HEADER.FIELDS (DATE)]`, everything belongs to it."""
    within = False
    while at < len(part):
        char = part[at : at + 1]
        if char == b"[":
            within = True
        elif char == b"]":
            within = False
        elif not within and char in b" ()\r\n\t":
            break
        at += 1
    return at
