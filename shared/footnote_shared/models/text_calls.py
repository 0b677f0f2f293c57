"""Calls of tools that a model wrote as text, told from its answer while the text streams. Pure.

Small models know the forms of their training and write them where an endpoint does not look for them. What
they write for a tool is never shown to a reader. What is a call only by its looks (JSON alone, or in a fence)
counts as one only where it names a tool that is on offer.
"""

from collections.abc import Collection
from dataclasses import dataclass

from footnote_shared.models.code_spans import CodeSpans
from footnote_shared.models.written_call import WrittenCall, calls_by_looks, calls_in

CALL_CHARS = 30_000
"""Characters of one written call that are kept. The guard of the tools refuses a longer one anyway."""

_FIRST_KEYS = ("name", "type", "function", "tool", "tool_name", "arguments", "parameters", "id")
_LANGUAGES = ("", "json", "tool_call", "tool", "tool_code")
_NAME_CHARS = 64
_BLANKS = 200
"""White space that is waited through before a call."""


@dataclass(frozen=True, slots=True)
class _Form:
    """How a call is marked. Its body begins with one of `first`, behind white space.

    Without a `closer` the rest of the text belongs to it.
    """

    opener: str
    closer: str
    first: str


_TAGGED = _Form("<function=", "</function>", "")
_FORMS = (
    _Form("<tool_call>", "</tool_call>", "{[<"),
    _TAGGED,
    _Form("[tool_calls]", "", "{["),
    _Form("<|tool_call|>", "", "{["),
    _Form("<|python_tag|>", "<|eom_id|>", "{"),
)
_BARE = _Form("", "", "{")
_FENCE = _Form("```", "\n```", "{[")
_BY_LOOKS = (_BARE, _FENCE)
_LONGEST_OPENER = max(len(form.opener) for form in _FORMS)


class TextCalls:
    """Gives the text of the answer as it comes, and holds `calls` when it is closed.

    Neither depends on how the text was cut. Behind the first call no text is shown: a model that goes on
    there has seen no result. Calls in code that is no fence of JSON are text.
    """

    def __init__(self, tools: Collection[str], *, goes_on: bool = False) -> None:
        """`tools`: names of those on offer. `goes_on`: the text continues another."""
        self._tools = frozenset(tools)
        self._held = ""
        self._begun = goes_on
        self._line_begins = not goes_on
        self._code = CodeSpans()
        self._form: _Form | None = None
        self._opener = ""
        self._body: list[str] = []
        self._kept = 0
        self._tail = ""
        self.calls: list[WrittenCall] = []

    def feed(self, text: str) -> str:
        """The text of the answer that is certain now."""
        self._held += text
        given: list[str] = []
        while self._step(given, at_end=False):
            pass
        return "".join(given)

    def close(self) -> str:
        """The rest of the answer."""
        given: list[str] = []
        while self._step(given, at_end=True):
            pass
        if self._form is not None:
            self._end_of_call(given)
            while self._step(given, at_end=True):
                pass
        return "".join(given)

    def _step(self, given: list[str], *, at_end: bool) -> bool:
        """Go on to the next change between text and call (True), or to the end of what is here (False)."""
        return self._text(given, at_end) if self._form is None else self._call(given)

    def _call(self, given: list[str]) -> bool:
        """Collect the body of a call."""
        form = self._form
        assert form is not None
        chunk, self._held = self._held, ""
        window = self._tail + chunk
        end = window.find(form.closer) if form.closer else -1
        behind = end + len(form.closer) - len(self._tail) if end >= 0 else len(chunk)
        room = CALL_CHARS - self._kept
        if form in _BY_LOOKS and behind > room:
            # So long a text is no call. Nothing of it may be lost.
            self._body.append(chunk[:room])
            self._held = chunk[room:]
            self._release(given)
            return True
        self._body.append(chunk[: min(behind, max(0, room))])
        self._kept += behind
        if end < 0:
            self._tail = window[max(0, len(window) - len(form.closer) + 1) :] if form.closer else ""
            return False
        self._held = chunk[behind:]
        self._end_of_call(given)
        return True

    def _begin(self, form: _Form, at: int) -> None:
        self._form = form
        self._opener = self._held[at : at + len(form.opener)]
        self._held = self._held[at + len(form.opener) :]

    def _end_of_call(self, given: list[str]) -> None:
        """Read the call. What is a call by its looks alone has to name a tool on offer."""
        form, body = self._form, "".join(self._body)
        assert form is not None
        if form in _BY_LOOKS:
            inside = body.partition("\n")[2].removesuffix(form.closer) if form is _FENCE else body
            found = calls_by_looks(self._opener + inside if form is _BARE else inside)
            if not found or not all(call.name in self._tools for call in found):
                self._release(given)
                return
            self.calls += found
        else:
            marked = body.removesuffix(form.closer) if form.closer else body
            self.calls += calls_in(self._opener + marked if form is _TAGGED else marked)
        self._forget()

    def _release(self, given: list[str]) -> None:
        """What looked like a call is text."""
        text = self._opener + "".join(self._body)
        self._forget()
        for char in text:
            self._take(char)
        self._pass(text, given)

    def _forget(self) -> None:
        self._form, self._opener, self._body, self._kept, self._tail = None, "", [], 0, ""

    def _text(self, given: list[str], at_end: bool) -> bool:
        """Look for the next call in the text."""
        held = self._held
        for at, char in enumerate(held):
            if char in "<[`{":
                form, undecided = self._opened(held, at, at_end)
                if form is not None:
                    self._pass(held[:at], given)
                    self._begin(form, at)
                    return True
                if undecided:
                    self._pass(held[:at], given)
                    self._held = held[at:]
                    return False
            self._take(char)
        self._pass(held, given)
        self._held = ""
        return False

    def _opened(self, held: str, at: int, at_end: bool) -> tuple[_Form | None, bool]:
        """The form that begins here, or whether more text has to come before that can be said."""
        char = held[at]
        if char == "{" and not self._begun and self._tools:
            return _decided(_BARE, _plausible_json(held, at), at_end)
        if char == "`" and self._line_begins and self._tools and not self._code.inside:
            return _decided(_FENCE, _plausible_fence(held, at), at_end)
        if char in "<[" and not self._code.inside:
            begun = held[at : at + _LONGEST_OPENER].lower()
            for form in _FORMS:
                if begun.startswith(form.opener):
                    verdict = _plausible(form, held, at + len(form.opener))
                    # An opener at the very end hides: nothing that a reader needs stands behind it.
                    return (form, False) if verdict is None and at_end else _decided(form, verdict, at_end)
            if not at_end and any(form.opener.startswith(begun) for form in _FORMS):
                return None, True
        return None, False

    def _take(self, char: str) -> None:
        """Note that a character is text."""
        self._code.take(char)
        self._begun = self._begun or not char.isspace()
        self._line_begins = char == "\n" or (self._line_begins and char.isspace())

    def _pass(self, text: str, given: list[str]) -> None:
        if text and not self.calls:
            given.append(text)


