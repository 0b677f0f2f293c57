"""The macros of a line of mdoc (mdoc(7)): options, arguments, brackets and references become words."""

from collections.abc import Sequence
from typing import NamedTuple

from footnote_ingest.parsing.markup.mdoc_names import SYSTEMS, library, standard, system
from footnote_ingest.parsing.markup.roff_escapes import MdocWord

_AROUND = {
    "Op": ("[", "]"),
    "Pq": ("(", ")"),
    "Bq": ("[", "]"),
    "Brq": ("{", "}"),
    "Aq": ("<", ">"),
    "Dq": ("“", "”"),
    "Sq": ("‘", "’"),
    "Ql": ("‘", "’"),
    "Qq": ('"', '"'),
    "En": ("", ""),
}
_OPENED = {"Oo": "[", "Po": "(", "Bo": "[", "Bro": "{", "Ao": "<", "Do": "“", "So": "‘", "Qo": '"', "Eo": ""}
_CLOSED = {"Oc": "]", "Pc": ")", "Bc": "]", "Brc": "}", "Ac": ">", "Dc": "”", "Sc": "’", "Qc": '"', "Ec": ""}
_WORDS_ONLY = frozenset(
    {
        *("Ad", "An", "Ar", "Cd", "Cm", "Dv", "Em", "Er", "Ev", "Fa", "Fd", "Ft", "Ic", "Li", "Ms", "No"),
        *("Pa", "Sx", "Sy", "Tn", "Va", "Vt", "Nm", "Ta", "Xo", "Bk", "Ek", "Bf", "Ef", "Es"),
    }
)
"""Macros whose arguments are the text. Some only say how it looks."""

_NAMED = frozenset({"St", "Lb", *SYSTEMS})
_WITH_ARGUMENTS = frozenset(
    ["Fl", "Xr", "Ns", "Fn", "In", "Lk", "Mt", "Pf", "Ap", "Xc", "Ud", "Bt", "Rv", "Ex"]
)
INLINE = _WORDS_ONLY | _NAMED | _WITH_ARGUMENTS | _AROUND.keys() | _OPENED.keys() | _CLOSED.keys()
"""Macros that put words into the running text."""

_CLOSING = frozenset(".,:;?!)]")
_OPENING = frozenset("([")
_OPENING_WORDS = frozenset(MdocWord(sign) for sign in _OPENING)
_DELIMITERS = _CLOSING | _OPENING | {"|"}
_IN_ITS_PLACE = {"Ar": "file ...", "Pa": "~", "Mt": "~"}
"""What stands for a macro without arguments."""

_SAID = {"Ud": "currently under development.", "Bt": "is currently in beta test.", "Ap": "'"}


class Spoken(NamedTuple):
    """The text of a line, and whether it joins the text before it and behind it without a space."""

    text: str
    joins_before: bool = False
    joins_behind: bool = False


