"""Code in a LaTeX file: the environments and commands whose text stays as it is written.

Besides those that packages have, a file can define its own. They are looked up before anything is read.
"""

import re
from collections.abc import Mapping
from itertools import islice
from typing import NamedTuple

from footnote_ingest.parsing.markup import latex_words as words
from footnote_ingest.parsing.markup.latex_source import LatexSource
from footnote_ingest.parsing.markup.markup_text import verbatim

_DEFINES = re.compile(
    r"\\(?:(?P<lst>lstnewenvironment)|(?P<fancy>(?:Define|Custom|Recustom)VerbatimEnvironment)|"
    r"(?P<minted>newminted)|(?P<box>(?:re)?newtcblisting|(?:New|Renew|Declare|Provide)TCBListing)|"
    r"(?P<own>(?:re)?newenvironment))\*?(?![A-Za-z])"
)
NAME = re.compile(r"[ \t]?\{([A-Za-z]{1,60}\*?)\}")
_COUNT = re.compile(r"[ \t]?\[(\d)\]")
_BEGINS_CODE = re.compile(
    r"\\(?:begin[ ]?\{(?:verbatim|Verbatim|BVerbatim|LVerbatim|alltt|lstlisting|minted)\*?\}|"
    r"(?:verbatim|Verbatim|alltt|lstlisting|minted|VerbatimEnvironment)(?![A-Za-z]))"
)
_LANGUAGE = re.compile(r"language=[{ ]?(?:\[[^\]]{0,30}\])?([\w+#-]{1,30})")
_MOST_DEFINED = 200
_DEFINITION_CHARS = 2_000
_INLINE_CHARS = 500
_SWEAVE_LANGUAGE = "r"
_SHORT = re.compile(
    r"\\MakeShortVerb\*?[ ]?\{?\\([^\w\s\\{}])\}?|\\lstMakeShortInline(?:\[[^\]\n]{0,200}\])?"
    r"\{?\\?([^\w\s\\{}\[])\}?"
)
_MINT_INLINE = re.compile(r"\\newmintinline(?:\[([A-Za-z]{1,40})\])?\{([\w+#-]{1,30})\}")
_MOST_SHORT, _MOST_USES = 8, 10_000
INLINE = frozenset(("verb", "Verb", "lstinline", "mintinline"))
"""Commands with code within a line."""


class CodeEnvironment(NamedTuple):
    """An environment of code: how many arguments in braces it has, and the language of its code."""

    arguments: int = 0
    language: str = ""


class CodePiece(NamedTuple):
    """A piece of code, its language if that is known, and where the text goes on behind it."""

    text: str
    language: str
    end: int


CODE: Mapping[str, CodeEnvironment] = {name: CodeEnvironment() for name in words.CODE}
"""The environments of code that packages have."""


def code_environments(text: str) -> Mapping[str, CodeEnvironment]:
    """The environments of code by their names, with those that the text defines for itself."""
    if _DEFINES.search(text) is None:
        return CODE
    source = LatexSource(text)
    found = dict(CODE)
    for match in _DEFINES.finditer(text):
        if len(found) >= _MOST_DEFINED:
            break
        if match["minted"]:
            _keep_minted(found, source, match.end())
            continue
        named = NAME.match(text, match.end())
        if named is None or named[1] in found:
            continue
        at = named.end()
        count = _COUNT.match(text, at)
        behind = source.behind_option(at)
        arguments = int(count[1]) - (text[count.end() : behind].count("[") > 0) if count else 0
        body = text[behind : min(source.behind_arguments(behind, 2), behind + _DEFINITION_CHARS)]
        if match["own"] and _BEGINS_CODE.search(body) is None:
            continue
        language = _LANGUAGE.search(body)
        found[named[1]] = CodeEnvironment(arguments, language[1] if language else "")
    return found


def _keep_minted(found: dict[str, CodeEnvironment], source: LatexSource, at: int) -> None:
    """An environment of one language is called as its option says, or by the language and `code`."""
    begin = source.behind_option(at)
    close = source.closing.get(begin)
    if close is not None:
        language = source.text[begin + 1 : close]
        found[source.text[at + 1 : begin - 1] if begin > at else f"{language}code"] = CodeEnvironment(
            0, language
        )


def block(source: LatexSource, name: str, at: int, environment: CodeEnvironment) -> CodePiece:
    """The code of an environment whose beginning ends here. Where nothing ends it, it is the whole rest."""
    text = source.text
    ending = f"\\end{{{name}}}"
    end = text.find(ending, at)
    end = len(text) if end < 0 else end
    begin = source.behind_option(at)
    told = _LANGUAGE.search(text[at:begin])
    language = told[1] if told else environment.language
    if name == "minted" and (close := source.closing.get(begin)) is not None and close < end:
        language, begin = text[begin + 1 : close], close + 1
    elif environment.arguments:
        begin = min(source.behind_arguments(begin, environment.arguments), end)
    return CodePiece(verbatim(text[begin:end].split("\n")), language.strip().lower(), end + len(ending))


