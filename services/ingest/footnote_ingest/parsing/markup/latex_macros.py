"""The macros that a LaTeX file defines for itself, written out where its text uses them.

They are those of `\\newcommand`, `\\DeclareMathOperator` and `\\def` with plain parameters. What they stand
for is put in their place before the file is read. All of it has limits, because a macro may double its text:
what is beyond them stays as it is written.
"""

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass

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
_SIGNATURE = re.compile(
    r"[ ]*+(?:(?P<optional>o)|O[ ]?\{(?P<default>[^{}]{0,200})\})?(?P<plain>(?:[ ]*+\+?m)*+)[ ]*+"
)
"""Arguments that a macro of `\\newcommand` can have too: one that may be left out, and then plain ones."""

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


@dataclass(frozen=True, slots=True)
class Macro:
    """What a macro stands for, its parameters, and what the first of them is where it is left out."""

    body: str
    parameters: int = 0
    default: str | None = None


def write_out(text: str, code: Container[str] = CODE) -> str:
    """The text with its own macros written out, except in the environments of `code`."""
    macros = _macros(text)
    return _Writer(macros, code).written(text, 0) if macros else text


def _macros(text: str) -> dict[str, Macro]:
    source = LatexSource(text)
    found: dict[str, Macro] = {}
    for match in _NEW.finditer(text):
        name, at, default = match[1] or match[2], match.end(), None
        if match[3] and text.startswith("[", at) and (end := source.behind_option(at)) > at:
            default, at = text[at + 1 : end - 1], end
        _keep(found, name, source, source.behind_blanks(at), int(match[3] or 0), default)
    for match in _DOCUMENT_COMMAND.finditer(text):
        close = source.closing.get(match.end())
        told = _SIGNATURE.fullmatch(text, match.end() + 1, close) if close is not None else None
        if told is not None and close is not None:
            default = told["default"] if told["optional"] is None else ""
            parameters = told["plain"].count("m") + (default is not None)
            begin = source.behind_blanks(close + 1)
            _keep(found, match[1] or match[2], source, begin, parameters, default)
    for match in _DEF.finditer(text):
        _keep(found, match[1], source, match.end(), match[2].count("#"), None)
    return found


def _keep(
    found: dict[str, Macro], name: str, source: LatexSource, at: int, parameters: int, default: str | None
) -> None:
    close = source.closing.get(at)
    if name in _KNOWN or close is None or close - at > _MACRO_CHARS:
        return
    body = _STYLE.sub("", _where_undefined(_without_comments(source.text[at + 1 : close])))
    asked = {int(number) for number in _PARAMETER.findall(body)}
    if _PROGRAM.search(body) is None and all(1 <= number <= parameters for number in asked):
        found[name] = Macro(body, parameters, default)


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
        given: list[str] = []
        if macro.default is not None:
            end = source.behind_option(at) if source.text.startswith("[", at) else at
            given.append(source.text[at + 1 : end - 1] if end > at else macro.default)
            at = end
        while len(given) < macro.parameters:
            begin = _behind_blanks(source.text, at)
            close = source.closing.get(begin)
            if close is None:
                return None
            given.append(source.text[begin + 1 : close])
            at = close + 1
        asked = [int(number) for number in _PARAMETER.findall(macro.body)]
        length = len(macro.body) + sum(len(given[number - 1]) for number in asked)
        if length > self._left:
            return None
        self._left -= length + 1
        if not macro.parameters and "\\xspace" not in macro.body:
            at = source.behind_blanks(at)
        return _PARAMETER.sub(lambda asked: given[int(asked[1]) - 1], macro.body), at


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
