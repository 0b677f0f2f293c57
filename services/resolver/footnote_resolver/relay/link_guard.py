"""An answer carries no image, no link with a hidden target and no HTML that acts (spec 2.4). Pure.

A document can tell a model to write them: an image sends what its address holds to whoever it names, as soon
as a client draws it. Sources are opened through their numbers. What is changed stays readable. In fenced code
that begins at the margin nothing is changed where no client reads Markdown there (`code_readings`).
"""

import re
import string

from footnote_resolver.relay.code_readings import FenceReadings, SpanReadings

_LONGEST, _DEEPEST = 500, 32
"""Characters of a link's target that are waited for, and brackets in it. Behind a larger one a space keeps it
from being one.
"""
_TOO_DEEP = -1
_TAG_NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)")
_LONGEST_TAG = 32
"""Characters of a tag's beginning that are waited for."""
_HARMLESS_TAGS = frozenset(
    [
        "abbr",
        "b",
        "br",
        "cite",
        "code",
        "dd",
        "del",
        "details",
        "dfn",
        "dl",
        "dt",
        "em",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "i",
        "ins",
        "kbd",
        "li",
        "mark",
        "ol",
        "p",
        "pre",
        "q",
        "s",
        "samp",
        "small",
        "strong",
        "sub",
        "summary",
        "sup",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "u",
        "ul",
        "var",
        "wbr",
    ]
)
_SCHEMES = frozenset({"http", "https", "mailto"})
_ADDRESS = re.compile(r"<(?:https?|mailto):", re.IGNORECASE)
_BEFORE_A_LABEL = frozenset(" \t>-*+.)" + string.digits)
_MARK = re.compile(r"[!(<:\[\]`\r\n]")
_LOOK_BACK = 24
"""Characters before a mark that are looked at."""
_SPACE = " \t\r\n"


class LinkGuard:
    """Gives a text as it comes; how it was cut makes no difference. `close` gives the rest."""

    def __init__(self) -> None:
        self._held = ""
        self._before = ""
        """The end of what was given, as far as it is looked back at."""
        self._line: list[str] = []
        self._margin = ""
        """The beginning of the line, as far as a label may stand behind it."""
        self._label = False
        self._after_return = False
        self._fences = FenceReadings()
        self._spans = SpanReadings()

    def feed(self, text: str) -> str:
        """The text that is certain now."""
        self._held += text
        return self._go_on(final=False)

    def close(self) -> str:
        """The rest."""
        return self._go_on(final=True)

    def _go_on(self, *, final: bool) -> str:
        held, at = self._held, 0
        given: list[str] = []
        while at < len(held):
            mark = _MARK.search(held, at)
            plain_to = mark.start() if mark else len(held)
            if plain_to > at:
                given.append(held[at:plain_to])
                self._go_by(given[-1])
                at = plain_to
                continue
            step = None if self._fences.certain else self._at_mark(held, at, final=final)
            if step is not None:
                new, taken = step
                if not taken:
                    break
                given.append(new)
                at += taken
                if new:
                    self._look_back(new)
                continue
            given.append(held[at])
            self._look_back(held[at])
            at += 1
        self._held = held[at:]
        return "".join(given)

    def _at_mark(self, held: str, at: int, *, final: bool) -> tuple[str, int] | None:
        """What to give and how much of the held text that takes; nothing of both while more has to come.

        None where the character stays.
        """
        char = held[at]
        if char == "!":
            if at + 1 == len(held):
                return None if final else ("", 0)
            if held[at + 1] == "[":
                return ("! ", 1) if self._before[-1:].isalnum() or self._before[-1:] == "!" else ("", 1)
        elif char == "(" and self._before.endswith("]"):
            return self._target(held, at, final=final)
        elif char == "<":
            if _ADDRESS.match(held, at):
                # It may hold a backtick, which opens no code there.
                self._spans.doubt()
            return _tag(held, at, final=final)
        elif char == ":" and self._before.endswith("]") and self._label:
            return " :", 1
        return None

    def _target(self, held: str, at: int, *, final: bool) -> tuple[str, int] | None:
        window = held[at : at + _LONGEST]
        in_code = self._spans.holds(window, more=len(window) < _LONGEST and not final)
        if in_code is None:
            return "", 0
        end = _end_of_target(window)
        if end == _TOO_DEEP or (end is None and len(window) == _LONGEST):
            return " (", 1
        if end is None:
            return None if final else ("", 0)
        if not end:
            return None
        relative = not any(mark in window[:end] for mark in (":", "//", "\\", "&"))
        return None if in_code and relative else ("", end)

    def _look_back(self, given: str) -> None:
        """Note what was given: the line, code, and whether a bracket is the label of a definition."""
        for char in given:
            if char == "[" and not self._before.endswith("\\"):
                self._label = not set(self._margin) - _BEFORE_A_LABEL
            if char in "\r\n":
                # Both together end one line.
                if not (char == "\n" and self._after_return):
                    self._end_line()
                self._before = (self._before + char)[-_LOOK_BACK:]
            elif char == "`":
                self._spans.backtick(self._before)
                self._add(char)
            else:
                self._go_by(char)
            self._after_return = char == "\r"

    def _go_by(self, text: str) -> None:
        """Note characters that are no marks."""
        self._spans.other(text)
        self._add(text)
        self._after_return = False

    def _add(self, text: str) -> None:
        self._line.append(text)
        if len(self._margin) <= _LONGEST:
            self._margin += text
        self._before = (self._before + text)[-_LOOK_BACK:]

    def _end_line(self) -> None:
        line = "".join(self._line)
        self._fences.end_line(line)
        self._spans.end_line(blank=not line.strip(" \t"))
        self._line, self._margin = [], ""


