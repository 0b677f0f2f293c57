"""Which brackets are citations: the grammar of spec 2.4, read at one place in the text."""

import re
from typing import NamedTuple

from footnote_resolver.normaliser.regions import past
from footnote_resolver.normaliser.window import HOLD, SEND, Wait, Window

BRACKETS = "[【［"
ELLIPSIS = "…"
"""Stands for a dropped citation where the text around it would join into something else."""
MOST_IN_A_SPAN = 20
"""Numbers that a range like `[1-20]` may name."""
ALWAYS_CITABLE = 999
"""Up to here, a number in brackets is meant as a citation; above, only up to the highest number issued."""


class Marker(NamedTuple):
    """A bracket that reads as a citation and as nothing else. Its numbers may be unknown."""

    end: int
    numbers: tuple[int, ...] = ()
    """In order, as they are written; none for a `[citation:...]` that names no number."""
    plain: bool = False
    """Written `[n]` or `[citation:n]`: there is nothing to mend."""
    wire: bool = False
    """Written as a token, which is never left in the text unchecked."""
    as_index: bool = False
    """Written as the index of an array might be."""
    link: bool = False
    """The text of a Markdown link, if `(url)` follows."""
    note: bool = False
    """Written `[n]` or `[^n]`: a definition, if it begins a line and a colon follows."""
    rest: str = ""
    """The marker is longer than what may be held: what follows, up to this character, belongs to it."""


_BLANK = r" \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_IGNORED = r"\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
"""Characters without width: joiners, marks of direction, and the isolates of bidirectional text."""
_DASH = r"\-\u2010\u2011–－"
FILLER = _BLANK + _IGNORED
"""The inside of a character class: blanks and zero-width characters, which may stand in a marker."""
_BODY = rf"0-9０-９,;，、；^aAnNdD{_DASH}{FILLER}"
_CLOSER = {"[": "]", "【": "】", "［": "］"}

_body = re.compile(f"[{_BODY}]*+")
_filler = f"[{FILLER}]*+"
_inner = re.compile(rf"[\[【［]([{_BODY}]*+)[\]】］]")
_PAIR = "|".join(rf"\{opening}[{_BODY}]*+\{closing}" for opening, closing in _CLOSER.items())
_between = rf"[{FILLER},;，、；]*+"
_doubled = re.compile(rf"[\[【［]{_filler}(?:(?:{_PAIR}){_between})++(?=[\]】］])")
_doubled_so_far = re.compile(rf"[\[【［]{_filler}(?:(?:{_PAIR}){_between})*+(?:[\[【［][{_BODY}]*+)?")
_WORD = "citation:"
_letters = f"[{_IGNORED}]*+".join(f"[{letter.upper()}{letter}]" for letter in _WORD[:-1])
WIRE_HEAD = rf"[\[【［]{_filler}{_letters}{_filler}:"
_word = re.compile(WIRE_HEAD)
_OPEN, _INSIDE, _SHUT = r"[\[【［]", r"[^\[\]【】［］\n]*+", r"[\]】］]"
_LISTED = rf"[{_BODY}]*+"
_CELLS = rf"{_LISTED}(?:(?:{_OPEN}{_OPEN}{_INSIDE}{_SHUT}{_SHUT}|{_OPEN}{_INSIDE}{_SHUT}){_LISTED})"
_nested = re.compile(rf"{_CELLS}++{_SHUT}")
_nested_so_far = re.compile(rf"{_CELLS}*+(?:{_OPEN}{{1,2}}{_INSIDE}{_SHUT}?)?")
_partial_word = "|".join(_WORD[:length] for length in range(1, len(_WORD)))
_unfinished = re.compile(rf"[\[【［]{_filler}(?:[\[【［]?[{_BODY}]*+(?::[0-9]*+)?|(?i:{_partial_word}))\Z")
_message_and_source = re.compile(r":[0-9]{1,9}(?=[†】])")
_message_so_far = re.compile(r":[0-9]*+")
OPAQUE = rf"{WIRE_HEAD}[^\]\n]*+\]?|【[{_BODY}]*+(?::[0-9]*+)?†[^】\n]*+】?"
"""Markers that may hold anything: a search for brackets or dollar signs must step over them."""
_insides = re.compile(rf"[{_BODY}citoCITO:†()（）]*+")

