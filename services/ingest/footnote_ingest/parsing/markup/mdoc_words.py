"""The macros of a line of mdoc (mdoc(7)): options, arguments, brackets and references become words."""

import re
from collections.abc import Sequence

INLINE = frozenset(
    {
        "Nm",
        "Fl",
        "Ar",
        "Op",
        "Oo",
        "Oc",
        "Cm",
        "Ic",
        "Pa",
        "Xr",
        "Em",
        "Sy",
        "Li",
        "Dq",
        "Sq",
        "Ql",
        "Qq",
        "Pq",
        "Bq",
        "Brq",
        "Aq",
        "Ev",
        "Dv",
        "Er",
        "Va",
        "Vt",
        "Fa",
        "Fn",
        "Ft",
        "An",
        "Ad",
        "Ns",
        "No",
        "Lk",
        "Mt",
        "Cd",
        "In",
        "St",
        "Sx",
        "Tn",
        "Ux",
        "Bx",
        "Fx",
        "Nx",
        "Ox",
        "At",
        "Do",
        "Dc",
        "So",
        "Sc",
        "Qo",
        "Qc",
        "Po",
        "Pc",
        "Bo",
        "Bc",
        "Bro",
        "Brc",
        "Ao",
        "Ac",
        "Ms",
        "Eo",
    }
)
"""Macros that put words into the running text."""

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
    "Eo": ("", ""),
}
_OPENED = {"Oo": "[", "Po": "(", "Bo": "[", "Bro": "{", "Ao": "<", "Do": "“", "So": "‘", "Qo": '"'}
_CLOSED = {"Oc": "]", "Pc": ")", "Bc": "]", "Brc": "}", "Ac": ">", "Dc": "”", "Sc": "’", "Qc": '"'}
_PLAIN = frozenset(
    {
        "Ar",
        "Ad",
        "An",
        "Cd",
        "Cm",
        "Dv",
        "Em",
        "Er",
        "Ev",
        "Fa",
        "Fn",
        "Ft",
        "Ic",
        "In",
        "Li",
        "Ms",
        "No",
        "Pa",
        "Sy",
        "Tn",
        "Va",
        "Vt",
        "Lk",
        "Mt",
        "Nm",
        "St",
        "Sx",
        "Ux",
        "Rs",
        "Ta",
        "Fx",
        "Nx",
        "Ox",
        "Bx",
        "At",
    }
)
_NAMES = {"Ux": "UNIX", "Fx": "FreeBSD", "Nx": "NetBSD", "Ox": "OpenBSD", "Bx": "BSD", "At": "AT&T UNIX"}
_ENDS = frozenset(".,:;?!)]")
_POINT_INSIDE = re.compile(r" ?([.,;:])([\]})>”’]{1,9})\Z")


class MdocLine:
    """The words of one line, put together as mdoc spaces them."""

    def __init__(self, name: str) -> None:
        """`name` is what the page is about: `Nm` without an argument stands for it."""
        self._name = name
        self._text = ""
        self._glue = True
        self._flag = False
        self._due: list[str] = []

    def read(self, words: Sequence[str]) -> str:
        """The text of a macro and its arguments, which can be macros again."""
        at = 0
        while at < len(words):
            at += self._take(words[at], words[at + 1 :][:2])
        for behind in reversed(self._due):
            self._put(behind, glue=True)
        # mdoc puts a last point behind the brackets.
        return _POINT_INSIDE.sub(r"\2\1", self._text)

    def _put(self, word: str, *, glue: bool = False) -> None:
        if word:
            self._text += word if self._glue or glue or not self._text else f" {word}"
            self._glue = False

    def _take(self, word: str, following: Sequence[str]) -> int:
        """Take one word, and return how many words that were."""
        alone = not following or following[0] in _PLAIN or following[0] in _ENDS
        if word in _AROUND or word in _OPENED:
            before, behind = _AROUND.get(word, (_OPENED.get(word, ""), ""))
            self._put(before)
            self._glue = True
            self._due.append(behind)
        elif word in _CLOSED or word in _ENDS:
            self._put(_CLOSED.get(word, word), glue=True)
        elif word == "Fl":
            self._flag = not alone
            self._put("-" if alone else "")
        elif word == "Xr" and following:
            numbered = len(following) > 1 and following[1][:1].isdigit()
            self._put(f"{following[0]}({following[1]})" if numbered else following[0])
            return 3 if numbered else 2
        elif word == "Ns":
            self._glue = True
        elif word in _PLAIN:
            self._flag = False
            self._put(self._name if word == "Nm" and alone else _NAMES.get(word, ""))
        else:
            self._flag = self._flag and word != "|"
            self._put(f"-{word}" if self._flag else word)
        return 1
