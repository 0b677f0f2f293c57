"""Encodings that short texts of some languages tell by their letters, where statistics take them for others.

Greek in its encodings is taken for Russian, Turkish for Western text and Polish for Lithuanian. A text counts
as one of them if it has no other letters beyond ASCII and some that stand as they do in its words.
"""

import re

_PUNCTUATION = bytes([*range(0x80, 0xA1), 0xA7, 0xAB, 0xAD, 0xB0, 0xB7, 0xBB])
"""Quotation marks, dashes and the like, which these encodings have at the places of Windows."""

_TURKISH = "çğıöşüÇĞİÖŞÜâîûÂÎÛ".encode("cp1254")
_POLISH = "ąćęłńóśźżĄĆĘŁŃÓŚŹŻ".encode("iso8859_2")
_TURKISH_WORD = re.compile(rb"[A-Za-z\xe7\xf6\xfc](?:\xfd|\xfe|\xf0)")
_POLISH_WORD = re.compile(rb"[A-Za-z](?:\xb1|\xb3|\xb6)")
_LEAST_TOLD = 3
"""So many letters that only this language has stand behind another letter."""

_GREEK_LETTER = rb"[\xb6\xb8-\xba\xbc\xbe\xbf-\xfe]"
_GREEK_WORD = re.compile(rb"(?<![\x80-\xff])" + _GREEK_LETTER + rb"{2,60}(?![\x80-\xff])")
_GREEK_END = frozenset("αεηιουωάέήίόύώςν".encode("cp1253"))
_SIGMA, _LAST_SIGMA = 0xF3, 0xF2
_ACCENT = re.compile(rb"[\xe0-\xfe]{2}[\xdc-\xdf]")
"""A vowel with its accent within a word, which is a capital letter in Russian of Windows."""

_LEAST_GREEK, _LEAST_GREEK_ENDS = 2, 0.85
"""So many words have that vowel or end with the sigma of ends, and this share end as words of Greek do."""


def encoding_by_letters(sample: bytes) -> str | None:
    """The encoding of a text of Greek, Turkish or Polish; None for any other one."""
    high = frozenset(sample) - frozenset(range(0x80)) - frozenset(_PUNCTUATION)
    if high <= frozenset(_TURKISH) and _count(_TURKISH_WORD, sample) >= _LEAST_TOLD:
        return "cp1254"
    if high <= frozenset(_POLISH) and _count(_POLISH_WORD, sample) >= _LEAST_TOLD:
        return "iso8859_2"
    return _greek(sample)


def _count(words: re.Pattern[bytes], sample: bytes) -> int:
    return sum(1 for _ in words.finditer(sample))


def _greek(sample: bytes) -> str | None:
    words = _GREEK_WORD.findall(sample)
    ends = [word[-1] for word in words]
    inside = any(_LAST_SIGMA in word[:-1] for word in words)
    told = ends.count(_LAST_SIGMA) + sum(_ACCENT.search(word) is not None for word in words)
    if told < _LEAST_GREEK or inside or _SIGMA in ends:
        return None
    if sum(end in _GREEK_END for end in ends) < _LEAST_GREEK_ENDS * len(ends):
        return None
    # The capital alpha with its accent is where Windows has the sign of a paragraph.
    return "iso8859_7" if any(word[0] == 0xB6 for word in words) else "cp1253"