_ITEM = r"[1-9][0-9]{0,8}(?: *- *[1-9][0-9]{0,8})?+"
_list = re.compile(rf" *({_ITEM}(?:(?: *, *(?:and +)?| +and +){_ITEM})*+) *")
_span = re.compile(r"([0-9]+)(?: *- *([0-9]+))?")
_note = re.compile(r" *\^ *([1-9][0-9]{0,8}) *")
_plain_number = re.compile(r"\[([1-9][0-9]{0,8})\]")
_plain = re.compile(r"\[[0-9]+\]")
_plain_wire = re.compile(r"\[citation:[0-9]+\]")
_not_a_list = re.compile("[:/?#@]")
_nesting = re.compile(r"[\[\]【】［］]")
_beside_number = re.compile(r"(?i:citation) ?:|†[^,;，、；\[\]【】［］]*+")
"""The word again, or a dagger with what it says of the source."""
_separator = re.compile(r"[,;，、；]|\band\b")
_AROUND_ITEMS = ",;，、； "


def _folding() -> dict[int, str | None]:
    """The plain forms of blanks, separators, dashes and full-width digits; zero-width ones have none."""
    every = "".join(map(chr, range(0x10000)))

    def members(characters: str) -> list[int]:
        return [ord(found) for found in re.findall(f"[{characters}]", every)]

    table: dict[int, str | None] = dict.fromkeys(members(_IGNORED))
    table.update(dict.fromkeys(members(_BLANK), " "))
    table.update(dict.fromkeys(members(_DASH), "-"))
    table.update(dict.fromkeys(members(";，、；"), ","))
    table.update({ord("０") + digit: str(digit) for digit in range(10)})
    return table


_fold = _folding()


def read(text: str, i: int, window: Window) -> Marker | Wait | None:
    """Read the bracket at `i`. None: it is no citation."""
    plain = _plain_number.match(text, i, window.stop)
    if plain is not None:
        # Nearly all are written so: this decides on the speed.
        return Marker(plain.end(), (int(plain[1]),), plain=True, as_index=True, link=True, note=True)
    start = text[i]
    end = past(_body, text, i + 1, window.stop)
    if end == window.stop:
        return HOLD if window.more else None
    if text[end] == _CLOSER[start]:
        return _simple(text, i, end)
    if start == "【" and text[end] in "†:":
        return _sourced(text, i, end, window)
    if text[end] in BRACKETS:
        return _several(text, i, window)
    if text[end] in "cC":
        return _wire(text, i, end, window)
    return None


def escaped_number(text: str, i: int, window: Window) -> bool | Wait:
    r"""Whether the escaped bracket that ends at `i` holds what a citation would: `\[1\]` is no formula."""
    end = past(_body, text, i, window.stop)
    if end < window.stop and text[end] == "\\":
        end += 1
    if end == window.stop:
        return SEND if window.more else False
    return text[end] == "]"


def is_unfinished(text: str, i: int) -> bool:
    """Whether the text ends within what the bracket at `i` began, and that may have become a marker."""
    return _unfinished.match(text, i) is not None


def is_digit(character: str) -> bool:
    """Whether it is an ASCII digit; the empty string is none."""
    return "0" <= character <= "9"


def could_be_inside(text: str) -> bool:
    """Whether all of this could stand in a marker, once a dropped citation no longer parts it."""
    return _insides.fullmatch(text) is not None


def _simple(text: str, i: int, end: int) -> Marker | None:
    """`[1]`, `[1, 2]`, `[1-3]`, `[^1]`, and the same in full-width brackets."""
    square = text[i] == "["
    numbers, noted = _numbers(text[i + 1 : end])
    if not numbers or (noted and not square):
        return None
    plain = _plain.fullmatch(text, i, end + 1) is not None
    return Marker(
        end + 1, numbers, plain=plain, as_index=square and not noted, link=square, note=plain or noted
    )


