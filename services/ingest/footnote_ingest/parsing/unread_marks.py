"""What a plain text holds for programs and not for readers: signatures, and settings of editors."""

import re

_SIGNED = "-----BEGIN PGP SIGNED MESSAGE-----"
_SIGNATURE, _SIGNATURE_END = "-----BEGIN PGP SIGNATURE-----", "-----END PGP SIGNATURE-----"
_HASH = re.compile(r"(?:\nHash: [\w, -]{1,60})?")
_LOCAL = re.compile(r"^[^\w\n]{0,10}Local Variables:[^\w\n]{0,10}$", re.M | re.I)
_VARIABLE, _LOCAL_END = (
    re.compile(r"[^\w\n]{0,10}[A-Za-z][\w-]{0,60}: ?\S.{0,300}"),
    re.compile(r"[^\w\n]{0,10}End:.{0,10}"),
)
_MODE_LINE = re.compile(
    r"^[^\w\n]{0,10}(?:(?:vim?|ex):[ \t]?set?[ ]|vim?:[ \t]?(?=[a-z]{2,20}=))[\w=, :./-]{1,200}"
    r"[^\w\n]{0,10}$",
    re.M,
)
_EDGE_CHARS = 3_000
"""Editors look for their settings in so many of the first and the last characters, at most."""

_HELP = re.compile(r"\*[\w.+-]{1,60}\*[ \t]")
_ANCHORS = re.compile(r"(?<![ \t])(?:[ \t]{1,80}\*[^*\s|]{1,80}\*){1,20}[ \t]{0,8}$|[ ]~$", re.M)
"""How help of Vim begins, and what its lines end with: names to jump to, the mark of a head of columns."""

_NOT_A_BREAK = re.compile(r"[^\n]")


def without_unread_marks(text: str) -> str:
    """The text with blanks in the place of such marks; all else keeps its place."""
    if _HELP.match(text) is not None:
        text = _ANCHORS.sub(lambda mark: " " * len(mark[0]), text)
    for begin, end in sorted(_marks(text), reverse=True):
        text = text[:begin] + _NOT_A_BREAK.sub(" ", text[begin:end]) + text[end:]
    return text


def _marks(text: str) -> set[tuple[int, int]]:
    found: set[tuple[int, int]] = set()
    begin = len(text) - len(text.lstrip())
    if text.startswith(_SIGNED, begin):
        hashed = _HASH.match(text, begin + len(_SIGNED))
        found.add((begin, hashed.end() if hashed is not None else begin + len(_SIGNED)))
        signature = text.rfind(_SIGNATURE)
        end = text.find(_SIGNATURE_END, signature)
        if 0 <= signature < end:
            found.add((signature, end + len(_SIGNATURE_END)))
    last = max(0, len(text) - _EDGE_CHARS)
    local = next(filter(None, (_settings(text, mark) for mark in _LOCAL.finditer(text, last))), None)
    if local is not None:
        found.add(local)
    for edge in ((0, min(len(text), _EDGE_CHARS)), (last, local[0] if local is not None else len(text))):
        found |= {mark.span() for mark in _MODE_LINE.finditer(text, *edge)}
    return found


def _settings(text: str, mark: re.Match[str]) -> tuple[int, int] | None:
    """Where settings begin and end, each a name and a value in a line; None if other lines stand there."""
    at = mark.end() + 1
    for line in text[at:].split("\n"):
        if _LOCAL_END.fullmatch(line):
            return mark.start(), at + len(line)
        if _VARIABLE.fullmatch(line) is None:
            return None
        at += len(line) + 1
    return None
