"""The inline markup of AsciiDoc: what a reader of the text sees of it, with the values of its attributes.

https://docs.asciidoctor.org/asciidoc/latest/text/ and https://docs.asciidoctor.org/asciidoc/latest/macros/
"""

import re

from footnote_ingest.parsing.raised_text import lowered, raised

_ATTRIBUTE = re.compile(r"(\\?)\{([\w][\w-]{0,60})\}")
_INLINE = re.compile(
    r"""
      \\(?P<escaped>[*_`#^~+]{1,2}|<<|\[\[)
    | (?<![\w+])(?P<plus>\+{1,3})(?P<passed>[^\s+](?:[^+]{0,1000}[^\s+])?)(?P=plus)(?![\w+])
    | (?<![\w`])(?P<tick>`{1,2})(?P<code>[^\s`](?:[^`]{0,1000}[^\s`])?)(?P=tick)(?!\w)
    | (?:(?P<note>footnote(?:ref)?)|(?<![\w:/.-])(?P<macro>[a-z][a-z\d-]{0,20})):
      (?P<target>[^\s\[\]`<>"']{0,500})
      \[(?P<said>(?:[^\[\]\\]|\\.|\[[^\[\]]{0,300}\]){0,2000})\]
    | <<(?P<place>[\w\#/.:][^<>,]{0,200})(?:,(?P<words>[^<>]{1,500}))?>>
    | \[\[\[(?P<entry>[^\[\],]{1,100})(?:,[^\[\]]{0,100})?\]\]\]
    | (?<!\w)\[\[(?P<anchor>[A-Za-z_:][^\[\]]{0,200})\]\]
    | \(\(\((?P<hidden>[^()]{1,300})\)\)\)
    | \(\((?P<term>[^()]{1,300})\)\)
    | (?P<role>\[[.\#%A-Za-z][\w.\#%-]{0,100}\])(?=[*_`\#])
    | (?<![\w*])(?P<star>\*{1,2})(?P<strong>[^\s*](?:[^*]{0,1000}[^\s*])?)(?P=star)(?![\w*])
    | (?<![\w_])(?P<line>_{1,2})(?P<emphasis>[^\s_](?:[^_]{0,1000}[^\s_])?)(?P=line)(?!\w)
    | (?<![\w\#])(?P<hash>\#{1,2})(?P<marked>[^\s\#](?:[^\#]{0,1000}[^\s\#])?)(?P=hash)(?!\w)
    | (?<=[\w%.,)])\^(?P<raised>[\w+,;-]{1,30})\^
    | (?<=\w)~(?P<lowered>[\w+-]{1,30})~
    """,
    re.X | re.S,
)
_OPTIONS = re.compile(r",[ ]*[\w-]{1,40}=")
_ADDRESS = ("http://", "https://", "ftp://", "irc://", "mailto:")
_SCHEMES = frozenset(("http", "https", "ftp", "irc"))
_SHOWN_AS_SAID = frozenset(("kbd", "btn", "stem", "latexmath", "asciimath", "pass", "indexterm2"))
_MANUAL_PAGES = frozenset(("linkgit", "linkman", "man"))
_NOT_SHOWN = frozenset(("anchor", "indexterm", "icon"))

_GIVEN = {
    "amp": "&",
    "apos": "'",
    "asterisk": "*",
    "backslash": "\\",
    "backtick": "`",
    "blank": "",
    "caret": "^",
    "cpp": "C++",
    "empty": "",
    "endsb": "]",
    "gt": ">",
    "ldquo": "“",
    "lsquo": "‘",
    "lt": "<",
    "nbsp": " ",
    "plus": "+",
    "quot": '"',
    "rdquo": "”",
    "rsquo": "’",
    "sp": " ",
    "startsb": "[",
    "tilde": "~",
    "two-colons": "::",
    "two-semicolons": ";;",
    "vbar": "|",
    "zwsp": "",
}
"""What AsciiDoc itself defines (https://docs.asciidoctor.org/asciidoc/latest/attributes/character-replacement-ref/)."""

_MOST_ATTRIBUTES = 500
_LONGEST_VALUE = 500
_MOST_SUBSTITUTED = 200_000
"""The values of attributes add at most this many characters to a document. Later names stay as they are."""

_DEEPEST = 4
"""Nested marks are read to this depth, so that the work grows with the length of the text alone."""