def guarded(text: str) -> str:
    """A whole text as the guard gives it."""
    guard = LinkGuard()
    return guard.feed(text) + guard.close()


def _tag(held: str, at: int, *, final: bool) -> tuple[str, int] | None:
    """What becomes of a `<`. It stays, unless a comment or a tag that acts or has attributes begins here."""
    beginning = held[at : at + _LONGEST_TAG]
    more = len(beginning) < _LONGEST_TAG and not final
    if len(beginning) == 1 or (beginning == "</"):
        return ("", 0) if more else None
    if beginning[1] in "!?":
        return "‹", 1
    name = _TAG_NAME.match(beginning)
    if name is None:
        return None
    rest = beginning[name.end() :]
    if not rest.strip(_SPACE + "/"):
        # The tag may end with the next character, or go on with an attribute.
        return ("", 0) if more else ("‹", 1)
    end = rest.lstrip(_SPACE)
    if rest[0] in ":+.":
        return None if rest[0] == ":" and name[1].lower() in _SCHEMES else ("‹", 1)
    if end.startswith((">", "/>")):
        return None if name[1].lower() in _HARMLESS_TAGS else ("‹", 1)
    return ("‹", 1) if rest[0] in _SPACE + "/" else None


def _end_of_target(text: str) -> int | None:
    """Behind the `)` of a link's target that begins the text with its `(` (CommonMark 6.3).

    0 if it is none, None while more has to come, _TOO_DEEP for more brackets than a target may have.
    """
    at = _behind_space(text, 1)
    if at == len(text):
        return None
    behind = _behind_pointed(text, at) if text[at] == "<" else _behind_bare(text, at)
    if behind is None or behind == _TOO_DEEP:
        return behind
    title = _behind_space(text, behind)
    if title == len(text):
        return None
    if text[title] == ")":
        return title + 1
    if title == behind or text[title] not in "\"'(":
        return 0
    closed = _find(text, ")" if text[title] == "(" else text[title], title + 1)
    if closed is None:
        return None
    end = _behind_space(text, closed + 1)
    if end == len(text):
        return None
    return end + 1 if text[end] == ")" else 0


def _behind_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _find(text: str, wanted: str, at: int) -> int | None:
    """Where the character stands next without a backslash before it."""
    if text.find(wanted, at) < 0:
        return None
    while at < len(text):
        if text[at] == wanted:
            return at
        at += 2 if text[at] == "\\" else 1
    return None


def _behind_pointed(text: str, start: int) -> int | None:
    """Behind a target in pointed brackets. It counts as a target also where a line breaks it."""
    end = _find(text, ">", start + 1)
    return None if end is None else end + 1


def _behind_bare(text: str, at: int) -> int | None:
    """Behind a target without brackets, before the white space or the `)` that ends it."""
    depth = 0
    while at < len(text) and text[at] > " ":
        if text[at] == "(":
            depth += 1
            if depth > _DEEPEST:
                return _TOO_DEEP
        elif text[at] == ")":
            if not depth:
                return at
            depth -= 1
        at += 2 if text[at] == "\\" else 1
    return None if at >= len(text) else at
