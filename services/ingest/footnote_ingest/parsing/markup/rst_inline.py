"""The inline markup of reStructuredText: what a reader of the text sees of it.

https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html#inline-markup
"""

import re
from collections.abc import Callable, Mapping, Set

from footnote_ingest.parsing.raised_text import lowered, raised

_INLINE = re.compile(
    r"""
      \\(?P<escaped>.)
    | ``(?P<literal>(?:[^`]|`(?!`)){1,4000})``
    | (?::(?P<role>[A-Za-z][\w.+:-]{0,60}):)?
      `(?P<text>[^`]{1,2000})`
      (?P<tail>__?(?!\w)|:[A-Za-z][\w.+:-]{0,60}:)?
    | (?<![\w*])\*\*(?P<strong>[^*\s][^*]{0,2000})(?<!\s)\*\*(?!\w)
    | (?<![\w*])\*(?P<emphasis>[^*\s][^*]{0,2000})(?<!\s)\*(?![\w*])
    | (?<!\w)\|(?P<name>[^|\s`][^|]{0,100})(?<!\s)\|_{0,2}(?!\w)
    | \[(?P<note>[^\]\[\s]{1,60})\]_(?!\w)
    | (?<![\w:./-])_`(?P<here>[^`]{1,200})`
    | (?<![\w./-])(?P<word>\w[\w.-]{0,80}?)__?(?!\w)
    """,
    re.X | re.S,
)
_TITLED = re.compile(r"<([^<>]{1,1000})>$")
_SHORTENED = re.compile(
    r"(?:\w+:)?(?:func|meth|class|mod|attr|exc|data|obj|const|any|type|method|function|attribute|module)"
)
_UPS: Mapping[str, Callable[[str, str, str], str]] = {
    **dict.fromkeys(("sup", "superscript"), raised),
    **dict.fromkeys(("sub", "subscript"), lowered),
}
_LOOKED_AT = 48
"""This many characters beside raised text tell how it is written."""

_ADDRESS = ("http://", "https://", "ftp://", "mailto:")


class RstInline:
    """Reads running text.

    `names` are the substitutions that the document defines, and `targets` what a word with `_` can point to.
    """

    def __init__(self, names: Mapping[str, str], targets: Set[str]) -> None:
        self._names = names
        self._targets = targets

    def read(self, text: str) -> str:
        """The text without marks. What is not closed stays as it is."""
        return _INLINE.sub(self._shown, text)

    def _shown(self, match: re.Match[str]) -> str:
        kind = match.lastgroup
        if kind == "escaped":
            # An escaped blank parts two marks and is not seen.
            return "" if match["escaped"].isspace() else match["escaped"]
        if match["text"] is not None:
            role = match["role"] or (match["tail"] or "").strip(":_")
            if role in _UPS:
                return _shifted(match, _UPS[role])
            return _interpreted(match["text"], role)
        if kind in ("strong", "emphasis"):
            return self._within(match[kind])
        if kind == "name":
            return self._names.get(match["name"].lower(), match["name"])
        if kind == "note":
            return f"[{match['note'].lstrip('#') or '*'}]"
        if kind == "word":
            return match["word"] if match["word"].lower() in self._targets else match[0]
        return match[kind] if kind is not None else match[0]

    def _within(self, text: str) -> str:
        return self._names.get(text[1:-1].lower(), text) if text[:1] == text[-1:] == "|" else text


def _shifted(match: re.Match[str], write: Callable[[str, str, str], str]) -> str:
    """Raised or lowered text; an escaped blank may stand before it and behind it."""
    before = match.string[max(0, match.start() - _LOOKED_AT) : match.start()].removesuffix("\\ ")
    after = match.string[match.end() : match.end() + _LOOKED_AT].removeprefix("\\ ")
    return write(match["text"], before, after)


def _interpreted(text: str, role: str) -> str:
    """The words of a role or a link; the address of a link stands behind them."""
    text = re.sub(r"\\(?=.)", "", text) if role not in ("math", "code") else text
    titled = _TITLED.search(text)
    if titled is not None and (title := text[: titled.start()].strip()):
        target = titled[1].strip()
        return f"{title} ({target})" if target.startswith(_ADDRESS) and target != title else title
    if titled is not None:
        return titled[1]
    text = text.removeprefix("!")
    if text.startswith("~") and _SHORTENED.fullmatch(role):
        return text.rpartition(".")[2].lstrip("~")
    return text
