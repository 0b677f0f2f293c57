"""Which sentences can stand in an answer. Pure."""

import re

from footnote_agent.engines.terms import words_of

MIN_CHARS, MAX_CHARS, MIN_WORDS = 25, 700, 5
"""Size of a sentence that can stand in an answer. One without an end mark needs twice as many words."""

SHORT_CHARS, SHORT_WORDS = 12, 3
"""The same of a whole sentence with a figure: "It costs 4 euros." says what was asked."""

FEWEST_BEHIND = 3
"""Words of a sentence that is quoted with the one before it, at least."""

MIN_LETTERS = 0.6
"""Share of letters and spaces below which a sentence is a row of figures."""

MOST_LETTERS_ALONE = 0.4
"""Share of words of one sign above which a sentence is a drawing or a row of marks."""

FEW_SYNTAX = 4
"""This many angle brackets, bars and braces may stand in any sentence."""

MAX_SYNTAX = 0.03
"""Share of angle brackets, bars and braces above which a sentence is the synopsis of a command."""

MOST_ADDRESSES = 2
"""Addresses in a sentence at most. With more it is a list of them."""

MOST_BARS = 2
"""Dots or bars between words in a sentence at most. With more it is a line of links."""

_BARS = re.compile(r" [·•|»] ")

_PLACEHOLDER = re.compile(r"\[ ?[-.a-zA-Z|]")
WORDS_OF_PLACEHOLDER = 5
"""With a bracket for this many words or fewer a text is the synopsis of a command."""

_SYNTAX = frozenset("<>|{}\\")
_BOILERPLATE = re.compile(
    r"(?:doi\s*:|https?://|www\.|licen[cs]e\s*:|copyright\b|©|all rights reserved"
    r"|[\w ]{0,60}is distributed in the hope that it)",
    re.IGNORECASE,
)
END_MARKS = ".!?…\"'”’)]。！？"
ASKING = ("?", "？")
_FIGURE = re.compile(r"[A-ZÀ-Þ][^\d]*+\d")
"""What opens with a capital and has a figure."""

_NAME_LINE = re.compile(r"[A-Za-z][\w.+-]{0,39} [-–—] [a-z][^\n]{14,150}\Z")
"""What a manual says first of its command: `kettle - boil water`."""

_AUTHORED = re.compile(
    r"(?i:written by|created by|maintained by|developed by|designed by|compiled by|edited by|by|authors?:) "
    r"[A-ZÀ-Þ][\w.'-]{0,30} [^\n]{2,150}\Z"
)
"""The line of a title page that says who wrote it."""

_GOES_ON = re.compile(r"[a-zà-ÿ]+[\s,]")
"""How a piece opens that goes on with something else. The name of a file opens a text as well."""

_LEADERS = re.compile(r"\.{4}|(?:\. ){4}|…{2}")
"""The dots between a heading and its page in a table of contents."""

_SECTION = re.compile(r"(?<!\S)\d+(?:\.\d+)+\.?(?!\S)")
FEW_SECTIONS, WORDS_OF_SECTION = 3, 8
"""More numbers of sections than this, one for this many words or fewer, are a table of contents."""


def can_be_quoted(text: str) -> bool:
    """Whether a sentence can stand in an answer: no heading, no fragment, no imprint, no row of figures."""
    words = words_of(text)
    ends = text.rstrip("*_")[-1:] in (*END_MARKS,)
    chars, fewest = (SHORT_CHARS, SHORT_WORDS) if ends and _FIGURE.match(text) else (MIN_CHARS, MIN_WORDS)
    few = text.isascii() and len(text.split()) < fewest
    if not chars <= len(text) <= MAX_CHARS or len(words) < fewest or few:
        return False
    if _NAME_LINE.match(text) or _AUTHORED.match(text):
        return True
    if text.endswith(":") or (not ends and (len(words) < 2 * MIN_WORDS or _GOES_ON.match(text))):
        return False
    if sum(len(word) == 1 for word in words) > MOST_LETTERS_ALONE * len(words) and text.isascii():
        return False
    if is_of_contents(text) or text.endswith(ASKING) or text.count("://") > MOST_ADDRESSES:
        return False
    if sum(char in _SYNTAX for char in text) > max(FEW_SYNTAX, MAX_SYNTAX * len(text)):
        return False
    if is_synopsis(text) or len(_BARS.findall(text)) > MOST_BARS:
        return False
    letters = sum(1 for char in text if char.isalpha() or char.isspace())
    return letters >= MIN_LETTERS * len(text) and not _BOILERPLATE.match(text)


def can_follow(text: str) -> bool:
    """Whether a sentence that is too short by itself can stand behind another one: "Do not open it"."""
    whole = text[:1].isupper() and text[-1:] in (*END_MARKS,) and not text.endswith(ASKING)
    return whole and len(words_of(text)) >= FEWEST_BEHIND


def is_synopsis(text: str) -> bool:
    """Whether a text only says how a command may be written, as with `forget [flags] [ID]`."""
    placeholders = len(_PLACEHOLDER.findall(text))
    return placeholders > 0 and placeholders * WORDS_OF_PLACEHOLDER >= len(words_of(text))


def is_of_contents(text: str) -> bool:
    """Whether a text is of a table of contents: headings with their pages or their numbers."""
    sections = len(_SECTION.findall(text))
    return _LEADERS.search(text) is not None or (
        sections > FEW_SECTIONS and sections * WORDS_OF_SECTION >= len(words_of(text))
    )
