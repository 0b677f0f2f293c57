"""The escapes of roff (groff(7), groff_char(7)): what a line of a manual page reads as."""

import re
from collections.abc import Mapping

from footnote_ingest.parsing.raised_text import raised

_ESCAPE = re.compile(
    r"""\\(?:
      (?P<comment>["#].*)
    | f(?:\[[^\]\n]{0,40}\]|\(..|.)
    | [mMFRYVgk](?:\[[^\]\n]{0,40}\]|\(..|.)
    | s(?:[-+]?\d{1,2}|\[[^\]\n]{0,9}\]|'[^'\n]{0,9}')
    | \*(?:\[(?P<string3>[^\]\n]{1,40})\]|\((?P<string2>..)|(?P<string1>[^\[(]))
    | n[+-]?(?:\[[^\]\n]{1,40}\]|\(..|.)
    | [hvwlLDNZxXbBoSAH]'[^'\n]{0,80}'
    | \((?P<char2>..)
    | \[(?P<char>[^\]\n]{1,40})\]
    | (?P<sign>.)
    )""",
    re.X,
)
_SIGNS = {
    "e": "\\",
    "-": "-",
    "~": " ",
    " ": " ",
    "0": " ",
    "t": "\t",
    "'": "'",
    "`": "`",
    "\\": "\\",
    ".": ".",
}
_CHARS = {
    "aq": "'",
    "dq": '"',
    "lq": "“",
    "rq": "”",
    "oq": "‘",
    "cq": "’",
    "em": "—",
    "en": "–",
    "hy": "-",
    "mi": "-",
    "bu": "•",
    "co": "©",
    "rg": "®",
    "tm": "™",
    "rs": "\\",
    "ti": "~",
    "ha": "^",
    "ga": "`",
    "aa": "´",
    "ul": "_",
    "ba": "|",
    "or": "|",
    "sl": "/",
    "at": "@",
    "sh": "#",
    "Do": "$",
    "lB": "[",
    "rB": "]",
    "lC": "{",
    "rC": "}",
    "la": "⟨",
    "ra": "⟩",
    "fo": "‹",
    "fc": "›",
    "Fo": "«",
    "Fc": "»",
    "->": "→",
    "<-": "←",
    "<=": "≤",
    ">=": "≥",
    "!=": "≠",
    "==": "≡",
    "+-": "±",
    "mu": "×",
    "de": "°",
    "12": "½",
    "14": "¼",
    "34": "¾",
    "eu": "€",
    "Po": "£",
    "ct": "¢",
    "sc": "§",
    "ps": "¶",
    "dg": "†",
    "dd": "‡",
    "ss": "ß",
    "ae": "æ",
    "AE": "Æ",
    "oe": "œ",
    "OE": "Œ",
    "/o": "ø",
    "/O": "Ø",
    "oa": "å",
    "oA": "Å",
    ":a": "ä",
    ":o": "ö",
    ":u": "ü",
    ":A": "Ä",
    ":O": "Ö",
    ":U": "Ü",
    "'a": "á",
    "'e": "é",
    "'i": "í",
    "'o": "ó",
    "'u": "ú",
    "`a": "à",
    "`e": "è",
    "^e": "ê",
    ",c": "ç",
    "~n": "ñ",
    "pc": "·",
    "OK": "✓",
}
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
}
_UP = re.compile(r"(?:\\s-?\d)?\\u(?:\\s-?\d)?(?P<up>[^\\\n]{1,12})(?:\\s[+-]?\d)?\\d(?:\\s[+-]?\d)?")
"""Half a line up and down again, often in a smaller size."""

_LOOKED_AT = 48
_UNICODE = re.compile(r"u([0-9A-F]{4,6})")
_LAST_CHARACTER = 0x10FFFF


_HELD = str.maketrans(' "', "\ue000\ue001")
_LET_GO = str.maketrans("\ue000\ue001", ' "')
_ARGUMENT = re.compile(r'"((?:[^"]|"")*+)"?|(\S+)')


def arguments(line: str, strings: Mapping[str, str]) -> list[str]:
    """The arguments of a macro as a reader sees them. One in double quotes may hold spaces.

    A space or a quote that an escape stands for parts nothing.
    """
    found = _ARGUMENT.findall(unescaped(line, strings, held=True))
    return [
        (quoted.replace('""', '"') if plain == "" else plain).translate(_LET_GO) for quoted, plain in found
    ]


def raw_arguments(line: str) -> list[str]:
    """The arguments of a macro with their escapes, which are read where the macro says them."""
    return [
        quoted.replace('""', '"') if plain == "" else plain
        for quoted, plain in _ARGUMENT.findall(line.partition('\\"')[0])
    ]


def unescaped(line: str, strings: Mapping[str, str], *, held: bool = False) -> str:
    """The line as a reader sees it: without fonts and motions. `strings` are those that the page defines.

    With `held=True`, spaces and quotes that an escape stands for are characters of private use.
    """

    def put(match: re.Match[str]) -> str:
        return shown(match).translate(_HELD)

    def shown(match: re.Match[str]) -> str:
        string = match["string1"] or match["string2"] or match["string3"]
        if string is not None:
            return strings.get(string, _STRINGS.get(string, ""))
        char = match["char2"] or match["char"]
        if char is not None:
            return _character(char)
        return _SIGNS.get(match["sign"], "") if match["sign"] is not None else ""

    if "\\" not in line:
        return line
    return _ESCAPE.sub(put if held else shown, _UP.sub(_raised, line) if "\\u" in line else line)


def _raised(match: re.Match[str]) -> str:
    before = _ESCAPE.sub("", match.string[max(0, match.start() - _LOOKED_AT) : match.start()])
    return raised(match["up"], before, match.string[match.end() : match.end() + 1])


def _character(name: str) -> str:
    coded = _UNICODE.fullmatch(name)
    if coded:
        number = int(coded.group(1), 16)
        return chr(number) if number <= _LAST_CHARACTER else "\ufffd"
    return _CHARS.get(name, "")
