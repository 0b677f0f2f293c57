"""The macros that a LaTeX file defines for itself, written out where its text uses them.

They are those of `\\newcommand`, `\\DeclareMathOperator` and `\\def` with plain parameters. What they stand
for is put in their place before the file is read. All of it has limits, because a macro may double its text:
what is beyond them stays as it is written.
"""

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from footnote_ingest.parsing.markup import latex_words as words
from footnote_ingest.parsing.markup.latex_code import CODE, INLINE, inline
from footnote_ingest.parsing.markup.latex_source import LatexSource

_NEW = re.compile(
    r"\\(?:newcommand|renewcommand|providecommand|DeclareRobustCommand|DeclareMathOperator)\*?+[ \t]?"
    r"(?:\{\\([A-Za-z]{1,60})\}|\\([A-Za-z]{1,60}))[ \t]?(?:\[(\d)\])?"
)
_DEF = re.compile(r"\\[gex]?def\\([A-Za-z]{1,60})((?:#\d){0,9})(?=\{)")
_DOCUMENT_COMMAND = re.compile(
    r"\\(?:New|Renew|Provide|Declare)DocumentCommand[ \t]?"
    r"(?:\{\\([A-Za-z]{1,60})\}|\\([A-Za-z]{1,60}))[ \t]?(?=\{)"
)
_ARGUMENT = re.compile(r"[ ]*+(?:\+?(?P<kind>[mos])|\+?O[ ]?\{(?P<default>[^{}]{0,200})\})")
"""An argument in the signature of a macro: plain, in brackets, a star, or in brackets with a default."""

_MOST_ARGUMENTS = 9
_TEST = re.compile(r"\\If(?P<what>Boolean|NoValue|Value)(?P<ways>TF|T|F)[ ]?\{#(?P<number>\d)\}")
_MOST_TESTS, _MOST_DECIDED = 8, 256
"""What a macro says may depend on whether its star or what is in brackets is there."""

_PROGRAM = re.compile(
    r"\\[A-Za-z]{0,60}@|\\(?:If(?:No)?Value|IfBoolean|g?def|[ex]def|let|if|fi|else|csname|expandafter|newcommand|renewcommand|new|setlength)"
)
"""A macro that holds these is a program; what it prints cannot be told from its text."""

_COMMENT = re.compile(r"(?<!\\)%[^\n]*+\n?[ \t]*+")
_STYLE = re.compile(r"\\(?:boldmath|unboldmath|ensuremath|protect|bf|it|rm|sf|tt|sc|em)(?![A-Za-z])[ ]?")
"""The looks of what a macro stands for are no part of it."""

_PARAMETER = re.compile(r"#(\d)")
_TOKEN = re.compile(r"\\begin\{([A-Za-z]{1,30}\*?)\}|\\([A-Za-z]++)|\\.|%|^<<", re.M | re.S)
_IS_DEFINED = re.compile(r"(?:[cC]ommand|Operator|def|let)\*?[ \t]?\{?$")
_CONTROL_WORD_END = re.compile(r"\\[A-Za-z]{1,60}$")
_BLANKS = re.compile(r"[ \t]*+(?:\n[ \t]*+(?=\S))?")

_MACRO_CHARS = 1_000
"""A longer macro stays as it is."""

_ADDED_CHARS = 1_000_000
"""This many characters all uses of macros may have together."""

_DEEPEST = 8
"""A macro within a macro is written out so deep."""

_DEFINED_LOOK_BACK = 24
_KNOWN = frozenset(
    {
        *(words.HEADINGS.keys() | words.DROPPED.keys() | words.SYMBOLS.keys()),
        *(words.FACTS | words.NOTES | words.SAID_AHEAD | words.OTHER_FILES | words.ACCENTS),
        *INLINE,
        *("begin", "end", "item", "bibitem", "par", "def", "gdef", "edef", "caption"),
        *("captionof", "url", "path", "nolinkurl", "href", "multicolumn", "tabularnewline"),
    }
)
"""What such a name stands for is known, whatever the file makes of its looks."""


class Argument(NamedTuple):
    """An argument of a macro: `m` in braces, `o` in brackets, `s` a star; and what it is if left out."""

    kind: str
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Macro:
    """What a macro stands for, and its arguments."""

    body: str
    arguments: tuple[Argument, ...] = ()


def write_out(text: str, code: Container[str] = CODE) -> str:
    """The text with its own macros written out, except in the environments of `code`."""
    macros = _macros(text)
    return _Writer(macros, code).written(text, 0) if macros else text


def _macros(text: str) -> dict[str, Macro]:
    source = LatexSource(text)
    found: dict[str, Macro] = {}
    for match in _NEW.finditer(text):
        name, at, arguments = match[1] or match[2], match.end(), [Argument("m")] * int(match[3] or 0)
        if arguments and text.startswith("[", at) and (end := source.behind_option(at)) > at:
            arguments[0], at = Argument("o", text[at + 1 : end - 1]), end
        _keep(found, name, source, source.behind_blanks(at), arguments)
    for match in _DOCUMENT_COMMAND.finditer(text):
        close = source.closing.get(match.end())
        signature = _signature(text[match.end() + 1 : close]) if close is not None else None
        if signature is not None and close is not None:
            _keep(found, match[1] or match[2], source, source.behind_blanks(close + 1), signature)
    for match in _DEF.finditer(text):
        _keep(found, match[1], source, match.end(), [Argument("m")] * match[2].count("#"))
    return found