def plain(text: str, name: str, at: int) -> CodePiece | None:
    """The code between two commands of plain TeX, the first of which ends here; None for other commands."""
    if name not in words.PLAIN_CODE:
        return None
    ending = f"\\{words.PLAIN_CODE[name]}"
    end = text.find(ending, at)
    return CodePiece(verbatim(text[at:end].split("\n")), "", end + len(ending)) if end >= 0 else None


def chunk(text: str, at: int) -> CodePiece | None:
    """A chunk of Sweave: code between a line `<<...>>=` and a line `@`. None if none begins here."""
    first = text.find("\n", at)
    if first < 0 or not text[at:first].rstrip().endswith(">>="):
        return None
    end = text.find("\n@", first)
    while end >= 0 and not text[end + 2 : end + 3].isspace() and end + 2 < len(text):
        end = text.find("\n@", end + 1)
    end = len(text) if end < 0 else end
    return CodePiece(verbatim(text[first + 1 : end].split("\n")), _SWEAVE_LANGUAGE, end + 2)


def inline(source: LatexSource, command: str, at: int) -> tuple[str, int]:
    """The code of a command within a line, and where the text goes on.

    A mark that nothing ends begins no code.
    """
    text = source.text
    at = at if command == "verb" else source.behind_option(at)
    if command == "mintinline":
        at = source.closing.get(at, at - 1) + 1
    mark = text[at : at + 1]
    if mark == "{" and command != "verb":
        end = _closing_brace(text, at)
    else:
        end = text.find(mark, at + 1, at + _INLINE_CHARS) if mark.strip() else -1
    return (text[at + 1 : end], end + 1) if end >= 0 else ("", at)


def address(source: LatexSource, at: int) -> tuple[str, int]:
    """The argument of `\\url`, in braces or between two signs that are equal, and where the text goes on."""
    close = source.closing.get(at)
    if close is not None:
        return source.text[at + 1 : close], close + 1
    mark = source.text[at : at + 1]
    if not mark.strip() or mark.isalnum() or mark in "\\{}%&$":
        return "", at
    line = source.text.find("\n", at)
    end = source.text.find(mark, at + 1, min(at + _INLINE_CHARS, line if line >= 0 else len(source.text)))
    return (source.text[at + 1 : end], end + 1) if end >= 0 else ("", at)


def with_known_inline(text: str) -> str:
    """The text with its own names for code within a line written as those that packages have.

    These are the names of `\\newmintinline`, and the signs of `\\MakeShortVerb` and `\\lstMakeShortInline`,
    which hold from there until they are taken back.
    """
    for match in list(islice(_SHORT.finditer(text), _MOST_SHORT)):
        text = _with_short(text, match[1] or match[2])
    for found in list(islice(_MINT_INLINE.finditer(text), _MOST_SHORT)):
        language = found[2]
        name = found[1] or f"{language}inline"
        known = f"\\mintinline{{{language}}}".replace("\\", "\\\\")
        text = re.sub(rf"\\{re.escape(name)}(?![A-Za-z])", known, text, count=_MOST_USES)
    return text


def _with_short(text: str, mark: str) -> str:
    """Each piece between two such signs on a line, with the command of code before it."""
    parts: list[str] = []
    begin = next((m.end() for m in _SHORT.finditer(text) if (m[1] or m[2]) == mark), len(text))
    end = text.find(f"\\DeleteShortVerb{{\\{mark}}}", begin)
    end = len(text) if end < 0 else end
    piece = re.compile(
        rf"(?P<kept>\\begin\{{(?P<name>[A-Za-z]{{1,30}}\*?)\}}|\\(?:verb|Verb|lstinline)\*?|\\.|(?<!\\)%[^\n]*)|"
        rf"{re.escape(mark)}[^{re.escape(mark)}\n]{{1,{_INLINE_CHARS}}}{re.escape(mark)}",
        re.S,
    )
    at = begin
    parts.append(text[:begin])
    while (found := piece.search(text, at, end)) is not None:
        parts.append(text[at : found.start()])
        at = found.end()
        if found["kept"] is None:
            parts.append(f"\\verb{found[0]}")
            continue
        if found["name"] in words.CODE or found["name"] in words.TABLES:
            ending = f"\\end{{{found['name']}}}" if found["name"] in words.CODE else "}"
            stop = text.find(ending, at, end)
            at = end if stop < 0 else stop
        elif found[0].startswith(("\\verb", "\\Verb", "\\lstinline")):
            stop = text.find(text[at : at + 1], at + 1, end)
            at = end if stop < 0 else stop + 1
        parts.append(text[found.start() : at])
    parts.append(text[at:])
    return "".join(parts)


def _closing_brace(text: str, at: int) -> int:
    """Where the brace that opens here is closed; -1 if it is not. In code a backslash is only a sign."""
    depth = 0
    for place in range(at, min(len(text), at + _INLINE_CHARS)):
        depth += (text[place] == "{") - (text[place] == "}")
        if not depth:
            return place
    return -1