class AsciiDocInline:
    """Reads running text, and keeps the attributes and the footnotes that it has met.

    A value is looked up once and never read for more names, so no value can grow by itself.
    """

    def __init__(self) -> None:
        self._attributes: dict[str, str] = dict(_GIVEN)
        self._left = _MOST_SUBSTITUTED
        self._notes: list[str] = []
        self._numbers: dict[str, int] = {}
        self._noted = 0

    def define(self, name: str, value: str | None) -> None:
        """Give an attribute its value, which may name earlier ones. None removes the attribute."""
        if value is None:
            self._attributes.pop(name.lower(), None)
        elif len(self._attributes) < _MOST_ATTRIBUTES:
            self._attributes[name.lower()] = self.substituted(value)[:_LONGEST_VALUE]

    def substituted(self, text: str) -> str:
        """The text with the values of the attributes that it names. Unknown names stay."""
        return _ATTRIBUTE.sub(self._value, text)

    def read(self, text: str) -> str:
        """The text without marks. What is not closed stays as it is."""
        return self._read(self.substituted(text), 0)

    def notes(self) -> list[str]:
        """The footnotes that were met since the last call, each with its number before it."""
        notes, self._notes = self._notes, []
        return notes

    def _value(self, match: re.Match[str]) -> str:
        if match[1]:
            return match[0][1:]
        value = self._attributes.get(match[2].lower())
        if value is None or len(value) > self._left:
            return match[0]
        self._left -= len(value)
        return value

    def _read(self, text: str, depth: int) -> str:
        if depth > _DEEPEST:
            return text
        return _INLINE.sub(lambda match: self._shown(match, depth), text)

    def _shown(self, match: re.Match[str], depth: int) -> str:
        if match["said"] is not None:
            return self._macro(match, depth)
        if match["place"] is not None:
            return self._read(match["words"].strip(), depth + 1) if match["words"] else _named(match["place"])
        for kind in ("strong", "emphasis", "marked", "term"):
            if match[kind] is not None:
                return self._read(match[kind], depth + 1)
        if match["code"] is not None:
            code = match["code"]
            # Pluses right inside say that nothing between them is markup.
            return code[1:-1] if len(code) > 2 and code[0] == code[-1] == "+" else code
        if match["entry"] is not None:
            return f"[{match['entry']}]"
        if match["raised"] is not None:
            # The end of `1^st^` is a part of the word.
            up = match["raised"]
            written = raised(up, match.string[: match.start()], match.string[match.end() :][:3])
            return f"^{up}" if written == up and len(up) == 1 else written
        if match["lowered"] is not None:
            return lowered(match["lowered"], match.string[: match.start()], match.string[match.end() :][:3])
        return match["escaped"] or match["passed"] or ""

    def _macro(self, match: re.Match[str], depth: int) -> str:
        name, target = match["note"] or match["macro"], match["target"]
        said = match["said"].replace("\\]", "]").strip()
        if name in ("footnote", "footnoteref"):
            return self._footnote(name, target, said, depth)
        if name in _SCHEMES or name in ("link", "mailto", "xref"):
            return self._link(name, target, said, depth)
        if name in _SHOWN_AS_SAID:
            return said
        if name in _NOT_SHOWN:
            return ""
        if name == "menu":
            return " > ".join(part for part in (target, said) if part)
        if name == "image":
            return first_words(said)
        if name in _MANUAL_PAGES:
            return f"{target}({said})" if said else target
        # A macro that is not known here: its marks stay, but what is said in it is read.
        return f"{name}:{target}[{self._read(match['said'], depth + 1)}]"

    def _link(self, name: str, target: str, said: str, depth: int) -> str:
        """The words of a link. Its address stands behind them if it leads to another site."""
        address = f"{name}:{target}" if name in _SCHEMES else target.strip("+")
        words = self._read(first_words(said).removesuffix("^").strip(), depth + 1)
        if name == "xref":
            return words or _named(address)
        return f"{words} ({address})" if words and address.startswith(_ADDRESS) else words or address

    def _footnote(self, name: str, target: str, said: str, depth: int) -> str:
        if name == "footnoteref":
            target, _, said = said.partition(",")
        if target in self._numbers and not said:
            return f"[{self._numbers[target]}]"
        self._noted += 1
        number = self._noted
        if target:
            self._numbers[target] = number
        if said:
            self._notes.append(f"[{number}] {self._read(said.strip(), depth + 1)}")
        return f"[{number}]"


def first_words(said: str) -> str:
    """The words in the brackets of a macro, without the options behind them."""
    if said.startswith('"') and (end := said.find('"', 1)) > 0:
        return said[1:end]
    if re.match(r"[\w-]{1,40}=", said):
        named = re.search(r"\b(?:alt|title)=(?:\"([^\"]{0,500})\"|([^,\"]{1,500}))", said)
        return (named[1] or named[2] or "") if named is not None else ""
    options = _OPTIONS.search(said)
    return said[: options.start()] if options is not None else said


def _named(place: str) -> str:
    """What a reference without words shows: the name of its target, with blanks for underscores."""
    path, _, anchor = place.rpartition("#")
    name = anchor or path
    return name.strip("_").replace("_", " ") if name.startswith("_") else name