def _signature(written: str) -> list[Argument] | None:
    """The arguments that a signature names; None if it has one of another kind."""
    found: list[Argument] = []
    at = 0
    while written[at:].strip() and len(found) < _MOST_ARGUMENTS:
        told = _ARGUMENT.match(written, at)
        if told is None:
            return None
        found.append(Argument(told["kind"] or "o", told["default"]))
        at = told.end()
    return found


def _keep(
    found: dict[str, Macro], name: str, source: LatexSource, at: int, arguments: Sequence[Argument]
) -> None:
    close = source.closing.get(at)
    if name in _KNOWN or close is None or close - at > _MACRO_CHARS:
        return
    body = _STYLE.sub("", _where_undefined(_without_comments(source.text[at + 1 : close])))
    asked = {int(number) for number in _PARAMETER.findall(body)}
    told = _PROGRAM.search(_TEST.sub("", body)) is None
    if told and all(1 <= number <= len(arguments) for number in asked):
        found[name] = Macro(body, tuple(arguments))


@lru_cache(_MOST_DECIDED)
def _decided(body: str, given: tuple[bool, ...]) -> str | None:
    """What a macro stands for where these of its arguments are given; None if it cannot be told."""
    for _ in range(_MOST_TESTS):
        test = _TEST.search(body)
        if test is None:
            return body
        source, at = LatexSource(body), test.end()
        ways: list[str] = []
        for _ in test["ways"]:
            begin = _behind_blanks(body, at)
            close = source.closing.get(begin)
            if close is None:
                return None
            ways.append(body[begin + 1 : close])
            at = close + 1
        holds = given[int(test["number"]) - 1] == (test["what"] != "NoValue")
        said = dict(zip(test["ways"], ways, strict=True)).get("T" if holds else "F", "")
        body = body[: test.start()] + said + body[at:]
    return None


def _where_undefined(body: str) -> str:
    """A macro that asks whether a name is defined stands for what it says where it is not."""
    begin = body.find("\\ifcsname")
    other = body.find("\\else", begin)
    end = body.find("\\fi", other)
    if not 0 <= begin < other < end:
        return body
    return body[:begin] + body[other + len("\\else") : end] + body[end + len("\\fi") :]


def _without_comments(body: str) -> str:
    return _COMMENT.sub("", body)


class _Writer:
    def __init__(self, macros: Mapping[str, Macro], code: Container[str]) -> None:
        self._macros = macros
        self._code = code
        self._left = _ADDED_CHARS

    def written(self, text: str, depth: int) -> str:
        source = LatexSource(text)
        parts: list[str] = []
        done = at = 0
        while (token := _TOKEN.search(text, at)) is not None:
            at = token.end()
            if token[1] is not None or token[2] is None or token[2] in INLINE:
                at = _behind_unread(source, token, self._code)
                continue
            macro = self._macros.get(token[2])
            if macro is None or _IS_DEFINED.search(
                text, max(0, token.start() - _DEFINED_LOOK_BACK), token.start()
            ):
                continue
            used = self._used(macro, source, token.end())
            if used is None:
                continue
            body, at = used
            parts.append(text[done : token.start()])
            parts.append(self.written(body, depth + 1) if depth < _DEEPEST else body)
            if _CONTROL_WORD_END.search(body, max(0, len(body) - 62)) and text[at : at + 1].isalpha():
                parts.append(" ")
            done = at
        return "".join((*parts, text[done:])) if parts else text

    def _used(self, macro: Macro, source: LatexSource, at: int) -> tuple[str, int] | None:
        """What a macro stands for here, and where the text goes on; None if it is no use of it."""
        given: list[str | None] = []
        for kind, default in macro.arguments:
            begin = _behind_blanks(source.text, at) if kind == "m" else at
            value, end = default, at
            if kind == "m" and (close := source.closing.get(begin)) is not None:
                value, end = source.text[begin + 1 : close], close + 1
            elif kind == "m":
                return None
            elif kind == "s" and source.text.startswith("*", at):
                value, end = "*", at + 1
            elif kind == "o" and source.text.startswith("[", at) and (end := source.behind_option(at)) > at:
                value = source.text[at + 1 : end - 1]
            given.append(value)
            at = end
        if len(macro.body) > self._left:
            return None
        body = _decided(macro.body, tuple(value is not None for value in given))
        if body is None:
            return None
        asked = [int(number) for number in _PARAMETER.findall(body)]
        # A test is charged by what it is told from, though it may leave nothing.
        length = len(macro.body) + sum(len(given[number - 1] or "") for number in asked)
        if length > self._left:
            return None
        self._left -= length + 1
        if not macro.arguments and "\\xspace" not in body:
            at = source.behind_blanks(at)
        return _PARAMETER.sub(lambda asked: given[int(asked[1]) - 1] or "", body), at


def _behind_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found is not None else at


def _behind_unread(source: LatexSource, token: re.Match[str], code: Container[str]) -> int:
    """The position behind a comment, or behind code, where nothing is written out."""
    text, at = source.text, token.end()
    if token[0] == "%":
        return _or_end(text.find("\n", at), text)
    if token[0] == "<<":
        return (
            _or_end(text.find("\n@", at), text)
            if text[at : text.find("\n", at)].rstrip().endswith(">>=")
            else at
        )
    if token[2] is not None:
        return inline(source, token[2], at)[1]
    if token[1] is not None and token[1] in code:
        return _or_end(text.find(f"\\end{{{token[1]}}}", at), text)
    return at


def _or_end(at: int, text: str) -> int:
    return at if at >= 0 else len(text)
