"""The escapes of roff (groff(7), groff_char(7)): what a line of a manual page reads as."""

import re
from collections.abc import Mapping
from itertools import islice
from typing import NamedTuple

from footnote_ingest.parsing.markup.roff_characters import character, numbered, struck_over
from footnote_ingest.parsing.raised_text import raised

_ESCAPE = re.compile(
    r"""\\(?:
      (?P<comment>["\#].*)
    | f(?:\[[^\]\n]{0,40}\]|\(..|.)
    | F\[\\n\[[^\]\n]{1,40}\]\]
    | [mMFRYVgkO](?:\[[^\]\n]{0,40}\]|\(..|.)
    | s(?:[-+]?\d{1,2}|\[[^\]\n]{0,9}\]|'[^'\n]{0,9}')
    | \*(?:\[(?P<string3>[^\]\n]{1,40})\]|\((?P<string2>..)|(?P<string1>[^\[(]))
    | n[+-]?(?:\[[^\]\n]{1,40}\]|\(..|.)
    | h(?P<by>['"])(?P<motion>[^'"\n]{0,80})(?P=by)
    | N(?P<by_number>['"])(?P<number>\d{1,9})(?P=by_number)
    | C'(?P<char3>[^'\n]{1,40})'
    | o'(?P<struck1>[^'\n]{1,80})'|o"(?P<struck2>[^"\n]{1,80})"
    | [vwlLDZxXbBSAHR]'[^'\n]{0,80}'|[vwlLDZxXbBSAHR]"[^"\n]{0,80}"
    | \((?P<char2>..)
    | \[(?P<char>[^\]\n]{1,40})\]
    | (?P<sign>.)
    )""",
    re.X,
)
_WIDTH = re.compile(r"""\\w(?:'[^'\n]{0,200}'|"[^"\n]{0,200}")""")
"""The width of a text is asked for within other escapes; the text is not printed there."""

_FORWARD = re.compile(r"\+?(?:\d{1,4}\.?\d{0,4}|\.\d{1,4})[nmi]?")
"""A motion by a plain length. On a terminal it leaves a gap."""

_LEAST_MOTION = 0.5
_HYPHENS = str.maketrans("\u2010\u00ad", "--")
"""Signs that are printed as a hyphen, whatever the writer of the page has typed."""

_SIGNS = {
    "e": "\\",
    "E": "\\",
    "\\": "\\",
    "-": "-",
    "~": " ",
    " ": " ",
    "0": " ",
    "t": "\t",
    **dict.fromkeys("&|^%:/,)cpduraz{}!?", ""),
    **dict.fromkeys("fFgkmMnNoORsSvVwxXYZABbDhHlLC*$(", ""),
    "[": "",
    '"': "",
    "#": "",
}
"""Escapes of one sign. The last ones are the beginnings of longer escapes that are broken off.

A sign that is no escape stands for itself.
"""

_STRINGS = {
    "lq": "“",
    "rq": "”",
    "R": "®",
    "Tm": "™",
    "Aq": "'",
    "--": "—",
    "C+": "C++",
    "Gt": ">",
    "Lt": "<",
    "Ge": "≥",
    "Le": "≤",
    "Ne": "≠",
    "Pm": "±",
    "If": "∞",
    "Pi": "π",
    "Am": "&",
    "Ba": "|",
    "q": '"',
}
_UP = re.compile(r"(?:\\s-?\d)?\\u(?:\\s-?\d)?(?P<up>[^\\\n]{1,12})(?:\\s[+-]?\d)?\\d(?:\\s[+-]?\d)?")
"""Half a line up and down again, often in a smaller size."""

_LOOKED_AT = 48
_HELD = str.maketrans(' "', "\ue000\ue001")
_LET_GO = str.maketrans({"\ue000": " ", "\ue001": '"', "\ue002": None})
_NOTHING = "\ue002"
"""Stands for `\\&`: what begins with it is no macro of mdoc and no sign between words."""

_SIGN = re.compile(r"\\(?:\[[^\]\n]{1,40}\]|\(..|.)|.")
_MOST_INSTEAD = 200
_ARGUMENT = re.compile(r'"((?:[^"]|"")*+)"?|(\S+)')


