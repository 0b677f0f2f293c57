"""Macros that a manual page defines for itself (groff(7), `.de`), written out where the page calls them.

A page that sets its examples by a macro of its own would otherwise lose that they are examples.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_ARGUMENT = re.compile(r"\\\$([1-9*@])")
_MOST_MACROS = 1_000
_MOST_LINES = 200
"""A longer definition is a program, not a form of text: it says nothing."""

_MOST_WRITTEN, _MOST_CHARS = 20_000, 1_000_000
"""This many lines and characters in all are written out.

Macros that call each other twice, or say twice what they are given, would double it at each step.
"""

LEFT_OUT = {"ig": 0, "de": 1, "am": 1, "de1": 1}
"""Requests that end at a mark, and which of their words names that mark."""


@dataclass(slots=True)
class PageMacros:
    """The macros of a page, and the one that is being defined."""

    lines: dict[str, list[str]] = field(default_factory=dict)
    _open: list[str] | None = None
    _end: str | None = None
    _written: int = 0
    _chars: int = 0
    _fills: dict[str, bool | None] = field(default_factory=dict)

    def begin(self, request: str, rest: str) -> None:
        """Begin a definition, or what is left out, up to its mark: the page may name one of its own."""
        words = rest.partition('\\"')[0].split(None, 2)
        at = LEFT_OUT[request]
        self._end = words[at] if len(words) > at else "."
        self._open = []
        if request in ("de", "de1") and words and len(self.lines) < _MOST_MACROS:
            self.lines[words[0]] = self._open
            self._fills.pop(words[0], None)

    def take(self, line: str) -> bool:
        """Whether the line belongs to a definition or to what is left out."""
        if self._end is None or self._open is None:
            return False
        # The mark is a request: it may be set in, as `.  .` is, and behind it a line may say more. No longer
        # word may begin with it.
        if line[:1] in (".", "'") and line[1:].split(None, 1)[:1] == [self._end]:
            self._end = self._open = None
        elif len(self._open) <= _MOST_LINES:
            self._open.append(line)
        return True

    def call_by(self, new: str, old: str) -> None:
        """Let a new name stand for a macro of the page, or for one that all pages know."""
        if len(self.lines) < _MOST_MACROS and new != old:
            self._fills.pop(new, None)
            self.lines[new] = self.lines.get(old) or [f".{old} \\$*"]

    def fills(self, name: str) -> bool | None:
        """Whether a macro that the page defines sets its text in lines of equal length, or as it is written.

        None if it says neither.
        """
        if name not in self.lines:
            return None
        if name not in self._fills:
            told = (line for line in self.lines[name] if line.split(None, 1)[:1] in ([".nf"], [".fi"]))
            first = next(told, None)
            self._fills[name] = None if first is None else first.startswith(".fi")
        return self._fills[name]

    def written(self, name: str, words: Sequence[str]) -> list[str] | None:
        """The lines that stand for a call with these words; None if the page has no such macro."""
        body = self.lines.get(name)
        if body is None:
            return None
        self._written += len(body)
        if len(body) > _MOST_LINES or self._written > _MOST_WRITTEN or self._chars > _MOST_CHARS:
            return []
        given = " ".join(words)

        def argument(match: re.Match[str]) -> str:
            which = match[1]
            if which in "*@":
                return given
            return words[int(which) - 1] if int(which) <= len(words) else ""

        # In a definition each backslash of a call stands twice.
        lines = [line.replace("\\\\", "\\") for line in body]
        self._chars += sum(map(len, lines))
        self._chars += sum(len(argument(asked)) for line in lines for asked in _ARGUMENT.finditer(line))
        return [_ARGUMENT.sub(argument, line) for line in lines] if self._chars <= _MOST_CHARS else []
