"""Hostile text made harmless: no passage looks like a citation or closes its envelope (spec 2.3).

What is changed stays readable: `[12]` is shown as `⟦12⟧`, `</document>` as `‹/document>`. The cost is linear
in the text's length.
"""

import re

# Characters that nobody sees, though they could split a marker or a tag, reverse the reading order, or carry
# hidden instructions: controls, the soft hyphen, marks and overrides of direction, zero-width characters,
# invisible operators, tags, fillers.
_UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\U000e0000-\U000e007f"
)
# Persian, Hindi and families of emoji are written with joiners, so these stay. The patterns below look
# through them.
_JOINERS = "\u200c\u200d"
_REMOVED = re.compile(f"[\x00-\x08\x0e-\x1f\x7f\x80-\x84\x86-\x9f{_UNSEEN}]")
_WORTH_A_LOOK = re.compile("[\x00-\x08\x0b-\x1f\x7f[<&]")
_NEWLINE = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_GAP = rf"[\s{_JOINERS}\ufe00-\ufe0f]"

_OPEN = "[【［〔⟦❲⁅"
_CLOSE = "]】］〕⟧❳⁆"
_BRACKET_ENTITY = re.compile(
    r"&(?:#0*9([13])(?!\d);?|#[xX]0*5([bBdD])(?![0-9A-Fa-f]);?|(lsqb|lbrack|rsqb|rbrack);)"
)


def _any_way(*characters: str) -> str:
    """One of the characters, its full-width form, or the entity of either."""
    every = [form for char in characters for form in (char, chr(ord(char) + 0xFEE0))]
    decimal, hexadecimal = ("|".join(format(ord(form), kind) for form in every) for kind in ("d", "x"))
    return (
        rf"(?:[{re.escape(''.join(every))}]|&#(?:0*(?:{decimal})|[xX]0*(?i:{hexadecimal}))(?![0-9A-Fa-f]);?)"
    )


def _spelled(name: str) -> str:
    """The letters of a word in either case, with gaps between. An underscore may be a gap or a hyphen."""
    return "".join(
        rf"(?:{_any_way('_', '-')}{_GAP}*)?" if char == "_" else f"{_any_way(char, char.upper())}{_GAP}*"
        for char in name
    )


_CITATION = _spelled("citation")
# Opening brackets before something that could be the inside of a citation: a number that does not begin with
# zero or with the entity of a character, `citation`, or another bracket. That bracket is looked at in its
# turn, so that a run of brackets costs no more than its length.
_CANDIDATE = re.compile(
    rf"[{re.escape(_OPEN)}](?={_GAP}*(?:[\^＾]{_GAP}*)?(?:(?![0０])\d|&#|{_CITATION}|[{re.escape(_OPEN)}]))"
)
# At the beginning of a line even a number that cannot be cited would look like a passage of ours.
_LINE_NUMBER = re.compile(rf"^[^\S\n]*([{re.escape(_OPEN)}])(?={_GAP}*\d)", re.MULTILINE)
_ANY_BRACKET = re.compile(f"[{re.escape(_OPEN + _CLOSE)}\n]")

_LESS = r"(?:<|＜|﹤|‹|&(?:lt;?|LT;?|#0*60(?!\d);?|#[xX]0*3[cC](?![0-9A-Fa-f]);?))"
_SLASH = rf"(?:{_any_way('/')}|&sol;)"
_TAGS = "|".join(_spelled(name) for name in ("document", "retrieved_context", "web_results"))
_TAG = re.compile(rf"{_LESS}(?={_GAP}*(?:{_SLASH}{_GAP}*)?(?:{_TAGS})(?:(?<![A-Za-z])|(?![A-Za-z0-9])))")
_HEADING_MARK = re.compile(r"^([^\S\n]*)§ ", re.MULTILINE)


def neutralise(text: str) -> str:
    """The text as a model may be shown it.

    It holds no citation, no tag of an envelope, no heading line and no unseen character.
    """
    if text.isascii() and not _WORTH_A_LOOK.search(text):
        return text
    text = without_unseen(text)
    if "&" in text:
        text = _BRACKET_ENTITY.sub(_bracket_of_entity, text)
    text = _TAG.sub("‹", text)
    text = _HEADING_MARK.sub("\\1§\u00a0", text)
    return _without_citations(text)


def without_unseen(text: str) -> str:
    """The text as its author sees it: without characters that nobody sees, but for joiners."""
    return _REMOVED.sub("", _NEWLINE.sub("\n", text))


def one_line(text: str) -> str:
    """A title or a label, neutralised, without line breaks."""
    return " ".join(neutralise(text).split())


def _bracket_of_entity(match: re.Match[str]) -> str:
    decimal, hexadecimal, name = match.groups()
    opens = decimal == "1" or (hexadecimal or "").lower() == "b" or (name or "").startswith("l")
    return "⟦" if opens else "⟧"


def _without_citations(text: str) -> str:
    """Replace the brackets of everything that could be a citation, each with its partner on the same line."""
    suspects = {match.start() for match in _CANDIDATE.finditer(text)} | {
        match.start(1) for match in _LINE_NUMBER.finditer(text)
    }
    if not suspects:
        return text
    pieces: list[str] = []
    done = 0
    open_brackets: list[bool] = []
    for match in _ANY_BRACKET.finditer(text):
        char, start = match.group(), match.start()
        if char == "\n":
            open_brackets.clear()
            continue
        if char in _OPEN:
            open_brackets.append(start in suspects)
            replaced = "⟦" if start in suspects else char
        else:
            replaced = "⟧" if open_brackets and open_brackets.pop() else char
        pieces.append(text[done:start])
        pieces.append(replaced)
        done = match.end()
    pieces.append(text[done:])
    return "".join(pieces)