class PageStrings(dict[str, str]):
    """The strings that a page defines, and what it has printed in the place of characters (`.tr`)."""

    def __init__(self) -> None:
        super().__init__()
        self.printed: dict[int, str] = {}

    def print_instead(self, pairs: str) -> None:
        """Take characters in pairs: each second one is printed for the first, a blank where it lacks."""
        found = islice(_SIGN.finditer(pairs), 2 * _MOST_INSTEAD)
        signs = [unescaped(sign[0], self, printed=False) for sign in found]
        for sign, instead in zip(signs[::2], [*signs[1::2], " "], strict=False):
            if len(sign) == 1 and len(self.printed) < _MOST_INSTEAD:
                self.printed[ord(sign)] = instead


def arguments(line: str, strings: Mapping[str, str]) -> list[str]:
    """The arguments of a macro as a reader sees them. One in double quotes may hold spaces.

    A space or a quote that an escape stands for parts nothing.
    """
    found = _ARGUMENT.findall(unescaped(line, strings, held=True))
    return [
        (quoted.replace('""', '"') if plain == "" else plain).translate(_LET_GO) for quoted, plain in found
    ]


class MdocWord(NamedTuple):
    """An argument of a macro of mdoc. A `plain` one is neither a macro nor a delimiter, whatever it says."""

    text: str
    plain: bool = False


def words_of(line: str, strings: Mapping[str, str]) -> list[MdocWord]:
    """The arguments of a macro of mdoc: what is quoted, or has `\\&` at an end, is plain."""
    found = _ARGUMENT.findall(unescaped(line, strings, held=True))
    return [
        MdocWord(quoted.replace('""', '"').translate(_LET_GO), plain=True)
        if bare == ""
        else MdocWord(bare.translate(_LET_GO), plain=_NOTHING in (bare[0], bare[-1]))
        for quoted, bare in found
    ]


def raw_arguments(line: str) -> list[str]:
    """The arguments of a macro with their escapes, which are read where the macro says them."""
    return [
        quoted.replace('""', '"') if plain == "" else plain
        for quoted, plain in _ARGUMENT.findall(line.partition('\\"')[0])
    ]


def unescaped(line: str, strings: Mapping[str, str], *, held: bool = False, printed: bool = True) -> str:
    """The line as a reader sees it: without fonts and motions. `strings` are those that the page defines.

    With `held=True`, spaces and quotes that an escape stands for are characters of private use. A line that
    is not `printed` keeps the characters for which the page has others printed.
    """

    def put(match: re.Match[str]) -> str:
        return shown(match).translate(_HELD)

    def shown(match: re.Match[str]) -> str:
        string = match["string1"] or match["string2"] or match["string3"]
        if string is not None:
            return strings.get(string, _STRINGS.get(string, ""))
        char = match["char2"] or match["char"] or match["char3"]
        if char is not None:
            own = strings.get(f"[{char}]") if match["char"] is not None else None
            return character(char) if own is None else own
        if match["number"] is not None:
            return numbered(match["number"])
        struck = match["struck1"] or match["struck2"]
        if struck is not None:
            return struck_over(_ESCAPE.sub(shown, struck))
        if match["motion"] is not None:
            return " " if _moves_on(match["motion"]) else ""
        sign = match["sign"]
        if held and sign == "&":
            return _NOTHING
        return _SIGNS.get(sign, sign) if sign is not None else ""

    line = line.translate(_HYPHENS)
    if "\\w" in line:
        line = _WIDTH.sub("0", line)
    if "\\" in line:
        line = _ESCAPE.sub(put if held else shown, _UP.sub(_raised, line) if "\\u" in line else line)
    if printed and isinstance(strings, PageStrings) and strings.printed:
        line = line.translate(strings.printed)
    return line


def _moves_on(motion: str) -> bool:
    return _FORWARD.fullmatch(motion) is not None and float(motion.strip("+nmi")) >= _LEAST_MOTION


def _raised(match: re.Match[str]) -> str:
    before = _ESCAPE.sub("", match.string[max(0, match.start() - _LOOKED_AT) : match.start()])
    return raised(match["up"], before, match.string[match.end() : match.end() + 1])