def _sourced(text: str, i: int, end: int, window: Window) -> Marker | Wait | None:
    """`【1†source】`, and `【1:0†source】` or `【1:0】`, which names a message and a source in it."""
    numbers, _ = _numbers(text[i + 1 : end])
    if len(numbers) != 1:
        return None
    if text[end] == ":":
        behind = _message_and_source.match(text, end, window.stop)
        if behind is None:
            undecided = window.more and past(_message_so_far, text, end, window.stop) == window.stop
            return HOLD if undecided else None
        end = behind.end()
    shut = _up_to("】", text, end, window)
    return shut if isinstance(shut, Wait) else Marker(shut[0], numbers, rest=shut[1])


def _several(text: str, i: int, window: Window) -> Marker | Wait | None:
    """`[[1]]`, `[[1, 2]]`, `[[1], [2]]`, and the same in full-width brackets or with one pair of them."""
    whole = _doubled.match(text, i, window.stop)
    if whole is None:
        return HOLD if window.more and past(_doubled_so_far, text, i, window.stop) == window.stop else None
    if text[whole.end()] != _CLOSER[text[i]]:
        return None
    groups = [_numbers(body)[0] for body in _inner.findall(text, i + 1, whole.end())]
    if not all(groups):
        return None
    square = text[i] == "["
    return Marker(whole.end() + 1, tuple(n for group in groups for n in group), as_index=square, link=square)


def _wire(text: str, i: int, end: int, window: Window) -> Marker | Wait | None:
    """`[citation:...]`, whatever it holds; one that is not closed ends with its line."""
    word = _word.match(text, i, window.stop)
    if word is None:
        so_far = text[end : window.stop].translate(_fold).lower().rstrip(" ")
        return HOLD if window.more and _WORD.startswith(so_far) else None
    nested = _nested.match(text, word.end(), window.stop)
    if nested is None and window.more:
        begun = past(_nested_so_far, text, word.end(), window.stop)
        if begun == window.stop:
            return HOLD
    shut = (nested.end(), "") if nested else _up_to(_CLOSER[text[i]], text, word.end(), window)
    if isinstance(shut, Wait):
        return shut
    end, rest = shut
    if rest or text[end - 1] not in _CLOSER.values():
        return Marker(end, wire=True, rest=rest)
    plain = _plain_wire.fullmatch(text, i, end) is not None
    return Marker(end, _items(text[word.end() : end - 1]), plain=plain, wire=True)


def _up_to(closer: str, text: str, i: int, window: Window) -> tuple[int, str] | Wait:
    """Where the marker ends: behind its closing bracket, with its line, or with the window for now."""
    line_end = text.find("\n", i, window.stop)
    shut = text.find(closer, i, window.stop if line_end < 0 else line_end)
    if shut >= 0 or line_end >= 0:
        return (shut + 1 if shut >= 0 else line_end), ""
    return HOLD if window.more else (window.stop, closer if window.full else "")


def _items(body: str) -> tuple[int, ...]:
    """The numbers of a token: what else it lists beside them is left out.

    A url may hold commas and digits of its own, so that nothing in a body with one counts.
    """
    body = _nesting.sub(",", _beside_number.sub("", body))
    if _not_a_list.search(body):
        return ()
    numbers, noted = _numbers(body.strip(_AROUND_ITEMS))
    if numbers or noted:
        return () if noted else numbers
    items = (_numbers(item) for item in _separator.split(body))
    return tuple(n for group, noted in items if not noted for n in group)


def _numbers(body: str) -> tuple[tuple[int, ...], bool]:
    """The numbers of a bracket, none if it holds anything else; and whether it is a footnote's `^n`."""
    folded = body.translate(_fold)
    note = _note.fullmatch(folded)
    if note is not None:
        return (int(note[1]),), True
    listed = _list.fullmatch(folded)
    if listed is None:
        return (), False
    numbers: list[int] = []
    for first, final in _span.findall(listed[1]):
        low, high = int(first), int(final or first)
        if not 0 <= high - low < MOST_IN_A_SPAN:
            return (), False
        numbers.extend(range(low, high + 1))
    return tuple(numbers), False