def _decided(form: _Form, verdict: bool | None, at_end: bool) -> tuple[_Form | None, bool]:
    return (form if verdict else None), verdict is None and not at_end


def _plausible(form: _Form, text: str, at: int) -> bool | None:
    """Whether a call stands behind its opener; None while too little is there."""
    if form.opener == "<function=":
        end = text.find(">", at, at + _NAME_CHARS + 1)
        if end < 0:
            return None if len(text) <= at + _NAME_CHARS and _is_name(text[at:] or "x") else False
        return end > at and _is_name(text[at:end])
    first = _first_visible(text, at)
    if first == len(text):
        return None
    if text[first] in form.first:
        return True
    return _plausible_name(text, first) if form.opener == "[tool_calls]" else False


def _plausible_name(text: str, at: int) -> bool | None:
    """Whether the name of a tool stands here with `{` or `[` behind it."""
    end = at
    while end < len(text) and end - at <= _NAME_CHARS and _is_name(text[end]):
        end += 1
    if end == len(text):
        return None
    return end > at and text[end] in "{["


def _plausible_json(text: str, at: int) -> bool | None:
    """Whether the object that begins here begins like a call."""
    first = _first_visible(text, at + 1)
    if first == len(text):
        return None
    rest = text[first : first + 20]
    if any(rest.startswith(f'"{key}"') for key in _FIRST_KEYS):
        return True
    return None if any(f'"{key}"'.startswith(rest) for key in _FIRST_KEYS) else False


def _plausible_fence(text: str, at: int) -> bool | None:
    """Whether the fence that begins here holds JSON that begins like a call."""
    if not text.startswith("```", at):
        return None if "```".startswith(text[at:]) else False
    line = text.find("\n", at, at + 20)
    if line < 0:
        rest = text[at + 3 : at + 20].strip().lower()
        open_still = len(text) < at + 20 and any(known.startswith(rest) for known in _LANGUAGES)
        return None if open_still else False
    if text[at + 3 : line].strip().lower() not in _LANGUAGES:
        return False
    first = _first_visible(text, line)
    if first == len(text):
        return None
    if text[first] == "[":
        first = _first_visible(text, first + 1)
        if first == len(text):
            return None
    return _plausible_json(text, first) if text[first] == "{" else False


def _first_visible(text: str, at: int) -> int:
    """The next visible character, or the end; after too much white space a place in it."""
    last = at + _BLANKS
    while at < len(text) and at < last and text[at].isspace():
        at += 1
    return at


def _is_name(text: str) -> bool:
    return all(char.isalnum() or char in "_.-" for char in text)
