"""The commands of Texinfo within running text: marks, references, notes, accents and symbols."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from footnote_ingest.parsing.elements import one_line
from footnote_ingest.parsing.markup import texinfo_words as words
from footnote_ingest.parsing.markup.latex_source import typeset
from footnote_ingest.parsing.markup.latex_words import accented
from footnote_ingest.parsing.raised_text import lowered, raised

_TOKEN = re.compile(r"@(?:([A-Za-z]++)(\{?)|(.))|[{}]", re.S)
_ACCENTED = re.compile(r"\{(?:@dotless\{([ij])\}|([^{}@]{0,3}))\}|([A-Za-z])")
_HEX = re.compile(r"[0-9A-Fa-f]{1,5}")
_VERB_CHARS = 1_000
_MOST_ARGUMENTS_OPEN = 20
"""Arguments are collected up to this depth. Deeper ones are read as text, and nobody writes them."""


@dataclass(slots=True)
class _Brace:
    """A brace that is open. The text within goes to `pieces`, or to `arguments` where commas part them.

    `depth` says in how many lists of arguments it stands.
    """

    name: str
    literal: bool
    pieces: list[str]
    depth: int = 0
    arguments: list[list[str]] | None = None

    def say(self, text: str, *, parted: bool = False) -> None:
        if self.arguments is None:
            self.pieces.append(text)
            return
        first, *rest = text.split(",") if parted else [text]
        self.arguments[-1].append(first)
        self.arguments.extend([part] for part in rest)


@dataclass(slots=True)
class InlineText:
    """What a reader sees of running text; `notes` are the footnotes that were met, in their order.

    `values` are what `@set` gave names to.
    """

    values: Mapping[str, str]
    notes: list[str] = field(default_factory=list)

    def shown(self, text: str, *, literal: bool = False) -> str:
        """The text without its marks. A brace that nothing closes ends with the text."""
        whole: list[str] = []
        opened = [_Brace("", literal, whole)]
        at = 0
        while (token := _TOKEN.search(text, at)) is not None:
            self._say(opened[-1], text[at : token.start()])
            at = self._read(opened, text, token)
        self._say(opened[-1], text[at:])
        while len(opened) > 1:
            self._close(opened)
        return "".join(whole)

    def _say(self, brace: _Brace, text: str) -> None:
        brace.say(text if brace.literal else typeset(text), parted=True)

    def _read(self, opened: list[_Brace], text: str, token: re.Match[str]) -> int:
        """Read one command or brace; return where reading goes on."""
        name, end = token[1] or token[3], token.end()
        if token[0] == "{":
            self._open(opened, "")
        elif token[0] == "}":
            if len(opened) > 1:
                self._close(opened)
        elif name in words.ACCENTS and (token[2] or token[3]):
            letter = _ACCENTED.match(text, end - len(token[2] or ""))
            if letter is not None:
                opened[-1].say(accented(words.ACCENTS[name], letter[1] or letter[2] or letter[3] or ""))
                return letter.end()
        elif token[3] is not None:
            opened[-1].say(words.SIGNS.get(name, ""))
        elif name == "verb" and token[2]:
            return self._verb(opened[-1], text, end)
        elif token[2]:
            self._open(opened, name)
        elif name not in words.SILENT:
            opened[-1].say(token[0])
        return end

    def _verb(self, brace: _Brace, text: str, at: int) -> int:
        """A piece of code between two equal signs, in which nothing is a command."""
        end = text.find(f"{text[at : at + 1]}}}", at + 1, at + _VERB_CHARS)
        if end < 0:
            return at
        brace.say(text[at + 1 : end])
        return end + 2

    def _open(self, opened: list[_Brace], name: str) -> None:
        above = opened[-1]
        brace = _Brace(name, above.literal or name in words.LITERAL, above.pieces, above.depth)
        if name in _SAID and above.depth < _MOST_ARGUMENTS_OPEN:
            brace.depth += 1
            brace.arguments = [[]]
        elif above.arguments is not None:
            # What a mark within an argument says belongs to that argument.
            brace.pieces = above.arguments[-1]
        brace.say(words.SYMBOLS.get(name, ""))
        opened.append(brace)

    def _close(self, opened: list[_Brace]) -> None:
        brace = opened.pop()
        if brace.arguments is None:
            return
        arguments = [one_line("".join(pieces)) for pieces in brace.arguments]
        if brace.name == "footnote":
            self.notes.append(", ".join(arguments))
        elif brace.name in _UPS:
            held = opened[-1].pieces if opened[-1].arguments is None else opened[-1].arguments[-1]
            opened[-1].say(_UPS[brace.name](",".join(arguments), "".join(held[-_PIECES_BEFORE:])))
        elif brace.name == "value":
            opened[-1].say(self.values.get(arguments[0], ""))
        else:
            opened[-1].say(_SAID[brace.name](arguments))


def _reference(arguments: list[str]) -> str:
    """The title of what is referred to, or else its name, and the manual that it is in."""
    node, label, title, _, manual = [*arguments, "", "", "", "", ""][:5]
    name = title or label or node
    return f"{name} in {manual}" if manual and name else name or manual


def _address(arguments: list[str]) -> str:
    """The words of a link with its address behind them, or what is to stand for both."""
    address, said, instead = [*arguments, "", "", ""][:3]
    return instead or (f"{said} ({address})" if said and said != address else address)


def _mail(arguments: list[str]) -> str:
    address, name = [*arguments, "", ""][:2]
    return f"{name} ({address})" if name else address


def _picture(arguments: list[str]) -> str:
    """What is said in the place of a picture."""
    return ([*arguments, "", "", "", ""])[3]


def _character(arguments: list[str]) -> str:
    code = arguments[0]
    return chr(int(code, 16)) if _HEX.fullmatch(code) else ""


def _nothing(_: list[str]) -> str:
    return ""


def _last(arguments: list[str]) -> str:
    return arguments[-1]


_SAID: Mapping[str, Callable[[list[str]], str]] = {
    "ref": _reference,
    "xref": lambda arguments: f"See {_reference(arguments)}",
    "pxref": lambda arguments: f"see {_reference(arguments)}",
    "inforef": lambda arguments: f"See {_reference(arguments)}",
    "link": _reference,
    "uref": _address,
    "url": _address,
    "email": _mail,
    "acronym": _mail,
    "abbr": _mail,
    "image": _picture,
    "U": _character,
    "anchor": _nothing,
    "namedanchor": _last,
    "inlineraw": _nothing,
    "inlinefmt": _nothing,
    "shortcaption": _nothing,
    "footnote": _nothing,
    "sup": _nothing,
    "sub": _nothing,
    "value": _nothing,
}
"""What the arguments of a command say. `footnote`, `value`, `sup` and `sub` are answered by the reader."""

_UPS: Mapping[str, Callable[[str, str], str]] = {"sup": raised, "sub": lowered}
_PIECES_BEFORE = 4
"""This many pieces before raised text tell how it is written."""