class MdocLine:
    """The words of one line, put together as mdoc spaces them."""

    def __init__(self, name: str, *, spaced: bool = True) -> None:
        """`name` is what the page is about: `Nm` without an argument stands for it."""
        self._name = name
        self._spaced = spaced
        self._pieces: list[str] = []
        self._glue = True
        self._begins_glued = False
        self._due: list[str] = []
        self._words: list[MdocWord] = []
        self._last_macro = ""

    def read(self, words: Sequence[MdocWord]) -> Spoken:
        """The text of a macro and its arguments, which can be macros again."""
        end = len(words)
        # Signs at the end of a line stand behind all brackets that the line opens.
        while end > 1 and not words[end - 1].plain and words[end - 1].text in _CLOSING:
            end -= 1
        self._words = list(words[:end])
        at = 0
        while at < end:
            at = self._take(at)
        for behind in reversed(self._due):
            self._put(behind, glue=True)
        for word in words[end:]:
            self._put(word.text, glue=True)
        text = "".join(self._pieces)
        return Spoken(text, self._begins_glued, (self._glue and bool(words)) or not self._spaced)

    def _put(self, word: str, *, glue: bool = False) -> None:
        if word:
            joins = self._glue or glue or not self._spaced or not self._pieces
            self._pieces.append(word if joins else f" {word}")
            self._glue = False

    def _attach(self) -> None:
        """The next word joins what is there, which can be the line before."""
        self._begins_glued = self._begins_glued or not self._pieces
        self._glue = True

    def _arguments(self, at: int) -> list[str]:
        """The words from here on up to the next macro or sign."""
        given: list[str] = []
        for place in range(at, len(self._words)):
            word = self._words[place]
            if not word.plain and (word.text in INLINE or word.text in _DELIMITERS):
                break
            given.append(word.text)
        return given

    def _take(self, at: int) -> int:
        """Take one macro or word, and return the place of the next."""
        word = self._words[at]
        if word.plain or (word.text not in INLINE and word.text not in _DELIMITERS):
            self._put(f"-{word.text}" if self._last_macro == "Fl" else word.text)
            return at + 1
        if word.text in _DELIMITERS:
            self._sign(word.text)
            return at + 1
        return self._macro(word.text, at + 1)

    def _sign(self, sign: str) -> None:
        if sign in _CLOSING:
            self._begins_glued = self._begins_glued or not self._pieces
            self._put(sign, glue=True)
            return
        self._put(sign)
        self._glue = sign in _OPENING

    def _macro(self, name: str, at: int) -> int:
        given = self._arguments(at)
        self._last_macro = name
        if name in _AROUND or name in _OPENED:
            while at < len(self._words) and self._words[at] in _OPENING_WORDS:
                # An opening bracket stands before what the macro opens.
                self._sign(self._words[at].text)
                at += 1
            self._put(_AROUND[name][0] if name in _AROUND else _OPENED[name])
            self._glue = True
            if name in _AROUND:
                self._due.append(_AROUND[name][1])
        elif name in _CLOSED:
            self._begins_glued = self._begins_glued or not self._pieces
            self._put(_CLOSED[name], glue=True)
        elif name == "Fl":
            if not given:
                self._put("-")
                following = self._words[at] if at < len(self._words) else None
                self._glue = following is not None and following.text not in _DELIMITERS
        elif name == "Ns":
            self._attach()
        elif name in _WITH_ARGUMENTS:
            return self._with_arguments(name, at, given)
        elif name in _NAMED:
            self._put(_named(name, given))
            return at + len(given)
        elif name == "Nm" and not given:
            self._put(self._name)
        elif not given and self._words[at : at + 1] != [MdocWord("(")]:
            self._put(_IN_ITS_PLACE.get(name, ""))
        return at

    def _with_arguments(self, name: str, at: int, given: list[str]) -> int:
        if name in _SAID:
            self._put(_SAID[name], glue=name == "Ap")
            if name == "Ap":
                self._attach()
            return at
        if name in ("Rv", "Ex"):
            self._put(ending(name, given[1:] or [self._name]))
            return at + len(given)
        if name == "Xr" and given:
            numbered = len(given) > 1 and given[1][:1].isdigit()
            self._put(f"{given[0]}({given[1]})" if numbered else given[0])
            return at + (2 if numbered else 1)
        if name == "Pf" and at < len(self._words):
            self._put(self._words[at].text)
            self._glue = True
            return at + 1
        if name == "Fn" and given:
            self._put(f"{given[0]}({', '.join(given[1:])})")
        elif name == "In" and given:
            self._put(f"<{given[0]}>")
            self._put(" ".join(given[1:]))
        elif name == "Lk" and given:
            label = " ".join(given[1:])
            self._put(f"{label} <{given[0]}>" if label else given[0])
        elif name == "Mt":
            self._put(" ".join(given) or _IN_ITS_PLACE[name])
        return at + len(given)


def _named(name: str, given: list[str]) -> str:
    if name == "St":
        return standard(given[0]) if given else ""
    if name == "Lb":
        return library(given[0]) if given else ""
    most = 2 if name == "Bx" else 1
    return " ".join((system(name, given[:most]), *given[most:]))


def ending(macro: str, names: list[str]) -> str:
    """The sentence of `.Rv` on what functions return, or of `.Ex` on how programs exit."""
    called = [f"{name}()" if macro == "Rv" else name for name in names]
    listed = called[0] if len(called) == 1 else f"{', '.join(called[:-1])} and {called[-1]}"
    several = "s" if len(called) > 1 else ""
    if macro == "Ex":
        exits = "utilities exit" if several else "utility exits"
        return f"The {listed} {exits} 0 on success, and >0 if an error occurs."
    return (
        f"The {listed} function{several} return{'' if several else 's'} the value 0 if successful; otherwise "
        "the value -1 is returned and the global variable errno is set to indicate the error."
    )
